#include "coordinator/sched/attempt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/sched/attempt_private.h"

enum {
    /* The worker keeps a task's deadline itself; ours only catches a worker that does not. */
    SENT_MARGIN_MS = 15 * 1000,
    /* From finish or cancel to the result: waiting for the reap line, undo, pulling, sending. */
    STOP_MARGIN_MS = 120 * 1000,
    /* A person waits: from finish until it is cancelled. What it has collected comes all the same.
     */
    HURRY_MS = 3 * 1000,
    /* Everybody is at the barrier but a member's clock is not known yet: look again soon. */
    CLOCK_RECHECK_MS = 50,
};

static const char *const step_state_names[] = {
    [MGC_STEP_PENDING] = "pending",
    [MGC_STEP_SENT] = "sent",
    [MGC_STEP_READY] = "ready",
    [MGC_STEP_FINISHING] = "finishing",
    [MGC_STEP_DONE] = "done",
    [MGC_STEP_FAILED] = "failed",
    [MGC_STEP_SKIPPED] = "skipped",
};

const char *mgc_step_state_name(enum mgc_step_state state)
{
    return step_state_names[state];
}

bool mgc_cell_needs(const struct mgc_cell *cell, enum mgc_role role)
{
    for (size_t i = 0; i < cell->step_count; i++) {
        if (cell->steps[i].role == role)
            return true;
    }
    return false;
}

bool mgc_step_has_ended(enum mgc_step_state state)
{
    return state == MGC_STEP_DONE || state == MGC_STEP_FAILED || state == MGC_STEP_SKIPPED;
}

const struct mgc_step_outcome *mgc_attempt_step(const struct mgc_attempt *attempt, const char *id)
{
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].id, id) == 0)
            return &attempt->steps[i];
    }
    return NULL;
}

bool mgc_step_is_running(enum mgc_step_state state)
{
    return state == MGC_STEP_SENT || state == MGC_STEP_READY || state == MGC_STEP_FINISHING;
}

bool mgc_attempt_is_over(const struct mgc_attempt_run *run)
{
    return run->state == MGC_ATTEMPT_NONE || run->state == MGC_ATTEMPT_ENDED;
}

/* ---- set-up and teardown ---- */

struct mgc_barrier *mgc_attempt_barrier(struct mgc_attempt_run *run, const char *name)
{
    for (size_t i = 0; i < run->barrier_count; i++) {
        if (strcmp(run->barriers[i].name, name) == 0)
            return &run->barriers[i];
    }
    return NULL;
}

static bool gather_barriers(struct mgc_attempt_run *run, struct mgc_error *err)
{
    for (size_t i = 0; i < step_count(run); i++) {
        const struct mgc_step *step = step_of(run, i);
        if (!step->barrier)
            continue;
        struct mgc_barrier *barrier = mgc_attempt_barrier(run, step->barrier);
        if (!barrier) {
            if (run->barrier_count == MGC_ATTEMPT_BARRIERS_MAX)
                return mgc_error_set(err, MGC_E_CONFIG, "cell '%s' has more than %d barriers",
                    run->view.cell->id, MGC_ATTEMPT_BARRIERS_MAX);
            barrier = &run->barriers[run->barrier_count++];
            mgc_barrier_init(
                barrier, step->barrier, run->plan->barrier_timeout_ms, run->plan->lead_ms);
        }
        if (!mgc_barrier_add(barrier, i, step->role))
            return mgc_error_set(err, MGC_E_CONFIG, "barrier '%s' has more than %d members",
                step->barrier, MGC_BARRIER_MEMBERS_MAX);
    }
    return true;
}

bool mgc_attempt_init(struct mgc_attempt_run *run, const struct mgc_plan *plan,
    const struct mgc_cell *cell, int number, const struct mgc_run_ops *ops, void *user,
    int64_t now_ns, struct mgc_error *err)
{
    *run = (struct mgc_attempt_run){
        .state = MGC_ATTEMPT_RUNNING,
        .recheck_ns = MGC_NEVER,
        .plan = plan,
        .ops = ops,
        .user = user,
        .view = {.cell = cell,
            .number = number,
            .start_ns = now_ns,
            .start_wall_ns = mgc_wall_ns()},
        .runs = calloc(cell->step_count, sizeof(*run->runs)),
        .steps = calloc(cell->step_count, sizeof(*run->steps)),
    };
    run->view.steps = run->steps;
    if (cell->step_count && (!run->runs || !run->steps)) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for cell '%s'", cell->id);
    } else if (gather_barriers(run, err)) {
        return true;
    }
    mgc_attempt_destroy(run);
    return false;
}

void mgc_attempt_destroy(struct mgc_attempt_run *run)
{
    if (!run)
        return;
    for (size_t i = 0; run->steps && i < step_count(run); i++) {
        mgc_fields_destroy(&run->steps[i].facts);
        mgc_fields_destroy(&run->steps[i].ready);
        free(run->steps[i].undo_text);
    }
    free(run->runs);
    free(run->steps);
    *run = (struct mgc_attempt_run){0};
}

/* ---- messages out ---- */

static void tell(struct mgc_attempt_run *run, enum mgc_progress_kind kind, size_t i,
    const char *text, const char *said)
{
    struct mgc_progress event = {
        .kind = kind,
        .cell = run->view.cell,
        .attempt = run->view.number,
        .step = i == MGC_NO_STEP ? NULL : step_of(run, i),
        .state = i == MGC_NO_STEP ? MGC_STEP_PENDING : run->steps[i].state,
        .text = text,
        .said = said,
    };
    run->ops->progress(run->user, &event);
}

void mgc_attempt_tell(
    struct mgc_attempt_run *run, enum mgc_progress_kind kind, size_t i, const char *text)
{
    tell(run, kind, i, text, NULL);
}

void mgc_attempt_tell_said(
    struct mgc_attempt_run *run, size_t i, const char *text, const char *said)
{
    tell(run, MGC_PROGRESS_STEP, i, text, said);
}

/* Nothing of this step can be had any more, since a message to its worker was not taken. */
static void fail_unsent(struct mgc_attempt_run *run, size_t i, const char *what, int64_t now_ns)
{
    struct mgc_error why;
    mgc_error_set(&why, MGC_E_LOST, "worker of role '%s' has no session: %s was not sent",
        mgc_role_name(step_of(run, i)->role), what);
    if (!mgc_step_is_running(run->steps[i].state))
        return;
    run->steps[i].lost = MGC_LOST_WORKER;
    mgc_attempt_fail_step(run, i, &why, now_ns);
}

static void send_ref(struct mgc_attempt_run *run, size_t i, enum mgc_msg_kind kind,
    const char *reason, int64_t now_ns)
{
    struct mgc_msg msg = {
        .kind = kind,
        /* encode only reads */
        .task_ref = {.task_id = run->runs[i].task_id, .text = (char *)reason},
    };
    if (!run->ops->send(run->user, step_of(run, i)->role, &msg))
        fail_unsent(run, i, kind == MGC_MSG_FINISH ? "'finish'" : "'cancel'", now_ns);
}

static void send_release(struct mgc_attempt_run *run, const struct mgc_barrier *barrier,
    size_t member, const struct mgc_error *failure, int64_t now_ns)
{
    size_t i = barrier->members[member].step;
    struct mgc_msg msg = {
        .kind = MGC_MSG_RELEASE,
        .barrier = {.task_id = run->runs[i].task_id,
            .name = (char *)barrier->name,
            .code = failure ? failure->code : MGC_OK,
            .text = failure ? (char *)failure->text : (char *)"",
            .instant_ns = failure ? 0 : mgc_barrier_instant(barrier, member)},
    };
    if (!run->ops->send(run->user, barrier->members[member].role, &msg))
        fail_unsent(run, i, "the release of its barrier", now_ns);
}

void mgc_attempt_break_barrier(struct mgc_attempt_run *run, struct mgc_barrier *barrier,
    const struct mgc_error *why, int64_t now_ns)
{
    if (barrier->state != MGC_BARRIER_GATHERING)
        return;
    barrier->state = MGC_BARRIER_FAILED;
    for (size_t m = 0; m < barrier->count; m++) {
        if (barrier->members[m].arrived)
            send_release(run, barrier, m, why, now_ns);
    }
}

static void start_step(struct mgc_attempt_run *run, size_t i, int64_t now_ns)
{
    const struct mgc_step *step = step_of(run, i);
    char label[256];
    snprintf(label, sizeof(label), "%s %s", run->view.cell->id, step->id);
    run->runs[i].task_id = mgc_random_id();
    struct mgc_msg msg = {
        .kind = MGC_MSG_TASK,
        .task = {.task_id = run->runs[i].task_id,
            .kind = step->kind,
            .label = label,
            .deadline_ms = step->deadline_ms,
            .params = step->params,
            .secrets = step->secrets},
    };
    run->steps[i].state = MGC_STEP_SENT;
    run->steps[i].start_ns = now_ns;
    int64_t time_ms = step->holds && step->ready_ms ? step->ready_ms : step->deadline_ms;
    run->runs[i].deadline_ns = now_ns + (time_ms + SENT_MARGIN_MS) * MGC_NS_PER_MS;
    run->ops->step_sent(run->user, step, run->runs[i].task_id);
    mgc_attempt_tell(run, MGC_PROGRESS_STEP, i, NULL);
    if (!run->ops->send(run->user, step->role, &msg))
        fail_unsent(run, i, "the task", now_ns);
}

static void finish_step(struct mgc_attempt_run *run, size_t i, int64_t now_ns)
{
    run->steps[i].state = MGC_STEP_FINISHING;
    run->runs[i].deadline_ns = now_ns + STOP_MARGIN_MS * MGC_NS_PER_MS;
    mgc_attempt_tell(run, MGC_PROGRESS_STEP, i, NULL);
    send_ref(run, i, MGC_MSG_FINISH, "", now_ns);
    mgc_attempt_hurry(run, i, now_ns);
}

void mgc_attempt_is_ready(struct mgc_attempt_run *run, size_t i)
{
    run->steps[i].state = MGC_STEP_READY;
    run->runs[i].deadline_ns =
        run->steps[i].start_ns + (step_of(run, i)->deadline_ms + SENT_MARGIN_MS) * MGC_NS_PER_MS;
}

void mgc_attempt_hurry(struct mgc_attempt_run *run, size_t i, int64_t now_ns)
{
    if (run->view.interrupted && run->steps[i].state == MGC_STEP_FINISHING)
        run->runs[i].hurry_ns = now_ns + HURRY_MS * MGC_NS_PER_MS;
}

void mgc_attempt_cancel_step(
    struct mgc_attempt_run *run, size_t i, const char *reason, int64_t now_ns)
{
    if (run->runs[i].cancelled)
        return;
    run->runs[i].cancelled = true;
    send_ref(run, i, MGC_MSG_CANCEL, reason, now_ns);
}

/* ---- how things end ---- */

static bool is_infrastructure(enum mgc_code code)
{
    return code == MGC_E_LOST || code == MGC_E_STALE || code == MGC_E_UNREACHABLE ||
           code == MGC_E_BUSY;
}

void mgc_attempt_begin_stop(struct mgc_attempt_run *run, const struct mgc_error *why,
    const char *failed_step, int64_t now_ns)
{
    if (run->state == MGC_ATTEMPT_STOPPING || mgc_attempt_is_over(run))
        return;
    run->state = MGC_ATTEMPT_STOPPING;
    run->stop_deadline_ns = now_ns + STOP_MARGIN_MS * MGC_NS_PER_MS;
    if (!why)
        return;
    run->view.error = *why;
    run->view.failed_step = failed_step;
    run->view.infrastructure = is_infrastructure(why->code);
}

/* Members that will never come: whoever waits is told at once, and by whose fault. */
static void leave_barrier(
    struct mgc_attempt_run *run, size_t i, const struct mgc_error *why, int64_t now_ns)
{
    const struct mgc_step *step = step_of(run, i);
    struct mgc_barrier *barrier = step->barrier ? mgc_attempt_barrier(run, step->barrier) : NULL;
    if (!barrier)
        return;
    struct mgc_error told;
    mgc_error_set(
        &told, why->code, "barrier '%s': step '%s' failed: %s", barrier->name, step->id, why->text);
    mgc_attempt_break_barrier(run, barrier, &told, now_ns);
}

void mgc_attempt_fail_step(
    struct mgc_attempt_run *run, size_t i, const struct mgc_error *why, int64_t now_ns)
{
    const struct mgc_step *step = step_of(run, i);
    run->steps[i].state = MGC_STEP_FAILED;
    run->steps[i].error = *why;
    run->steps[i].end_ns = now_ns;
    mgc_attempt_tell(run, MGC_PROGRESS_STEP, i, NULL);
    leave_barrier(run, i, why, now_ns);
    if (step->best_effort)
        return;
    struct mgc_error named = *why;
    mgc_error_prefix(&named, "step '%s' (%s)", step->id, step->kind);
    mgc_attempt_begin_stop(run, &named, step->id, now_ns);
}

static bool dep_met(const struct mgc_attempt_run *run, const struct mgc_dep *dep)
{
    enum mgc_step_state state = run->steps[dep->step].state;
    return dep->kind == MGC_DEP_READY ? state == MGC_STEP_READY : state == MGC_STEP_DONE;
}

static bool deps_met(const struct mgc_attempt_run *run, size_t i)
{
    const struct mgc_step *step = step_of(run, i);
    for (size_t d = 0; d < step->dep_count; d++) {
        if (!dep_met(run, &step->deps[d]))
            return false;
    }
    return true;
}

/* A best-effort step that failed leaves those that wait on it without hope. */
static bool deps_hopeless(const struct mgc_attempt_run *run, size_t i)
{
    const struct mgc_step *step = step_of(run, i);
    for (size_t d = 0; d < step->dep_count; d++) {
        if (mgc_step_has_ended(run->steps[step->deps[d].step].state) &&
            !dep_met(run, &step->deps[d]))
            return true;
    }
    return false;
}

static bool is_waited_for(const struct mgc_attempt_run *run, size_t i)
{
    for (size_t other = 0; other < step_count(run); other++) {
        const struct mgc_step *step = step_of(run, other);
        for (size_t d = 0; d < step->dep_count; d++) {
            if (step->deps[d].step == i && !mgc_step_has_ended(run->steps[other].state))
                return true;
        }
    }
    return false;
}

static void skip_step(struct mgc_attempt_run *run, size_t i, int64_t now_ns)
{
    run->steps[i].state = MGC_STEP_SKIPPED;
    run->steps[i].end_ns = now_ns;
}

static bool keeps_holding(const struct mgc_attempt_run *run)
{
    return run->view.cell->kind == MGC_CELL_SETUP && run->state != MGC_ATTEMPT_STOPPING;
}

/* ---- the heart: what can happen now ---- */

static void advance_step(struct mgc_attempt_run *run, size_t i, int64_t now_ns)
{
    bool stopping = run->state == MGC_ATTEMPT_STOPPING;
    switch (run->steps[i].state) {
    case MGC_STEP_PENDING:
        if (stopping || deps_hopeless(run, i))
            skip_step(run, i, now_ns);
        else if (deps_met(run, i))
            start_step(run, i, now_ns);
        break;
    case MGC_STEP_SENT:
        if (stopping)
            mgc_attempt_cancel_step(run, i, run->view.error.text, now_ns);
        break;
    case MGC_STEP_READY:
        if (!is_waited_for(run, i) && !keeps_holding(run))
            finish_step(run, i, now_ns);
        break;
    case MGC_STEP_FINISHING:
    case MGC_STEP_DONE:
    case MGC_STEP_FAILED:
    case MGC_STEP_SKIPPED:
        break;
    }
}

/* A sum of states that only grows: advance until it stands still. */
static size_t progress_mark(const struct mgc_attempt_run *run)
{
    size_t mark = (size_t)run->state;
    for (size_t i = 0; i < step_count(run); i++)
        mark += (size_t)run->steps[i].state * 16;
    return mark;
}

static void conclude(struct mgc_attempt_run *run, int64_t now_ns)
{
    bool all_ended = true, settled = true;
    for (size_t i = 0; i < step_count(run); i++) {
        enum mgc_step_state state = run->steps[i].state;
        all_ended = all_ended && mgc_step_has_ended(state);
        settled = settled && (mgc_step_has_ended(state) || state == MGC_STEP_READY);
    }
    bool good = run->view.error.code == MGC_OK;
    if (settled && good && run->state == MGC_ATTEMPT_RUNNING && keeps_holding(run)) {
        run->view.completed = true; /* also a setup in which nothing holds */
        run->state = MGC_ATTEMPT_SETTLED;
    } else if (all_ended) {
        run->view.completed = good;
        run->state = MGC_ATTEMPT_ENDED;
    } else {
        return;
    }
    run->view.end_ns = now_ns;
    run->view.end_wall_ns = mgc_wall_ns();
}

/* False: one could not be told, so those after it are not let go either; the ones before it end
 * with the attempt. */
static bool release_members(
    struct mgc_attempt_run *run, const struct mgc_barrier *barrier, int64_t now_ns)
{
    const struct mgc_error *failure = NULL;
    for (size_t m = 0; m < barrier->count; m++) {
        const struct mgc_step_outcome *outcome = &run->steps[barrier->members[m].step];
        send_release(run, barrier, m, failure, now_ns);
        if (!failure && outcome->state == MGC_STEP_FAILED)
            failure = &outcome->error;
    }
    return !failure;
}

static void release_barriers(struct mgc_attempt_run *run, int64_t now_ns)
{
    run->recheck_ns = MGC_NEVER;
    for (size_t b = 0; b < run->barrier_count; b++) {
        struct mgc_barrier *barrier = &run->barriers[b];
        if (barrier->state != MGC_BARRIER_GATHERING || !mgc_barrier_complete(barrier))
            continue;
        if (!mgc_barrier_release(barrier, run->ops, run->user, now_ns)) {
            run->recheck_ns = now_ns + CLOCK_RECHECK_MS * MGC_NS_PER_MS;
            continue;
        }
        if (!release_members(run, barrier, now_ns))
            continue;
        run->view.release = barrier->release;
        mgc_attempt_tell(run, MGC_PROGRESS_RELEASED, MGC_NO_STEP, NULL);
    }
}

void mgc_attempt_advance(struct mgc_attempt_run *run, int64_t now_ns)
{
    size_t before;
    if (mgc_attempt_is_over(run))
        return;
    do {
        before = progress_mark(run);
        for (size_t i = 0; i < step_count(run); i++)
            advance_step(run, i, now_ns);
        release_barriers(run, now_ns); /* one that cannot be sent fails its member */
    } while (progress_mark(run) != before);
    conclude(run, now_ns);
}
