#include "common/task/mailbox.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/plat/stop.h"

struct mgc_mailbox {
    pthread_mutex_t lock;
    struct mgc_post *head, **tail; /* guarded by lock */
    struct mgc_stop bell;
};

struct mgc_mailbox *mgc_mailbox_new(struct mgc_error *err)
{
    struct mgc_mailbox *mailbox = calloc(1, sizeof(*mailbox));
    if (!mailbox) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "make a mailbox: out of memory");
        return NULL;
    }
    if (!mgc_stop_init(&mailbox->bell, err)) {
        free(mailbox);
        return NULL;
    }
    pthread_mutex_init(&mailbox->lock, NULL);
    mailbox->tail = &mailbox->head;
    return mailbox;
}

void mgc_post_free(struct mgc_post *post)
{
    if (!post)
        return;
    mgc_msg_destroy(&post->msg);
    free(post);
}

void mgc_mailbox_free(struct mgc_mailbox *mailbox)
{
    struct mgc_post *post;
    if (!mailbox)
        return;
    while ((post = mgc_mailbox_take(mailbox)))
        mgc_post_free(post);
    mgc_stop_destroy(&mailbox->bell);
    pthread_mutex_destroy(&mailbox->lock);
    free(mailbox);
}

static void append(struct mgc_mailbox *mailbox, struct mgc_post *post, bool wake)
{
    post->next = NULL;
    pthread_mutex_lock(&mailbox->lock);
    *mailbox->tail = post;
    mailbox->tail = &post->next;
    if (wake)
        mgc_stop_raise(&mailbox->bell);
    pthread_mutex_unlock(&mailbox->lock);
}

void mgc_mailbox_put(struct mgc_mailbox *mailbox, struct mgc_post *post)
{
    append(mailbox, post, true);
}

void mgc_mailbox_put_quietly(struct mgc_mailbox *mailbox, struct mgc_post *post)
{
    append(mailbox, post, false);
}

int mgc_mailbox_fd(const struct mgc_mailbox *mailbox)
{
    return mailbox->bell.read_fd;
}

struct mgc_post *mgc_mailbox_take(struct mgc_mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    struct mgc_post *post = mailbox->head;
    if (post)
        mailbox->head = post->next;
    if (!mailbox->head) {
        mailbox->tail = &mailbox->head;
        mgc_stop_lower(&mailbox->bell);
    }
    pthread_mutex_unlock(&mailbox->lock);
    return post;
}
