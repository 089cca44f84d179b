/* Inside of a worker's dispatch, shared by dispatch.c (messages), running.c (the tasks that run)
 * and renewal.c (between two sessions). Everything on the loop's thread, but for what renewal.c
 * says.
 */
#ifndef MGC_TASK_DISPATCH_INTERNAL_H
#define MGC_TASK_DISPATCH_INTERNAL_H

#include <pthread.h>

#include "common/plat/stop.h"
#include "common/task/dispatch.h"
#include "common/task/mailbox.h"
#include "common/task/report.h"
#include "common/task/runner.h"
#include "common/task/sender.h"

enum mgc_dispatch_state { MGC_IDLE, MGC_JOINED, MGC_FENCED, MGC_LEAVING };

struct mgc_running {
    struct mgc_running *next;
    struct mgc_dispatch *dispatch;        /* borrowed */
    struct mgc_task *task;                /* owned; joined at its end */
    char *dir;                            /* owned */
    uint64_t deadline_timer, grace_timer; /* 0: none */
};

/* Undoing what is left, on a thread of its own: an undo may wait for a phone for seconds. */
struct mgc_renewal {
    pthread_t thread;
    bool running;
    struct mgc_stop bell; /* raised by the thread as its last act */
    uint64_t again_timer; /* 0: none */
    int64_t pause_ms;     /* before the latest try of undoing; 0: none yet */
    size_t pending;       /* changes that were not undone then */
    uint64_t grace_timer; /* while LEAVING; 0: none */
    int64_t joined_ns;    /* when the session began */
    bool had_task;        /* in this session */
    int64_t broken_rows;  /* sessions in a row that broke early and without a task */
};

struct mgc_dispatch {
    struct mgc_dispatch_config config;
    struct mgc_loop *loop;         /* borrowed */
    struct mgc_bus_client *client; /* owned, like the two below */
    struct mgc_mailbox *mailbox;
    struct mgc_sender *sender;
    struct mgc_running *tasks; /* owned */
    enum mgc_dispatch_state state;
    char *run_id; /* owned; of the live session, or empty */
    struct mgc_report report;
    struct mgc_renewal renewal;
    int exit_code;
};

/* --- dispatch.c --- */

/* The result of a task that never ran (dir NULL: without a directory), or that does not end. */
void mgc_dispatch_fail_task(struct mgc_dispatch *dispatch, const struct mgc_msg_task *task,
    const char *dir, const struct mgc_error *why);
/* End the loop with exit code 3: the service manager starts the program afresh. */
void mgc_dispatch_give_up(struct mgc_dispatch *dispatch);

/* --- running.c --- */

struct mgc_running *mgc_running_find(struct mgc_dispatch *dispatch, uint64_t task_id);
/* ret_dir: the task's directory, also when starting it failed after that was made. */
bool mgc_running_start(struct mgc_dispatch *dispatch, const struct mgc_msg_task *msg,
    const struct mgc_task_kind *kind, char *ret_dir, size_t dir_size, struct mgc_error *err);
void mgc_running_stop(struct mgc_running *running, enum mgc_code code, const char *text);
void mgc_running_stop_all(struct mgc_dispatch *dispatch, enum mgc_code code, const char *text);
/* Its `done` was taken: join the thread, forget it. */
void mgc_running_end(struct mgc_dispatch *dispatch, struct mgc_task *task);

/* --- renewal.c --- */

bool mgc_renewal_init(struct mgc_dispatch *dispatch, struct mgc_error *err);
/* A hello is said next; user: the dispatch. */
void mgc_renewal_greeting(void *user);
/* Waits for the thread; without init the bell must be MGC_STOP_INIT. */
void mgc_renewal_destroy(struct mgc_dispatch *dispatch);
/* Whatever ended may have been the last thing that a new session, or our end, waited for. */
void mgc_renewal_look(struct mgc_dispatch *dispatch);
void mgc_renewal_joined(struct mgc_dispatch *dispatch);
/* True once it is a loop that this process must leave. */
bool mgc_renewal_is_loop(struct mgc_dispatch *dispatch, const struct mgc_error *why);
/* LEAVING: no further entry; the one that is being undone has the grace time. */
void mgc_renewal_leave(struct mgc_dispatch *dispatch);

#endif
