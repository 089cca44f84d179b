#include "coordinator/progress/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

struct mgc_cell_time {
    int64_t typical_ns; /* 0: unknown */
    int64_t took_ns;    /* of its last attempt, when that ended well; 0: none did */
    size_t kind;        /* of those that take alike; measured cells only */
    size_t place;       /* among the measured cells that do not confirm, from 1; itself counts */
    bool done;
};

/* Sums over the measured cells of one kind, kept with each change: a status is asked for several
 * times per cell, and a plan may have ten thousand of them. */
struct mgc_kind_time {
    const struct mgc_cell *cell; /* the plan's first of it */
    int64_t took_ns;
    size_t took_count;
    double left_typical_ns;                 /* of those that are not done */
    size_t left_count, left_unknown;        /* of them without anything expected */
    double paced_took_ns, paced_typical_ns; /* of those that took a time and have a typical one */
};

static bool is_measured(const struct mgc_progress_view *view, size_t at)
{
    return view->plan->cells[at].kind == MGC_CELL_MEASURE;
}

static bool alike(const struct mgc_cell *a, const struct mgc_cell *b)
{
    return a->mode == b->mode && strcmp(a->workload, b->workload) == 0;
}

static size_t kind_of(struct mgc_progress_view *view, const struct mgc_cell *cell)
{
    size_t at = 0;
    while (at < view->kind_count && !alike(view->kinds[at].cell, cell))
        at++;
    if (at == view->kind_count)
        view->kinds[view->kind_count++].cell = cell;
    return at;
}

/* Confirming cells count once they are run. */
static bool is_counted(const struct mgc_progress_view *view, size_t at)
{
    const struct mgc_cell_time *time = &view->times[at];
    return is_measured(view, at) &&
           (!view->plan->cells[at].confirm || !time->done || time->took_ns > 0);
}

/* The cell's part in the sums, taken out or put in again. */
static void weigh(struct mgc_progress_view *view, size_t at, int sign)
{
    const struct mgc_cell_time *time = &view->times[at];
    struct mgc_kind_time *kind = &view->kinds[time->kind];
    view->counted += (size_t)(sign * is_counted(view, at));
    if (!is_measured(view, at))
        return;
    if (time->took_ns > 0) {
        kind->took_ns += sign * time->took_ns;
        kind->took_count += (size_t)sign;
        kind->paced_took_ns += time->typical_ns ? sign * (double)time->took_ns : 0;
        kind->paced_typical_ns += sign * (double)time->typical_ns;
    }
    if (!time->done) {
        kind->left_count += (size_t)sign;
        kind->left_unknown += (size_t)(sign * (time->typical_ns == 0));
        kind->left_typical_ns += sign * (double)time->typical_ns;
    }
}

static void set_time(struct mgc_progress_view *view, size_t at, bool done, int64_t took_ns)
{
    weigh(view, at, -1);
    view->times[at].done = done;
    view->times[at].took_ns = took_ns;
    weigh(view, at, 1);
}

static void begin_time(struct mgc_progress_view *view, size_t at, int64_t typical_ms, size_t place)
{
    const struct mgc_cell *cell = &view->plan->cells[at];
    view->times[at] = (struct mgc_cell_time){
        .typical_ns = typical_ms * MGC_NS_PER_MS,
        .kind = is_measured(view, at) ? kind_of(view, cell) : 0,
        .place = place,
        .done = cell->confirm, /* until it turns out that it is run */
    };
    weigh(view, at, 1);
}

bool mgc_progress_view_init(struct mgc_progress_view *view, const struct mgc_plan *plan,
    const int64_t *typical_ms, int64_t now_ns, struct mgc_error *err)
{
    size_t place = 0;
    *view = (struct mgc_progress_view){.plan = plan,
        .start_ns = now_ns,
        .times = calloc(plan->cell_count + 1, sizeof(*view->times)),
        .kinds = calloc(plan->cell_count + 1, sizeof(*view->kinds))};
    if (!view->times || !view->kinds) {
        mgc_progress_view_destroy(view);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to follow the run");
    }
    for (size_t i = 0; i < plan->cell_count; i++) {
        place += is_measured(view, i) && !plan->cells[i].confirm;
        begin_time(view, i, typical_ms[i], place);
    }
    return true;
}

void mgc_progress_view_destroy(struct mgc_progress_view *view)
{
    if (!view)
        return;
    free(view->times);
    free(view->kinds);
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
    set_time(view, index_of(view, event->cell), true,
        event->state == MGC_STEP_DONE ? now_ns - view->cell_start_ns : 0);
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

/* How long cells took that are done, to what was expected of them; 1 before there is one. */
static double pace(const struct mgc_progress_view *view)
{
    double took = 0, typical = 0;
    for (size_t i = 0; i < view->kind_count; i++) {
        took += view->kinds[i].paced_took_ns;
        typical += view->kinds[i].paced_typical_ns;
    }
    return typical > 0 ? took / typical : 1;
}

/* So many that are not done: as the like of them, else as expected, at the pace of the others. */
static double expected_ns(
    const struct mgc_kind_time *kind, size_t count, double typical_ns, double factor)
{
    return kind->took_count ? (double)kind->took_ns / (double)kind->took_count * (double)count
                            : typical_ns * factor;
}

static int64_t left_ns(const struct mgc_progress_view *view, int64_t now_ns)
{
    double sum_ns = 0, factor = pace(view);
    for (size_t i = 0; i < view->kind_count; i++) {
        const struct mgc_kind_time *kind = &view->kinds[i];
        if (kind->left_unknown && !kind->took_count)
            return -1;
        sum_ns += expected_ns(kind, kind->left_count, kind->left_typical_ns, factor);
    }
    if (view->cell && view->cell->kind == MGC_CELL_MEASURE) {
        const struct mgc_cell_time *time = &view->times[index_of(view, view->cell)];
        double whole_ns =
            expected_ns(&view->kinds[time->kind], 1, (double)time->typical_ns, factor);
        double gone_ns = (double)(now_ns - view->cell_start_ns);
        sum_ns -= gone_ns < whole_ns ? gone_ns : whole_ns;
    }
    return (int64_t)sum_ns;
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
