/* One execution of one cell: its steps' states, its barriers, how it ends.
 *
 * Attempt states, and the moves between them:
 *   RUNNING  -> SETTLED   setup cell only: others ended well, holding steps, if any, are READY
 *   RUNNING  -> ENDED     every step ended well, or only steps that are best effort did not
 *   RUNNING, SETTLED -> STOPPING   a step failed, a worker was lost, stopped from outside
 *   SETTLED  -> STOPPING  also at the end of the run, to finish the holding steps
 *   STOPPING -> ENDED     every step has ended, or the stop deadline has passed
 *
 * Step states: PENDING -> SENT -> READY -> FINISHING -> DONE | FAILED, where only holding steps
 * become READY and FINISHING; from PENDING also SKIPPED. A holding step is told to finish when all
 * steps that wait on its "ready" have ended, whether well or not: what it collects is wanted most
 * when something failed. Other running steps of a stopping attempt are cancelled; when it was
 * interrupted, holding steps, too, that do not finish within seconds.
 *
 * Internal to sched/. Pure; time is an argument.
 */
#ifndef MGC_SCHED_ATTEMPT_H
#define MGC_SCHED_ATTEMPT_H

#include "coordinator/sched/barrier.h"
#include "coordinator/sched/run.h"

enum { MGC_ATTEMPT_BARRIERS_MAX = 4 };

enum mgc_attempt_state {
    MGC_ATTEMPT_NONE,
    MGC_ATTEMPT_RUNNING,
    MGC_ATTEMPT_SETTLED,
    MGC_ATTEMPT_STOPPING,
    MGC_ATTEMPT_ENDED,
};

struct mgc_step_run {
    uint64_t task_id;    /* 0 until sent */
    int64_t deadline_ns; /* of the present state */
    int64_t hurry_ns;    /* interrupted: cancel it when it has not finished until then; 0: not */
    bool cancelled;      /* a cancel was sent */
};

struct mgc_attempt_run {
    enum mgc_attempt_state state;
    const struct mgc_plan *plan;   /* borrowed */
    const struct mgc_run_ops *ops; /* borrowed */
    void *user;
    struct mgc_attempt view;        /* what ops see */
    struct mgc_step_run *runs;      /* owned, one per step */
    struct mgc_step_outcome *steps; /* owned, one per step; view.steps */
    struct mgc_barrier barriers[MGC_ATTEMPT_BARRIERS_MAX];
    size_t barrier_count;
    int64_t stop_deadline_ns; /* of STOPPING */
    int64_t recheck_ns;       /* a complete barrier waits for a clock; MGC_NEVER: none */
};

/* Make ready for a cell; on false nothing is owned. */
bool mgc_attempt_init(struct mgc_attempt_run *run, const struct mgc_plan *plan,
    const struct mgc_cell *cell, int number, const struct mgc_run_ops *ops, void *user,
    int64_t now_ns, struct mgc_error *err);
void mgc_attempt_destroy(struct mgc_attempt_run *run); /* takes NULL and zeroed */

/* Start what can start, finish what can finish, settle or end. Call after every event. */
void mgc_attempt_advance(struct mgc_attempt_run *run, int64_t now_ns);

/* Events; each ends with mgc_attempt_advance. The first two say whether the task is ours;
 * a task's messages count only from the worker that has it. */
bool mgc_attempt_message(
    struct mgc_attempt_run *run, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns);
bool mgc_attempt_result(struct mgc_attempt_run *run, enum mgc_role role,
    const struct mgc_msg_result *result, const struct mgc_error *storage, int64_t now_ns);
void mgc_attempt_worker_lost(
    struct mgc_attempt_run *run, enum mgc_role role, const struct mgc_error *why, int64_t now_ns);
/* Stop it because of `why`; with NULL (a settled setup only): finish it well. */
void mgc_attempt_stop(
    struct mgc_attempt_run *run, const struct mgc_error *why, bool interrupted, int64_t now_ns);
void mgc_attempt_tick(struct mgc_attempt_run *run, int64_t now_ns);
/* From SENT; from now on the deadline is that of the whole step. */
void mgc_attempt_is_ready(struct mgc_attempt_run *run, size_t i);
/* Interrupted: nobody waits long for a step that was told to finish. */
void mgc_attempt_hurry(struct mgc_attempt_run *run, size_t i, int64_t now_ns);
int64_t mgc_attempt_due(const struct mgc_attempt_run *run);

/* Does any step of the cell run on that worker? */
bool mgc_cell_needs(const struct mgc_cell *cell, enum mgc_role role);

#endif
