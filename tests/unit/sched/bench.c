#include "tests/unit/sched/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/lib/check.h"

/* ---- the plan ---- */

static struct mgc_step step(const char *id, enum mgc_role role, bool holds, const char *barrier)
{
    char kind[64];
    snprintf(kind, sizeof(kind), "%s.%s", mgc_role_name(role), id);
    return (struct mgc_step){
        .id = strdup(id),
        .kind = strdup(kind),
        .role = role,
        .deadline_ms = holds ? 600 * 1000 : 60 * 1000,
        .holds = holds,
        .barrier = barrier ? strdup(barrier) : NULL,
    };
}

static void depends(struct mgc_step *on, size_t other, enum mgc_dep_kind kind)
{
    on->deps[on->dep_count++] = (struct mgc_dep){.step = other, .kind = kind};
}

static struct mgc_cell cell(enum mgc_cell_kind kind, const char *id, size_t steps)
{
    return (struct mgc_cell){
        .kind = kind,
        .id = strdup(id),
        .lane = strdup("crosshost"),
        .steps = calloc(steps, sizeof(struct mgc_step)),
        .step_count = steps,
    };
}

static void make_plan(struct mgc_plan *plan, size_t cells)
{
    *plan = (struct mgc_plan){
        .name = strdup("test"),
        .run_id = strdup("run"),
        .cell_count = cells + 2,
        .cells = calloc(cells + 2, sizeof(struct mgc_cell)),
        .barrier_timeout_ms = 20 * 1000,
        .worker_timeout_ms = 30 * 1000,
        .retries_per_cell = 1,
        .lead_ms = 100,
    };
    struct mgc_cell *setup = &plan->cells[0];
    *setup = cell(MGC_CELL_SETUP, "setup", 3);
    setup->steps[0] = step("device", MGC_ROLE_HOST, false, NULL);
    setup->steps[1] = step("route", MGC_ROLE_WSL, true, NULL);
    setup->steps[2] = step("path", MGC_ROLE_WSL, false, NULL);
    depends(&setup->steps[2], 1, MGC_DEP_READY);
    for (size_t i = 0; i < cells; i++) {
        struct mgc_cell *c = &plan->cells[1 + i];
        char id[32];
        snprintf(id, sizeof(id), "cell%zu", i + 1);
        *c = cell(MGC_CELL_MEASURE, id, 3);
        c->steps[0] = step("logcat", MGC_ROLE_HOST, true, NULL);
        c->steps[1] = step("server", MGC_ROLE_HOST, true, "start");
        c->steps[2] = step("replay", MGC_ROLE_WSL, false, "start");
        depends(&c->steps[1], 0, MGC_DEP_READY);
        depends(&c->steps[2], 1, MGC_DEP_READY);
    }
    struct mgc_cell *close = &plan->cells[1 + cells];
    *close = cell(MGC_CELL_CLOSE, "close", 1);
    close->steps[0] = step("path2", MGC_ROLE_WSL, false, NULL);
}

/* ---- what the scheduler asks for ---- */

static const struct mgc_step *step_of_task(const struct bench *bench, uint64_t task_id)
{
    for (size_t i = 0; i < bench->task_count; i++) {
        if (bench->tasks[i].task_id == task_id)
            return bench->tasks[i].step;
    }
    fail_msg("no step has task %" PRIx64, task_id);
    return NULL;
}

static bool on_send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct bench *bench = user;
    if (!bench->online[role] ||
        (bench->unsent && msg->kind == bench->unsent && role == bench->unsent_role))
        return false;
    if (msg->kind == MGC_MSG_RELEASE) {
        const char *id = step_of_task(bench, msg->barrier.task_id)->id;
        mgc_buf_printf(&bench->log, "%s RELEASE %s %s\n", mgc_role_name(role), id,
            msg->barrier.code == MGC_OK ? "ok" : msg->barrier.text);
        bench->last_instant_ns[role] = msg->barrier.instant_ns;
        return true;
    }
    const char *name = msg->kind == MGC_MSG_TASK     ? "TASK"
                       : msg->kind == MGC_MSG_FINISH ? "FINISH"
                                                     : "CANCEL";
    uint64_t id = msg->kind == MGC_MSG_TASK ? msg->task.task_id : msg->task_ref.task_id;
    mgc_buf_printf(
        &bench->log, "%s %s %s\n", mgc_role_name(role), name, step_of_task(bench, id)->id);
    return true;
}

static bool on_offset(void *user, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct bench *bench = user;
    if (!bench->offset_known)
        return false;
    *ret_offset_ns = bench->offset_ns[role];
    *ret_uncertainty_ns = (role + 1) * MS;
    *ret_round_trip_ns = 2 * (role + 1) * MS;
    return true;
}

static bool on_begin(void *user, const struct mgc_cell *c, const struct mgc_cell *sake, int number,
    struct mgc_error *err)
{
    struct bench *bench = user;
    (void)sake; /* on_end tells it */
    if (bench->disk_full)
        return mgc_error_set(err, MGC_E_NO_SPACE, "disk full");
    mgc_buf_printf(&bench->log, "begin %s a%d\n", c->id, number);
    mgc_buf_printf(&bench->order, "begin %s a%d\n", c->id, number);
    return true;
}

static void on_sent(void *user, const struct mgc_step *s, uint64_t task_id)
{
    struct bench *bench = user;
    assert_true(bench->task_count < 64);
    bench->tasks[bench->task_count].step = s;
    bench->tasks[bench->task_count++].task_id = task_id;
}

static enum mgc_after on_end(void *user, const struct mgc_attempt *attempt, bool retry_possible)
{
    struct bench *bench = user;
    mgc_buf_printf(&bench->log, "end %s a%d %s%s%s\n", attempt->cell->id, attempt->number,
        attempt->completed ? "ok" : attempt->error.text,
        attempt->infrastructure ? " (infrastructure)" : "",
        attempt->interrupted ? " (interrupted)" : "");
    mgc_buf_printf(&bench->order, "end %s%s%s\n", attempt->cell->id, attempt->sake ? " for " : "",
        attempt->sake ? attempt->sake->id : "");
    bench->last_release = attempt->release;
    bench->last_lost = attempt->failed_step ? mgc_attempt_step(attempt, attempt->failed_step)->lost
                                            : attempt->lost;
    bench->last_retry_possible = retry_possible;
    if (bench->turn_count && bench->ends == bench->turns_at)
        assert_true(mgc_run_repeat(bench->run, bench->turns, bench->turn_count));
    bench->last_renewable = attempt->renewable;
    enum mgc_after after = bench->after[bench->ends++];
    return after;
}

static void on_holder(void *user, const struct mgc_step *s, const struct mgc_step_outcome *outcome)
{
    struct bench *bench = user;
    mgc_buf_printf(&bench->log, "holder %s %s\n", s->id, mgc_step_state_name(outcome->state));
}

static void on_progress(void *user, const struct mgc_progress *event)
{
    struct bench *bench = user;
    if (event->text &&
        (strstr(event->text, "half of the time") || strstr(event->text, "waiting for a slot")))
        mgc_buf_printf(&bench->log, "progress %s\n", event->text);
}

static void on_stopped(void *user, const char *why)
{
    struct bench *bench = user;
    mgc_buf_printf(&bench->log, "stopped: %s\n", why);
}

static bool on_turned_away(void *user, int64_t since_ns, char *ret_text, size_t size)
{
    struct bench *bench = user;
    if (!bench->turned_away || bench->turned_away_ns < since_ns)
        return false;
    snprintf(ret_text, size, "%s", bench->turned_away);
    return true;
}

static struct mgc_earlier on_earlier(void *user, const struct mgc_cell *c)
{
    const struct bench *bench = user;
    (void)c;
    return bench->earlier;
}

static bool on_left_out(void *user, const struct mgc_turn *turn)
{
    const struct bench *bench = user;
    return turn->cell == bench->left_out && turn->again == bench->left_out_again;
}

static bool on_slot_take(void *user, const struct mgc_cell *c, char *ret_who, size_t size)
{
    struct bench *bench = user;
    (void)c;
    snprintf(ret_who, size, "a slot");
    return !bench->slots || mgc_slots_take(bench->slots, "wsl", 1, bench, NULL);
}

static void on_slot_drop(void *user)
{
    struct bench *bench = user;
    if (bench->slots)
        mgc_slots_drop(bench->slots, bench);
}

static const struct mgc_run_ops ops = {
    .slot_take = on_slot_take,
    .slot_drop = on_slot_drop,
    .left_out = on_left_out,
    .send = on_send,
    .offset = on_offset,
    .earlier = on_earlier,
    .attempt_begin = on_begin,
    .step_sent = on_sent,
    .attempt_end = on_end,
    .holder_end = on_holder,
    .progress = on_progress,
    .stopped = on_stopped,
    .turned_away = on_turned_away,
};

/* ---- driving it ---- */

void bench_start(struct bench *bench, size_t cells)
{
    *bench = (struct bench){.now_ns = 1000 * SEC, .offset_known = true};
    bench->offset_ns[MGC_ROLE_HOST] = 5 * SEC;
    bench->offset_ns[MGC_ROLE_WSL] = -7 * SEC;
    make_plan(&bench->plan, cells);
    bench_restart(bench);
}

void bench_restart(struct bench *bench)
{
    mgc_run_free(bench->run);
    bench->run = mgc_run_new(&bench->plan, &ops, bench, NULL);
    assert_non_null(bench->run);
    mgc_run_begin(bench->run, bench->now_ns);
}

void bench_stop(struct bench *bench)
{
    mgc_run_free(bench->run);
    mgc_plan_destroy(&bench->plan);
    mgc_buf_destroy(&bench->log);
    mgc_buf_destroy(&bench->order);
}

void bench_join_all(struct bench *bench)
{
    bench->online[MGC_ROLE_HOST] = bench->online[MGC_ROLE_WSL] = true;
    mgc_run_worker_joined(bench->run, MGC_ROLE_HOST, bench->now_ns);
    mgc_run_worker_joined(bench->run, MGC_ROLE_WSL, bench->now_ns);
}

static uint64_t newest_task(const struct bench *bench, const char *id, enum mgc_role *ret_role)
{
    for (size_t i = bench->task_count; i-- > 0;) {
        if (strcmp(bench->tasks[i].step->id, id) == 0) {
            *ret_role = bench->tasks[i].step->role;
            return bench->tasks[i].task_id;
        }
    }
    fail_msg("step '%s' was never sent", id);
    return 0;
}

void bench_ready(struct bench *bench, const char *id)
{
    enum mgc_role role;
    struct mgc_msg msg = {.kind = MGC_MSG_EVENT};
    msg.event.task_id = newest_task(bench, id, &role);
    msg.event.name = (char *)"ready";
    mgc_run_message(bench->run, role, &msg, bench->now_ns);
}

void bench_fail(struct bench *bench, const char *id, enum mgc_code code, const char *text)
{
    enum mgc_role role;
    struct mgc_msg_result result = {.code = code, .text = (char *)text};
    result.task_id = newest_task(bench, id, &role);
    mgc_run_result(bench->run, role, &result, NULL, bench->now_ns);
}

void bench_done(struct bench *bench, const char *id)
{
    bench_fail(bench, id, MGC_OK, "");
}

void bench_arrive(struct bench *bench, const char *id)
{
    enum mgc_role role;
    struct mgc_msg msg = {.kind = MGC_MSG_ARRIVE};
    msg.barrier.task_id = newest_task(bench, id, &role);
    msg.barrier.name = (char *)"start";
    mgc_run_message(bench->run, role, &msg, bench->now_ns);
}

void bench_released(struct bench *bench, const char *id, int64_t late_ns)
{
    enum mgc_role role;
    struct mgc_msg msg = {.kind = MGC_MSG_RELEASED};
    msg.barrier.task_id = newest_task(bench, id, &role);
    msg.barrier.name = (char *)"start";
    msg.barrier.instant_ns = bench->last_instant_ns[role];
    msg.barrier.actual_ns = bench->last_instant_ns[role] + late_ns;
    mgc_run_message(bench->run, role, &msg, bench->now_ns);
}

void bench_pass(struct bench *bench, int64_t ns)
{
    int64_t end_ns = bench->now_ns + ns;
    for (int ticks = 0; mgc_run_due(bench->run) <= end_ns; ticks++) {
        assert_true(ticks < 1000); /* due must move on */
        int64_t due_ns = mgc_run_due(bench->run);
        if (bench->now_ns < due_ns)
            bench->now_ns = due_ns;
        mgc_run_tick(bench->run, bench->now_ns);
    }
    bench->now_ns = end_ns;
}

void assert_log(struct bench *bench, const char *expected)
{
    assert_string_equal(mgc_buf_text(&bench->log), expected);
    mgc_buf_clear(&bench->log);
}

void bench_settle(struct bench *bench)
{
    bench_done(bench, "device");
    bench_ready(bench, "route");
    bench_done(bench, "path");
}

void bench_go(struct bench *bench)
{
    bench_ready(bench, "logcat");
    bench_ready(bench, "server");
    bench_arrive(bench, "server");
    bench_arrive(bench, "replay");
    mgc_buf_clear(&bench->log);
}
