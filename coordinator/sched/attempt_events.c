/* What arrives from outside during an attempt: messages, results, lost workers, time. */
#include "coordinator/sched/attempt.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/text.h"
#include "coordinator/sched/attempt_private.h"

static bool find_task(
    const struct mgc_attempt_run *run, enum mgc_role role, uint64_t task_id, size_t *ret_step)
{
    if (mgc_attempt_is_over(run) || task_id == 0)
        return false;
    for (size_t i = 0; i < step_count(run); i++) {
        if (run->runs[i].task_id == task_id && step_of(run, i)->role == role) {
            *ret_step = i;
            return true;
        }
    }
    return false;
}

static void on_ready(struct mgc_attempt_run *run, size_t i, const struct mgc_fields *fields)
{
    if (!step_of(run, i)->holds || run->steps[i].state != MGC_STEP_SENT)
        return;
    mgc_attempt_is_ready(run, i);
    mgc_fields_copy(&run->steps[i].ready, fields);
}

/* "1024 of 4096 bytes of the trace", from an event that tells how far something is. */
static bool put_amount(const struct mgc_fields *fields, char *ret_text, size_t size)
{
    const char *unit = mgc_fields_get_str(fields, "unit");
    int64_t done, total;
    if (!mgc_fields_get_int(fields, "done", &done))
        return false;
    if (mgc_fields_get_int(fields, "total", &total))
        snprintf(
            ret_text, size, "%lld of %lld %s", (long long)done, (long long)total, unit ? unit : "");
    else
        snprintf(ret_text, size, "%lld %s", (long long)done, unit ? unit : "");
    return true;
}

/* "waiting for 5.0 to 38.0 C, battery 48.0 C" or "fixtures: 1024 of 4096 bytes". */
static bool put_said(
    const char *step, const char *name, const char *detail, char *ret_said, size_t size)
{
    bool waiting = strcmp(name, "waiting") == 0;
    if (!detail || (!waiting && strcmp(name, "progress") != 0))
        return false;
    snprintf(ret_said, size, "%s%s %s", waiting ? name : step, waiting ? "" : ":", detail);
    mgc_text_one_line(ret_said);
    return true;
}

static void on_event(struct mgc_attempt_run *run, size_t i, const struct mgc_msg_event *event)
{
    const char *detail = mgc_fields_get_str(&event->fields, "name");
    if (!detail)
        detail = mgc_fields_get_str(&event->fields, "text");
    char amount[96] = "", line[512], said[128];
    if (!detail && put_amount(&event->fields, amount, sizeof(amount)))
        detail = amount;
    snprintf(line, sizeof(line), "%s %s: %s%s%s", run->view.cell->id, step_of(run, i)->id,
        event->name, detail ? " " : "", detail ? detail : "");
    mgc_text_one_line(line); /* a worker's or a phone's words */
    if (strcmp(event->name, "ready") == 0)
        on_ready(run, i, &event->fields);
    bool has_said = put_said(step_of(run, i)->id, event->name, detail, said, sizeof(said));
    mgc_attempt_tell_said(run, i, line, has_said ? said : NULL);
}

static struct mgc_barrier *barrier_of(struct mgc_attempt_run *run, size_t i, const char *name)
{
    const struct mgc_step *step = step_of(run, i);
    if (!step->barrier || strcmp(step->barrier, name) != 0)
        return NULL;
    return mgc_attempt_barrier(run, name);
}

static void on_arrive(struct mgc_attempt_run *run, size_t i, const char *name, int64_t now_ns)
{
    struct mgc_barrier *barrier = barrier_of(run, i, name);
    if (barrier && mgc_barrier_arrive(barrier, i, now_ns)) {
        mgc_attempt_tell(run, MGC_PROGRESS_ARRIVED, i, NULL);
        return;
    }
    /* Whoever waits at a barrier that is not there, or is over, must not wait for ever. */
    struct mgc_msg msg = {
        .kind = MGC_MSG_RELEASE,
        .barrier = {.task_id = run->runs[i].task_id,
            .name = (char *)name,
            .code = MGC_E_FAILED,
            .text = (char *)"barrier is over or not in the plan"},
    };
    run->ops->send(run->user, step_of(run, i)->role, &msg);
}

static void on_released(struct mgc_attempt_run *run, size_t i, const struct mgc_msg_barrier *told)
{
    struct mgc_barrier *barrier = barrier_of(run, i, told->name);
    if (!barrier || told->code != MGC_OK)
        return; /* a late one also fails its task, and that counts */
    mgc_barrier_report(barrier, i, told->actual_ns);
    run->view.release = barrier->release;
}

bool mgc_attempt_message(
    struct mgc_attempt_run *run, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns)
{
    size_t i;
    uint64_t task_id = msg->kind == MGC_MSG_EVENT ? msg->event.task_id : msg->barrier.task_id;
    if (!find_task(run, role, task_id, &i))
        return false;
    if (!mgc_step_is_running(run->steps[i].state))
        return true;
    if (msg->kind == MGC_MSG_EVENT)
        on_event(run, i, &msg->event);
    else if (msg->kind == MGC_MSG_ARRIVE)
        on_arrive(run, i, msg->barrier.name, now_ns);
    else if (msg->kind == MGC_MSG_RELEASED)
        on_released(run, i, &msg->barrier);
    mgc_attempt_advance(run, now_ns);
    return true;
}

static void keep_outcome(struct mgc_step_outcome *outcome, const struct mgc_msg_result *result)
{
    bool cut_off; /* a crash of its worker ended it (common/task/started.c) */
    mgc_fields_copy(&outcome->facts, &result->facts);
    if (mgc_fields_get_bool(&result->facts, "interrupted", &cut_off) && cut_off)
        outcome->lost = MGC_LOST_WORKER;
    outcome->undo_done = result->undo_done;
    outcome->undo_failed = result->undo_failed;
    if (result->undo_failed && result->undo_text && !outcome->undo_text)
        outcome->undo_text = strdup(result->undo_text);
}

static void judge_result(struct mgc_attempt_run *run, size_t i, const struct mgc_msg_result *result,
    const struct mgc_error *storage, int64_t now_ns)
{
    enum mgc_step_state before = run->steps[i].state;
    struct mgc_error why;
    if (result->code != MGC_OK)
        mgc_error_set(&why, result->code, "%s", result->text);
    else if (storage && storage->code != MGC_OK)
        why = *storage;
    else if (before == MGC_STEP_READY)
        mgc_error_set(&why, MGC_E_FAILED, "ended before it was told to finish");
    else {
        run->steps[i].state = MGC_STEP_DONE;
        run->steps[i].end_ns = now_ns;
        mgc_attempt_tell(run, MGC_PROGRESS_STEP, i, NULL);
        return;
    }
    mgc_attempt_fail_step(run, i, &why, now_ns);
}

bool mgc_attempt_result(struct mgc_attempt_run *run, enum mgc_role role,
    const struct mgc_msg_result *result, const struct mgc_error *storage, int64_t now_ns)
{
    size_t i;
    if (!find_task(run, role, result->task_id, &i))
        return false;
    if (!mgc_step_is_running(run->steps[i].state))
        return true;
    keep_outcome(&run->steps[i], result);
    judge_result(run, i, result, storage, now_ns);
    mgc_attempt_advance(run, now_ns);
    return true;
}

void mgc_attempt_worker_lost(
    struct mgc_attempt_run *run, enum mgc_role role, const struct mgc_error *why, int64_t now_ns)
{
    if (mgc_attempt_is_over(run))
        return;
    struct mgc_error lost;
    mgc_error_set(&lost, MGC_E_LOST, "worker lost: %s", why->text);
    for (size_t i = 0; i < step_count(run); i++) {
        if (step_of(run, i)->role != role || !mgc_step_is_running(run->steps[i].state))
            continue;
        run->steps[i].lost = MGC_LOST_WORKER;
        mgc_attempt_fail_step(run, i, &lost, now_ns);
    }
    mgc_attempt_advance(run, now_ns);
}

void mgc_attempt_stop(
    struct mgc_attempt_run *run, const struct mgc_error *why, bool interrupted, int64_t now_ns)
{
    if (mgc_attempt_is_over(run))
        return;
    mgc_attempt_begin_stop(run, why, NULL, now_ns);
    bool first = interrupted && !run->view.interrupted;
    run->view.interrupted = run->view.interrupted || interrupted;
    for (size_t i = 0; first && i < step_count(run); i++)
        mgc_attempt_hurry(run, i, now_ns);
    for (size_t b = 0; why && b < run->barrier_count; b++)
        mgc_attempt_break_barrier(run, &run->barriers[b], why, now_ns);
    mgc_attempt_advance(run, now_ns);
}

/* ---- time ---- */

static void tick_barrier(struct mgc_attempt_run *run, struct mgc_barrier *barrier, int64_t now_ns)
{
    bool half = mgc_barrier_half_time(barrier, now_ns);
    bool expired = mgc_barrier_expired(barrier, now_ns);
    if (!half && !expired)
        return;
    if (mgc_barrier_complete(barrier)) {
        struct mgc_error why;
        mgc_error_set(
            &why, MGC_E_TIMEOUT, "barrier '%s': a member's clock is still unknown", barrier->name);
        if (expired)
            mgc_attempt_stop(run, &why, false, now_ns);
        return;
    }
    char missing[256] = "";
    for (size_t m = 0; m < barrier->count; m++) {
        size_t len = strlen(missing);
        if (!barrier->members[m].arrived)
            snprintf(missing + len, sizeof(missing) - len, "%s%s", len ? ", " : "",
                step_of(run, barrier->members[m].step)->id);
    }
    struct mgc_error why;
    mgc_error_set(&why, MGC_E_TIMEOUT, "barrier '%s': %s did not arrive within %lld s",
        barrier->name, missing, (long long)(barrier->timeout_ns / MGC_NS_PER_S));
    if (expired) {
        mgc_attempt_stop(run, &why, false, now_ns);
        return;
    }
    char line[512];
    snprintf(line, sizeof(line), "%s barrier '%s': half of the time is gone, still missing: %s",
        run->view.cell->id, barrier->name, missing);
    mgc_attempt_tell(run, MGC_PROGRESS_NOTE, MGC_NO_STEP, line);
}

static bool hurries(const struct mgc_attempt_run *run, size_t i)
{
    return run->runs[i].hurry_ns && !run->runs[i].cancelled &&
           run->steps[i].state == MGC_STEP_FINISHING;
}

static void tick_step(struct mgc_attempt_run *run, size_t i, int64_t now_ns)
{
    int64_t deadline_ns = run->runs[i].deadline_ns;
    if (run->state == MGC_ATTEMPT_STOPPING)
        deadline_ns = mgc_deadline_min(deadline_ns, run->stop_deadline_ns);
    if (hurries(run, i) && now_ns >= run->runs[i].hurry_ns)
        mgc_attempt_cancel_step(run, i, run->view.error.text, now_ns);
    if (!mgc_step_is_running(run->steps[i].state) || now_ns < deadline_ns)
        return;
    struct mgc_error why;
    mgc_error_set(&why, MGC_E_TIMEOUT, "no %s from the worker by the deadline (state %s)",
        step_of(run, i)->holds && run->steps[i].state == MGC_STEP_SENT ? "'ready'" : "result",
        mgc_step_state_name(run->steps[i].state));
    mgc_attempt_fail_step(run, i, &why, now_ns);
    mgc_attempt_cancel_step(run, i, why.text, now_ns);
}

void mgc_attempt_tick(struct mgc_attempt_run *run, int64_t now_ns)
{
    if (mgc_attempt_is_over(run))
        return;
    for (size_t b = 0; b < run->barrier_count; b++)
        tick_barrier(run, &run->barriers[b], now_ns);
    for (size_t i = 0; i < step_count(run); i++)
        tick_step(run, i, now_ns);
    mgc_attempt_advance(run, now_ns);
}

int64_t mgc_attempt_due(const struct mgc_attempt_run *run)
{
    if (mgc_attempt_is_over(run))
        return MGC_NEVER;
    int64_t due_ns = run->recheck_ns;
    for (size_t b = 0; b < run->barrier_count; b++)
        due_ns = mgc_deadline_min(due_ns, mgc_barrier_due(&run->barriers[b]));
    for (size_t i = 0; i < step_count(run); i++) {
        if (mgc_step_is_running(run->steps[i].state))
            due_ns = mgc_deadline_min(due_ns, run->runs[i].deadline_ns);
        if (hurries(run, i))
            due_ns = mgc_deadline_min(due_ns, run->runs[i].hurry_ns);
    }
    if (run->state == MGC_ATTEMPT_STOPPING)
        due_ns = mgc_deadline_min(due_ns, run->stop_deadline_ns);
    return due_ns;
}
