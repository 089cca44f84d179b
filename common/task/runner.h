/* One running task: its thread, and the handles by which the loop's thread steers it.
 *
 * Moves of a task, all made by its own thread:
 *   STARTING -> RUNNING                    run() begins
 *   RUNNING <-> HOLDING | AT_BARRIER       mgc_task_hold, mgc_task_barrier
 *   RUNNING  -> UNDOING                    run() returned, for whatever reason
 *   UNDOING  -> SEALING -> DONE            files hashed and masked; RESULT written and posted
 *
 * mgc_task_start and mgc_task_join belong to the loop's thread; stop, finish, release and state may
 * be called from any thread while the object lives. Nothing here knows a socket: what the task says
 * goes into the mailbox as messages.
 */
#ifndef MGC_TASK_RUNNER_H
#define MGC_TASK_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/task/journal.h"
#include "common/task/mailbox.h"
#include "common/task/task.h"
#include "common/wire/msg.h"

struct mgc_task_spec {
    const struct mgc_msg_task *msg;   /* borrowed for the call; parameters already checked */
    const struct mgc_task_kind *kind; /* borrowed: lives as long as the task */
    const char *run_id;               /* borrowed for the call */
    const char *dir;                  /* STATE/results/TASKID, with files/ in it; likewise */
    struct mgc_journal *journal;      /* borrowed: lives as long as the task */
    struct mgc_mailbox *mailbox;      /* likewise */
    void *worker;                     /* likewise */
};

/* Start the thread. The task's last post is `done`; then it must be joined. */
struct mgc_task *mgc_task_start(const struct mgc_task_spec *spec, struct mgc_error *err);
/* Wait for the thread and free; right after `done` that takes no time. Takes NULL. */
void mgc_task_join(struct mgc_task *task);

/* It must stop, and why. The first reason stays. */
void mgc_task_stop(struct mgc_task *task, enum mgc_code code, const char *text);
void mgc_task_finish(struct mgc_task *task);
/* A RELEASE for this task. */
void mgc_task_release(struct mgc_task *task, const struct mgc_msg_barrier *release);

enum mgc_task_phase {
    MGC_TASK_STARTING,
    MGC_TASK_RUNNING,
    MGC_TASK_HOLDING,
    MGC_TASK_AT_BARRIER,
    MGC_TASK_UNDOING,
    MGC_TASK_SEALING,
    MGC_TASK_DONE,
};
struct mgc_task_state {
    enum mgc_task_phase phase;
    int64_t since_ns;    /* mono, when it came into this phase */
    bool stopping;       /* told to stop */
    int64_t stopping_ns; /* mono, when */
    char detail[64];     /* name of the barrier, or empty */
};
struct mgc_task_state mgc_task_state(struct mgc_task *task);
const char *mgc_task_phase_name(enum mgc_task_phase phase);
const char *mgc_task_kind_name(const struct mgc_task *task);

#endif
