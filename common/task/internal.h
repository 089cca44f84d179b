/* Inside of a running task, shared by runner.c (life), context.c (what tasks call) and barrier.c.
 */
#ifndef MGC_TASK_INTERNAL_H
#define MGC_TASK_INTERNAL_H

#include <pthread.h>

#include "common/base/path.h"
#include "common/plat/stop.h"
#include "common/task/runner.h"
#include "common/task/secrets.h"

enum { MGC_TASK_ARTIFACTS_MAX = 64 };

struct mgc_release { /* of one barrier, kept because it may come before the task arrives */
    struct mgc_release *next;
    char *name;
    enum mgc_code code;
    char text[MGC_ERROR_TEXT_MAX];
    int64_t instant_ns;
};

struct mgc_task {
    /* Constant while the thread runs. */
    uint64_t id;
    const struct mgc_task_kind *kind;
    char *label, *run_id; /* owned */
    char dir[MGC_PATH_MAX], files[MGC_PATH_MAX];
    struct mgc_fields params, secret_params;
    struct mgc_secrets secrets;
    int64_t deadline_ms, deadline_ns; /* MGC_NEVER: none */
    struct mgc_journal *journal;      /* borrowed, like the two below */
    struct mgc_mailbox *mailbox;
    void *worker;
    pthread_t thread;
    bool has_thread;

    /* The task's own thread only. */
    struct mgc_fields facts;
    char *artifacts[MGC_TASK_ARTIFACTS_MAX]; /* owned */
    size_t artifact_count;
    int64_t start_ns, end_ns;
    int64_t undone_early; /* entries undone by mgc_task_undo */

    struct mgc_stop stop, finish, released; /* raised by any thread */

    pthread_mutex_t lock; /* guards all below */
    struct mgc_task_state state;
    struct mgc_error stop_why;
    struct mgc_release *releases; /* owned */
};

void mgc_task_set_phase(struct mgc_task *task, enum mgc_task_phase phase, const char *detail);

/* Post a message whose strings are owned by the caller; takes it over. `ok` false: out of memory
 * while it was built; it is destroyed. Strings are masked. */
bool mgc_task_post(struct mgc_task *task, struct mgc_msg *msg, bool ok, struct mgc_error *err);

#endif
