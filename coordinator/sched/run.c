#include "coordinator/sched/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/sched/attempt.h"

struct mgc_run {
    const struct mgc_plan *plan; /* borrowed */
    struct mgc_run_ops ops;
    void *user;
    bool joined[MGC_ROLE_COUNT];

    const struct mgc_cell *setup_cell; /* NULL: the plan has none */
    struct mgc_attempt_run setup;
    bool setup_settled;         /* and reported as such; its holding steps are in place */
    int setup_number;           /* attempts made, in this session of the run */
    int64_t setup_retries_left; /* until a cell has run its course on it: then all anew */

    struct mgc_turns turns;
    struct mgc_turn turn; /* whose it is; no cell: the next one is taken first */
    int tries;            /* attempts made in that turn */
    int uncounted;        /* of them: not against the cell's retries */
    struct mgc_attempt_run current;

    const struct mgc_cell *slot_for; /* has its slot, or waits for it; NULL: neither */
    int64_t waiting_since_ns;        /* for a worker that is not there; MGC_NEVER: not waiting */
    bool stopping;                   /* no further attempt begins */
    bool over;
};

/* ---- workers ---- */

static bool needs(const struct mgc_run *run, const struct mgc_cell *cell, enum mgc_role role)
{
    return mgc_cell_needs(cell, role) || (run->setup_cell && mgc_cell_needs(run->setup_cell, role));
}

static bool workers_present(
    const struct mgc_run *run, const struct mgc_cell *cell, enum mgc_role *ret_missing)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        if (needs(run, cell, (enum mgc_role)role) && !run->joined[role]) {
            *ret_missing = (enum mgc_role)role;
            return false;
        }
    }
    return true;
}

/* As people know it: by its name, where the plan has one. */
static void name_worker(const struct mgc_run *run, enum mgc_role role, char *ret_text, size_t size)
{
    const char *name = run->plan->workers[role];
    if (name)
        snprintf(ret_text, size, "worker '%s' (%s)", name, mgc_role_name(role));
    else
        snprintf(ret_text, size, "worker of role '%s'", mgc_role_name(role));
}

static int64_t worker_deadline_ns(const struct mgc_run *run)
{
    if (run->waiting_since_ns == MGC_NEVER)
        return MGC_NEVER;
    return run->waiting_since_ns + run->plan->worker_timeout_ms * MGC_NS_PER_MS;
}

static void tell(struct mgc_run *run, enum mgc_progress_kind kind, const struct mgc_cell *cell,
    int attempt, const char *text)
{
    struct mgc_progress event = {.kind = kind, .cell = cell, .attempt = attempt, .text = text};
    run->ops.progress(run->user, &event);
}

/* ---- slots: what cells of several phones would share ---- */

/* May the attempt begin, as far as other phones matter? */
static bool has_slot(struct mgc_run *run, const struct mgc_cell *cell)
{
    char who[128] = "", line[256];
    if (!run->ops.slot_take || !mgc_cell_loads_link(cell))
        return true;
    bool has = run->ops.slot_take(run->user, cell, who, sizeof(who));
    if (!has && run->slot_for != cell) {
        snprintf(line, sizeof(line), "%s: waiting for %s", cell->id, who);
        tell(run, MGC_PROGRESS_WAITING, NULL, 0, line);
    }
    run->slot_for = cell;
    return has;
}

static void drop_slot(struct mgc_run *run)
{
    if (run->slot_for)
        run->ops.slot_drop(run->user);
    run->slot_for = NULL;
}

/* It is for the attempt that is on, or for the cell that would begin if it had it. */
static bool wants_slot(const struct mgc_run *run)
{
    if (run->current.state != MGC_ATTEMPT_NONE)
        return true;
    return !run->stopping && run->turn.cell == run->slot_for &&
           run->waiting_since_ns == MGC_NEVER && (!run->setup_cell || run->setup_settled);
}

/* ---- beginning and ending attempts ---- */

/* Nothing more begins; whoever finds cells without a verdict can say why. */
static void stop_because(struct mgc_run *run, const char *why)
{
    run->stopping = true;
    run->ops.stopped(run->user, why);
}

static struct mgc_earlier earlier(const struct mgc_run *run, const struct mgc_cell *cell)
{
    return run->ops.earlier ? run->ops.earlier(run->user, cell) : (struct mgc_earlier){0};
}

/* nth: of this session of the run. */
static bool begin(struct mgc_run *run, struct mgc_attempt_run *attempt, const struct mgc_cell *cell,
    int nth, int64_t now_ns)
{
    struct mgc_error err = {0};
    char line[640];
    int number = earlier(run, cell).attempts + nth;
    const struct mgc_cell *sake = cell == run->setup_cell ? NULL : run->turn.sake;
    if (!run->ops.attempt_begin(run->user, cell, sake, number, &err) ||
        !mgc_attempt_init(attempt, run->plan, cell, number, &run->ops, run->user, now_ns, &err)) {
        snprintf(line, sizeof(line), "%s: cannot begin: %s", cell->id, err.text);
        tell(run, MGC_PROGRESS_NOTE, cell, number, line);
        stop_because(run, line);
        return false;
    }
    snprintf(line, sizeof(line), "%s: attempt %d", cell->id, number);
    tell(run, MGC_PROGRESS_BEGIN, cell, number, line);
    mgc_attempt_advance(attempt, now_ns);
    return true;
}

/* Somebody may have tried all the time: that is the worker to look at. */
static void never_joined(const struct mgc_run *run, enum mgc_role missing, struct mgc_error *why)
{
    char who[320];
    name_worker(run, missing, who, sizeof(who));
    mgc_error_set(why, MGC_E_LOST, "no %s joined within %lld s", who,
        (long long)(run->plan->worker_timeout_ms / 1000));
    if (run->ops.turned_away &&
        run->ops.turned_away(run->user, run->waiting_since_ns, who, sizeof(who)))
        mgc_error_set(why, MGC_E_LOST, "%s; turned away meanwhile: %s", why->text, who);
}

/* A worker that a cell needs never came: whose turn it was failed without having begun. That is
 * the setup's, unless it is in place, or the cell has been tried already. */
static void give_up_waiting(
    struct mgc_run *run, const struct mgc_cell *cell, enum mgc_role missing, int64_t now_ns)
{
    struct mgc_attempt_run attempt;
    struct mgc_error why;
    bool of_setup = run->setup_cell && !run->setup_settled && run->tries == 0;
    int number = of_setup ? ++run->setup_number : *mgc_turns_made(&run->turns, cell) + 1;
    if (of_setup)
        cell = run->setup_cell;
    number += earlier(run, cell).attempts;
    never_joined(run, missing, &why);
    stop_because(run, why.text);
    run->waiting_since_ns = MGC_NEVER;
    const struct mgc_cell *sake = of_setup ? NULL : run->turn.sake;
    if (!run->ops.attempt_begin(run->user, cell, sake, number, NULL) ||
        !mgc_attempt_init(&attempt, run->plan, cell, number, &run->ops, run->user, now_ns, NULL))
        return;
    attempt.view.lost = MGC_LOST_NOBODY_CAME;
    attempt.view.sake = sake;
    mgc_attempt_stop(&attempt, &why, false, now_ns); /* nothing was sent: ends at once */
    run->ops.attempt_end(run->user, &attempt.view, false);
    mgc_attempt_destroy(&attempt);
}

static bool is_holder_ended(const struct mgc_attempt_run *setup, size_t i)
{
    enum mgc_step_state state = setup->steps[i].state;
    return setup->view.cell->steps[i].holds && (state == MGC_STEP_DONE || state == MGC_STEP_FAILED);
}

static void report_holders(struct mgc_run *run)
{
    for (size_t i = 0; i < run->setup.view.cell->step_count; i++) {
        if (is_holder_ended(&run->setup, i))
            run->ops.holder_end(run->user, &run->setup.view.cell->steps[i], &run->setup.steps[i]);
    }
}

/* What held for the whole run no longer does: the cell that relied on it is worth nothing. */
static void stop_current_for_setup(struct mgc_run *run, int64_t now_ns)
{
    if (run->current.state == MGC_ATTEMPT_NONE || run->setup.view.error.code == MGC_OK)
        return;
    struct mgc_error why;
    mgc_error_set(&why, MGC_E_LOST, "setup no longer holds: %s", run->setup.view.error.text);
    run->current.view.lost = MGC_LOST_SETUP;
    mgc_attempt_stop(&run->current, &why, run->setup.view.interrupted, now_ns);
}

static void after_setup(struct mgc_run *run, enum mgc_after after)
{
    if (after == MGC_AFTER_AGAIN && run->setup_retries_left > 0)
        run->setup_retries_left--;
    else
        run->stopping = true;
}

static void end_setup(struct mgc_run *run)
{
    if (run->setup_settled)
        report_holders(run);
    else
        after_setup(run, run->ops.attempt_end(run->user, &run->setup.view,
                             run->setup_retries_left > 0 && !run->stopping));
    if (run->setup_settled && !run->stopping) {
        after_setup(run, MGC_AFTER_AGAIN);
        if (run->stopping && run->setup.view.error.code) /* else the run is at its end */
            run->ops.stopped(run->user, run->setup.view.error.text);
    }
    run->setup_settled = false;
    mgc_attempt_destroy(&run->setup);
}

static void settle_setup(struct mgc_run *run)
{
    run->setup_settled = true;
    enum mgc_after after = run->ops.attempt_end(run->user, &run->setup.view, false);
    if (after != MGC_AFTER_NEXT)
        run->stopping = true;
}

/* Its holding steps finish as at the end of the run; then it begins anew, before the next cell. */
static void renew_setup(struct mgc_run *run, int64_t now_ns)
{
    if (run->stopping || !run->setup_settled)
        return;
    if (run->setup_retries_left == 0)
        stop_because(run, "setup would have to be made again, and its retries are used up");
    else
        mgc_attempt_stop(&run->setup, NULL, false, now_ns);
}

static void end_current(struct mgc_run *run, int64_t now_ns)
{
    int spent = run->turn.again ? 0 : earlier(run, run->current.view.cell).spent;
    int tried = spent + run->tries - run->uncounted;
    bool retry_possible = !run->stopping && tried <= run->plan->retries_per_cell;
    run->current.view.renewable =
        !run->stopping && run->setup_settled && run->setup_retries_left > 0;
    enum mgc_after after = run->ops.attempt_end(run->user, &run->current.view, retry_possible);
    /* A night is long: what is lost in its first hour and in its fifth are two things. */
    if (run->current.view.completed && after == MGC_AFTER_NEXT)
        run->setup_retries_left = run->plan->retries_per_cell;
    mgc_attempt_destroy(&run->current);
    drop_slot(run); /* a further attempt waits behind the others that do */
    if (after == MGC_AFTER_STOP)
        run->stopping = true;
    if (after >= MGC_AFTER_RENEW_NEXT)
        renew_setup(run, now_ns);
    if (after == MGC_AFTER_RENEW_UNCOUNTED) {
        run->uncounted++;
        return;
    }
    if ((after == MGC_AFTER_AGAIN || after == MGC_AFTER_RENEW_AGAIN) && retry_possible)
        return;
    run->turn = (struct mgc_turn){0};
    run->tries = run->uncounted = 0;
}

/* ---- whose turn it is ---- */

static bool has_next(const struct mgc_run *run)
{
    return !run->stopping && (run->turn.cell || mgc_turns_left(&run->turns));
}

/* Only a cell that has not begun can be left out. */
static bool leave_out_next(struct mgc_run *run)
{
    if (!run->turn.cell)
        run->turn = mgc_turns_take(&run->turns);
    if (run->tries > 0 || !run->ops.left_out || !run->ops.left_out(run->user, &run->turn))
        return false;
    run->turn = (struct mgc_turn){0};
    return true;
}

static void begin_next(struct mgc_run *run, int64_t now_ns)
{
    const struct mgc_cell *cell = run->turn.cell;
    enum mgc_role missing;
    if (!workers_present(run, cell, &missing)) {
        if (run->waiting_since_ns == MGC_NEVER) {
            char line[160], who[128];
            run->waiting_since_ns = now_ns;
            name_worker(run, missing, who, sizeof(who));
            snprintf(line, sizeof(line), "waiting for the %s", who);
            tell(run, MGC_PROGRESS_WAITING, NULL, 0, line);
        } else if (now_ns >= worker_deadline_ns(run)) {
            give_up_waiting(run, cell, missing, now_ns);
        }
        return;
    }
    run->waiting_since_ns = MGC_NEVER;
    if (run->setup_cell && !run->setup_settled) {
        begin(run, &run->setup, run->setup_cell, ++run->setup_number, now_ns);
        return;
    }
    if (!has_slot(run, cell))
        return;
    run->tries++;
    if (!begin(run, &run->current, cell, ++*mgc_turns_made(&run->turns, cell), now_ns))
        return;
    run->current.view.sake = run->turn.sake;
    if (run->setup_settled)
        run->current.view.setup = &run->setup.view;
}

bool mgc_run_repeat(struct mgc_run *run, const struct mgc_turn *turns, size_t count)
{
    return mgc_turns_put(&run->turns, turns, count);
}

static bool is_idle(const struct mgc_run *run)
{
    return run->current.state == MGC_ATTEMPT_NONE &&
           (run->setup.state == MGC_ATTEMPT_NONE || run->setup_settled);
}

/* One move; true when something changed and another look is due. */
static bool pump_once(struct mgc_run *run, int64_t now_ns)
{
    if (run->setup.state == MGC_ATTEMPT_SETTLED && !run->setup_settled) {
        settle_setup(run);
        return true;
    }
    if (run->setup.state == MGC_ATTEMPT_STOPPING && run->setup_settled)
        stop_current_for_setup(run, now_ns);
    if (run->current.state == MGC_ATTEMPT_ENDED) {
        end_current(run, now_ns);
        return true;
    }
    if (run->setup.state == MGC_ATTEMPT_ENDED && run->current.state == MGC_ATTEMPT_NONE) {
        end_setup(run);
        return true;
    }
    if (run->setup.state == MGC_ATTEMPT_ENDED) {
        stop_current_for_setup(run, now_ns);
        return false;
    }
    if (!is_idle(run) || run->setup.state == MGC_ATTEMPT_STOPPING)
        return false;
    if (has_next(run)) {
        if (leave_out_next(run))
            return true;
        begin_next(run, now_ns);
        return !is_idle(run) || !has_next(run);
    }
    if (run->setup.state == MGC_ATTEMPT_SETTLED) {
        mgc_attempt_stop(&run->setup, NULL, false, now_ns);
        return true;
    }
    run->over = run->setup.state == MGC_ATTEMPT_NONE;
    return false;
}

static void pump(struct mgc_run *run, int64_t now_ns)
{
    while (!run->over && pump_once(run, now_ns))
        ;
    if (run->slot_for && !wants_slot(run))
        drop_slot(run);
}

/* ---- public ---- */

struct mgc_run *mgc_run_new(
    const struct mgc_plan *plan, const struct mgc_run_ops *ops, void *user, struct mgc_error *err)
{
    struct mgc_run *run = calloc(1, sizeof(*run));
    if (!run) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run");
        return NULL;
    }
    run->plan = plan;
    run->ops = *ops;
    run->user = user;
    run->waiting_since_ns = MGC_NEVER;
    run->setup_retries_left = plan->retries_per_cell;
    if (plan->cell_count && plan->cells[0].kind == MGC_CELL_SETUP)
        run->setup_cell = &plan->cells[0];
    if (!mgc_turns_init(&run->turns, plan, run->setup_cell ? 1 : 0)) {
        free(run);
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run");
        return NULL;
    }
    return run;
}

void mgc_run_begin(struct mgc_run *run, int64_t now_ns)
{
    pump(run, now_ns);
}

void mgc_run_free(struct mgc_run *run)
{
    if (!run)
        return;
    drop_slot(run);
    mgc_attempt_destroy(&run->current);
    mgc_attempt_destroy(&run->setup);
    mgc_turns_destroy(&run->turns);
    free(run);
}

void mgc_run_worker_joined(struct mgc_run *run, enum mgc_role role, int64_t now_ns)
{
    run->joined[role] = true;
    pump(run, now_ns);
}

void mgc_run_worker_lost(
    struct mgc_run *run, enum mgc_role role, const struct mgc_error *why, int64_t now_ns)
{
    run->joined[role] = false;
    mgc_attempt_worker_lost(&run->current, role, why, now_ns);
    mgc_attempt_worker_lost(&run->setup, role, why, now_ns);
    pump(run, now_ns);
}

bool mgc_run_message(
    struct mgc_run *run, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns)
{
    bool ours = mgc_attempt_message(&run->current, role, msg, now_ns) ||
                mgc_attempt_message(&run->setup, role, msg, now_ns);
    if (ours)
        pump(run, now_ns);
    return ours;
}

void mgc_run_result(struct mgc_run *run, enum mgc_role role, const struct mgc_msg_result *result,
    const struct mgc_error *storage, int64_t now_ns)
{
    if (!mgc_attempt_result(&run->current, role, result, storage, now_ns))
        mgc_attempt_result(&run->setup, role, result, storage, now_ns);
    pump(run, now_ns);
}

void mgc_run_interrupt(struct mgc_run *run, int64_t now_ns)
{
    struct mgc_error why;
    mgc_error_set(&why, MGC_E_CANCELLED, "the user stopped the run");
    run->stopping = true;
    mgc_attempt_stop(&run->current, &why, true, now_ns);
    if (run->setup.state == MGC_ATTEMPT_RUNNING)
        mgc_attempt_stop(&run->setup, &why, true, now_ns);
    pump(run, now_ns);
}

void mgc_run_tick(struct mgc_run *run, int64_t now_ns)
{
    mgc_attempt_tick(&run->current, now_ns);
    mgc_attempt_tick(&run->setup, now_ns);
    pump(run, now_ns);
}

int64_t mgc_run_due(const struct mgc_run *run)
{
    int64_t due_ns = mgc_deadline_min(mgc_attempt_due(&run->current), mgc_attempt_due(&run->setup));
    return mgc_deadline_min(due_ns, worker_deadline_ns(run));
}

bool mgc_run_over(const struct mgc_run *run)
{
    return run->over;
}
