/* From task threads to the loop's thread: messages in order, and a descriptor that says when.
 *
 * Any thread posts; only the loop's thread takes. A post owns its message.
 */
#ifndef MGC_TASK_MAILBOX_H
#define MGC_TASK_MAILBOX_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/wire/msg.h"

struct mgc_mailbox; /* opaque */
struct mgc_task;

struct mgc_post {
    struct mgc_post *next;
    struct mgc_task *task; /* borrowed: lives until its `done` post was taken */
    bool done;             /* the task's last post: msg is its RESULT, the thread is about to end */
    struct mgc_msg msg;    /* owned: EVENT, ARRIVE, RELEASED or RESULT */
};

struct mgc_mailbox *mgc_mailbox_new(struct mgc_error *err);
void mgc_mailbox_free(struct mgc_mailbox *mailbox); /* takes NULL */

void mgc_mailbox_put(struct mgc_mailbox *mailbox, struct mgc_post *post); /* takes over post */
/* As put, but without waking the loop's thread: it comes with the next post that does, or when the
 * loop's thread looks by itself. */
void mgc_mailbox_put_quietly(struct mgc_mailbox *mailbox, struct mgc_post *post);
int mgc_mailbox_fd(const struct mgc_mailbox *mailbox); /* readable while there is one that wakes */
/* Oldest post, now the caller's; NULL when there is none. */
struct mgc_post *mgc_mailbox_take(struct mgc_mailbox *mailbox);
void mgc_post_free(struct mgc_post *post); /* takes NULL */

#endif
