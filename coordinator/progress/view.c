#include "coordinator/progress/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

struct mgc_cell_time {
    int64_t typical_ns; /* 0: unknown */
    int64_t took_ns;    /* of its last attempt, when that ended well; 0: none did */
    bool done;
};

bool mgc_progress_view_init(struct mgc_progress_view *view, const struct mgc_plan *plan,
    const int64_t *typical_ms, int64_t now_ns, struct mgc_error *err)
{
    *view = (struct mgc_progress_view){.plan = plan, .start_ns = now_ns};
    view->times = calloc(plan->cell_count + 1, sizeof(*view->times));
    if (!view->times)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to follow the run");
    for (size_t i = 0; i < plan->cell_count; i++) {
        view->times[i].typical_ns = typical_ms[i] * MGC_NS_PER_MS;
        view->times[i].done = plan->cells[i].confirm; /* until it turns out that it is run */
    }
    return true;
}

void mgc_progress_view_destroy(struct mgc_progress_view *view)
{
    if (!view)
        return;
    free(view->times);
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

static struct mgc_cell_time *time_of(
    const struct mgc_progress_view *view, const struct mgc_cell *cell)
{
    return cell ? &view->times[cell - view->plan->cells] : NULL;
}

void mgc_progress_view_kept(struct mgc_progress_view *view, const struct mgc_cell *cell)
{
    time_of(view, cell)->done = true;
}

static void begin(struct mgc_progress_view *view, const struct mgc_progress *event, int64_t now_ns)
{
    view->cell = event->cell;
    view->attempt = event->attempt;
    view->arrived = NULL;
    view->cell_start_ns = now_ns;
    time_of(view, event->cell)->done = false;
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
    struct mgc_cell_time *time = time_of(view, event->cell);
    time->done = true;
    time->took_ns = event->state == MGC_STEP_DONE ? now_ns - view->cell_start_ns : 0;
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

static bool alike(const struct mgc_cell *a, const struct mgc_cell *b)
{
    return a->kind == MGC_CELL_MEASURE && b->kind == MGC_CELL_MEASURE && a->mode == b->mode &&
           strcmp(a->workload, b->workload) == 0;
}

static bool mean_of_like(
    const struct mgc_progress_view *view, const struct mgc_cell *cell, int64_t *ret_ns)
{
    int64_t sum_ns = 0, count = 0;
    for (size_t i = 0; i < view->plan->cell_count; i++) {
        if (view->times[i].took_ns > 0 && alike(&view->plan->cells[i], cell)) {
            sum_ns += view->times[i].took_ns;
            count++;
        }
    }
    if (count)
        *ret_ns = sum_ns / count;
    return count > 0;
}

/* How long cells took that are done, to what was expected of them; 1 before there is one. */
static double pace(const struct mgc_progress_view *view)
{
    double took = 0, typical = 0;
    for (size_t i = 0; i < view->plan->cell_count; i++) {
        const struct mgc_cell_time *time = &view->times[i];
        if (view->plan->cells[i].kind != MGC_CELL_MEASURE || !time->took_ns || !time->typical_ns)
            continue;
        took += (double)time->took_ns;
        typical += (double)time->typical_ns;
    }
    return typical > 0 ? took / typical : 1;
}

static int64_t left_ns(const struct mgc_progress_view *view, int64_t now_ns)
{
    int64_t sum_ns = 0;
    double factor = pace(view);
    for (size_t i = 0; i < view->plan->cell_count; i++) {
        const struct mgc_cell *cell = &view->plan->cells[i];
        int64_t one_ns = (int64_t)((double)view->times[i].typical_ns * factor);
        if (cell->kind != MGC_CELL_MEASURE || view->times[i].done)
            continue;
        if (!mean_of_like(view, cell, &one_ns) && one_ns == 0)
            return -1;
        if (cell == view->cell)
            one_ns -= now_ns - view->cell_start_ns;
        sum_ns += one_ns > 0 ? one_ns : 0;
    }
    return sum_ns;
}

/* Confirming cells count once they are run. */
static bool is_counted(const struct mgc_progress_view *view, size_t at)
{
    const struct mgc_cell *cell = &view->plan->cells[at];
    const struct mgc_cell_time *time = &view->times[at];
    return cell->kind == MGC_CELL_MEASURE && (!cell->confirm || !time->done || time->took_ns > 0);
}

struct mgc_status mgc_progress_view_status(const struct mgc_progress_view *view, int64_t now_ns)
{
    struct mgc_status status = {
        .attempt = view->attempt,
        .cell_ns = view->cell ? now_ns - view->cell_start_ns : -1,
        .run_ns = now_ns - view->start_ns,
        .left_ns = left_ns(view, now_ns),
    };
    memcpy(status.phase, view->phase, sizeof(status.phase));
    if (view->cell)
        snprintf(status.cell, sizeof(status.cell), "%s", view->cell->id);
    for (size_t i = 0; i < view->plan->cell_count; i++) {
        const struct mgc_cell *cell = &view->plan->cells[i];
        status.cells += is_counted(view, i);
        if (cell == view->cell && cell->kind == MGC_CELL_MEASURE)
            status.index = status.cells;
    }
    return status;
}
