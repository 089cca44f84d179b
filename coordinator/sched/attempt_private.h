/* What attempt.c and attempt_events.c share; nobody else includes it. */
#ifndef MGC_SCHED_ATTEMPT_PRIVATE_H
#define MGC_SCHED_ATTEMPT_PRIVATE_H

#include "coordinator/sched/attempt.h"

static inline const struct mgc_step *step_of(const struct mgc_attempt_run *run, size_t i)
{
    return &run->view.cell->steps[i];
}

static inline size_t step_count(const struct mgc_attempt_run *run)
{
    return run->view.cell->step_count;
}

bool mgc_step_is_running(enum mgc_step_state state);
bool mgc_attempt_is_over(const struct mgc_attempt_run *run);

/* Progress about step i, or with MGC_NO_STEP about the cell. */
#define MGC_NO_STEP SIZE_MAX
void mgc_attempt_tell(
    struct mgc_attempt_run *run, enum mgc_progress_kind kind, size_t i, const char *text);
/* What a step said: the sentence, and the short form (run.h). */
void mgc_attempt_tell_said(
    struct mgc_attempt_run *run, size_t i, const char *text, const char *said);

/* The attempt's barrier of that name, or NULL. */
struct mgc_barrier *mgc_attempt_barrier(struct mgc_attempt_run *run, const char *name);
/* Tell everyone who waits there why it will not happen; over barriers are left alone. */
void mgc_attempt_break_barrier(struct mgc_attempt_run *run, struct mgc_barrier *barrier,
    const struct mgc_error *why, int64_t now_ns);

/* The step ends as FAILED; unless it is best effort, the attempt begins to stop. */
void mgc_attempt_fail_step(
    struct mgc_attempt_run *run, size_t i, const struct mgc_error *why, int64_t now_ns);
/* Once; when the worker cannot be told, the step fails at once. */
void mgc_attempt_cancel_step(
    struct mgc_attempt_run *run, size_t i, const char *reason, int64_t now_ns);
/* Enter STOPPING; the first reason given stands. */
void mgc_attempt_begin_stop(struct mgc_attempt_run *run, const struct mgc_error *why,
    const char *failed_step, int64_t now_ns);

#endif
