#include "coordinator/progress/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

struct mgc_cell_time {
    int64_t took_ns; /* of its last attempt, when that ended well; 0: none did */
    size_t place;    /* among the measured cells that do not confirm, from 1; itself counts */
    bool done;
};

static bool is_measured(const struct mgc_progress_view *view, size_t at)
{
    return view->plan->cells[at].kind == MGC_CELL_MEASURE;
}

/* Confirming cells count once they are run. */
static bool is_counted(const struct mgc_progress_view *view, size_t at)
{
    const struct mgc_cell_time *time = &view->times[at];
    return is_measured(view, at) &&
           (!view->plan->cells[at].confirm || !time->done || time->took_ns > 0);
}

static size_t kind_of(const struct mgc_progress_view *view, size_t at)
{
    return mgc_estimates_kind_of(view->estimates, &view->plan->cells[at]);
}

/* The cell's part in the sums, taken out or put in again: a status is asked for several times per
 * cell, and a plan may have ten thousand of them. */
static void weigh(struct mgc_progress_view *view, size_t at, int sign)
{
    view->counted += (size_t)(sign * is_counted(view, at));
    if (is_measured(view, at) && !view->times[at].done)
        view->left[kind_of(view, at)] += (size_t)sign;
}

static void set_time(struct mgc_progress_view *view, size_t at, bool done, int64_t took_ns)
{
    weigh(view, at, -1);
    view->times[at].done = done;
    view->times[at].took_ns = took_ns;
    weigh(view, at, 1);
}

static void begin_time(struct mgc_progress_view *view, size_t at, size_t place)
{
    view->times[at] = (struct mgc_cell_time){
        .place = place,
        .done = view->plan->cells[at].confirm, /* until it turns out that it is run */
    };
    weigh(view, at, 1);
}

bool mgc_progress_view_init(struct mgc_progress_view *view, const struct mgc_plan *plan,
    struct mgc_estimates *estimates, int64_t now_ns, struct mgc_error *err)
{
    size_t place = 0;
    *view = (struct mgc_progress_view){.plan = plan,
        .estimates = estimates,
        .start_ns = now_ns,
        .times = calloc(plan->cell_count + 1, sizeof(*view->times)),
        .left = calloc(mgc_estimates_kinds(estimates) + 1, sizeof(*view->left))};
    if (!view->times || !view->left) {
        mgc_progress_view_destroy(view);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to follow the run");
    }
    for (size_t i = 0; i < plan->cell_count; i++) {
        place += is_measured(view, i) && !plan->cells[i].confirm;
        begin_time(view, i, place);
    }
    return true;
}

void mgc_progress_view_destroy(struct mgc_progress_view *view)
{
    if (!view)
        return;
    free(view->times);
    free(view->left);
    *view = (struct mgc_progress_view){0};
}

/* ---- events ---- */

__attribute__((format(printf, 2, 3))) static void set_phase(
    struct mgc_progress_view *view, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(view->phase, sizeof(view->phase), fmt, args);
    va_end(args);
}

static size_t index_of(const struct mgc_progress_view *view, const struct mgc_cell *cell)
{
    return (size_t)(cell - view->plan->cells);
}

void mgc_progress_view_kept(struct mgc_progress_view *view, const struct mgc_cell *cell)
{
    size_t at = index_of(view, cell);
    set_time(view, at, true, view->times[at].took_ns);
}

/* As people count: from 1, of those that are run. Confirming cells stand together at the end. */
static size_t number_of(const struct mgc_progress_view *view, size_t at)
{
    size_t number = view->times[at].place;
    for (size_t i = at + 1; i > 0 && view->plan->cells[i - 1].confirm; i--)
        number += is_counted(view, i - 1);
    return is_measured(view, at) ? number : 0;
}

static void begin(struct mgc_progress_view *view, const struct mgc_progress *event, int64_t now_ns)
{
    size_t at = index_of(view, event->cell);
    view->cell = event->cell;
    view->attempt = event->attempt;
    view->arrived = NULL;
    view->cell_start_ns = now_ns;
    set_time(view, at, false, view->times[at].took_ns);
    view->number = number_of(view, at);
    set_phase(view, "begins");
}

static void step(struct mgc_progress_view *view, const struct mgc_progress *event)
{
    bool changed = event->text == NULL; /* else the step only said something */
    switch (event->state) {
    case MGC_STEP_SENT:
        if (changed)
            set_phase(view, "%s: starting", event->step->id);
        else if (event->said)
            set_phase(view, "%s", event->said);
        break;
    case MGC_STEP_READY:
        set_phase(view, "%s: ready", event->step->id);
        break;
    case MGC_STEP_FINISHING:
        if (changed)
            set_phase(view, "collecting %s", event->step->id);
        break;
    case MGC_STEP_FAILED:
        set_phase(view, "%s failed, stopping", event->step->id);
        break;
    case MGC_STEP_PENDING:
    case MGC_STEP_DONE:
    case MGC_STEP_SKIPPED:
        break;
    }
}

static void end(struct mgc_progress_view *view, const struct mgc_progress *event, int64_t now_ns)
{
    int64_t took_ns = event->state == MGC_STEP_DONE ? now_ns - view->cell_start_ns : 0;
    set_time(view, index_of(view, event->cell), true, took_ns);
    mgc_estimates_add_run(view->estimates, event->cell, took_ns / MGC_NS_PER_MS);
    if (event->cell != view->cell)
        return;
    view->cell = NULL;
    view->attempt = 0;
    view->phase[0] = '\0';
}

void mgc_progress_view_take(
    struct mgc_progress_view *view, const struct mgc_progress *event, int64_t now_ns)
{
    /* The setup's steps live on beside the cells and end with the run: not what it is about. */
    bool of_other = event->cell && event->cell != view->cell;
    switch (event->kind) {
    case MGC_PROGRESS_WAITING:
        set_phase(view, "waiting for a worker");
        break;
    case MGC_PROGRESS_BEGIN:
        begin(view, event, now_ns);
        break;
    case MGC_PROGRESS_STEP:
        if (!of_other)
            step(view, event);
        break;
    case MGC_PROGRESS_ARRIVED:
        view->arrived = event->step;
        set_phase(view, "barrier");
        break;
    case MGC_PROGRESS_RELEASED:
        set_phase(view, "%s", view->arrived ? view->arrived->id : "running");
        break;
    case MGC_PROGRESS_END:
        end(view, event, now_ns);
        break;
    case MGC_PROGRESS_NOTE:
    case MGC_PROGRESS_VERDICT:
        break;
    }
}

/* ---- the estimate ---- */

static int64_t left_ns(const struct mgc_progress_view *view, int64_t now_ns)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < mgc_estimates_kinds(view->estimates); i++) {
        struct mgc_estimate estimate = mgc_estimate_of_kind(view->estimates, i);
        if (view->left[i] && estimate.source == MGC_ESTIMATE_NONE)
            return -1;
        sum_ns += (int64_t)view->left[i] * estimate.ms * MGC_NS_PER_MS;
    }
    if (view->cell && view->cell->kind == MGC_CELL_MEASURE) {
        int64_t whole_ns = mgc_estimate_of(view->estimates, view->cell).ms * MGC_NS_PER_MS;
        int64_t gone_ns = now_ns - view->cell_start_ns;
        sum_ns -= gone_ns < whole_ns ? gone_ns : whole_ns;
    }
    return sum_ns;
}

struct mgc_status mgc_progress_view_status(const struct mgc_progress_view *view, int64_t now_ns)
{
    struct mgc_status status = {
        .index = view->cell ? view->number : 0,
        .cells = view->counted,
        .attempt = view->attempt,
        .cell_ns = view->cell ? now_ns - view->cell_start_ns : -1,
        .run_ns = now_ns - view->start_ns,
        .left_ns = left_ns(view, now_ns),
    };
    memcpy(status.phase, view->phase, sizeof(status.phase));
    if (view->cell)
        snprintf(status.cell, sizeof(status.cell), "%s", view->cell->id);
    return status;
}
