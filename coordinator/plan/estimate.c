#include "coordinator/plan/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"
#include "coordinator/plan/expand.h"
#include "coordinator/stats/percentile.h"

/* The newest so many. */
struct samples {
    double ms[MGC_ESTIMATE_SAMPLES];
    size_t added; /* may be more than are kept */
};

/* Cells that are alike. */
struct group {
    struct mgc_cell_likeness likeness;
    int64_t typical_ms; /* of its first cell */
    struct samples past, run;
    struct mgc_estimate known; /* valid while nothing was added */
};

struct mgc_estimates {
    const struct mgc_plan *plan; /* borrowed */
    size_t *group_of;            /* owned; by cell */
    struct group *groups;        /* owned */
    size_t group_count;
    bool stale; /* something was added since `known` was worked out */
};

const char *mgc_estimate_source_name(enum mgc_estimate_source source)
{
    static const char *const names[] = {
        [MGC_ESTIMATE_NONE] = "none",
        [MGC_ESTIMATE_TYPICAL] = "published",
        [MGC_ESTIMATE_LIKE] = "like",
        [MGC_ESTIMATE_HISTORY] = "history",
        [MGC_ESTIMATE_RUN] = "run",
    };
    return names[source];
}

/* ---- which cells are alike ----------------------------------------------------------------- */

struct mgc_cell_likeness mgc_cell_likeness_of(const struct mgc_cell *cell)
{
    return (struct mgc_cell_likeness){
        .kind = cell->kind,
        .lane = cell->lane,
        .workload = cell->workload,
        .arm = cell->arm,
        .backend = cell->expect.backend,
        .mode = cell->mode,
        .frames = cell->mode == MGC_MODE_BENCHMARK ? cell->expect.frames : 0,
    };
}

/* Brackets of one lane are all made of the same steps, whatever their workload. */
static bool is_like(const struct mgc_cell_likeness *a, const struct mgc_cell_likeness *b)
{
    if (a->kind != b->kind || !mgc_str_same(a->lane, b->lane))
        return false;
    return a->kind != MGC_CELL_MEASURE ||
           (a->mode == b->mode && a->frames == b->frames &&
               mgc_str_same(a->workload, b->workload) && mgc_str_same(a->arm, b->arm) &&
               mgc_str_same(a->backend, b->backend));
}

static struct group *find(struct mgc_estimates *estimates, const struct mgc_cell_likeness *likeness)
{
    for (size_t i = 0; i < estimates->group_count; i++) {
        if (is_like(&estimates->groups[i].likeness, likeness))
            return &estimates->groups[i];
    }
    return NULL;
}

/* A plan of many rounds has few kinds of cells. */
static bool add_group(
    struct mgc_estimates *estimates, const struct mgc_cell_likeness *likeness, int64_t typical_ms)
{
    size_t count = estimates->group_count;
    struct group *more = realloc(estimates->groups, (count + 1) * sizeof(*more));
    if (!more)
        return false;
    estimates->groups = more;
    more[estimates->group_count++] =
        (struct group){.likeness = *likeness, .typical_ms = typical_ms};
    return true;
}

static bool make_groups(struct mgc_estimates *estimates, const int64_t *typical_ms)
{
    const struct mgc_plan *plan = estimates->plan;
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct mgc_cell_likeness likeness = mgc_cell_likeness_of(&plan->cells[i]);
        if (!find(estimates, &likeness) && !add_group(estimates, &likeness, typical_ms[i]))
            return false;
        estimates->group_of[i] = (size_t)(find(estimates, &likeness) - estimates->groups);
    }
    return true;
}

struct mgc_estimates *mgc_estimates_new(const struct mgc_plan *plan, const int64_t *typical_ms)
{
    struct mgc_estimates *estimates = calloc(1, sizeof(*estimates));
    if (!estimates)
        return NULL;
    estimates->plan = plan;
    estimates->stale = true;
    estimates->group_of = calloc(plan->cell_count + 1, sizeof(*estimates->group_of));
    if (estimates->group_of && make_groups(estimates, typical_ms))
        return estimates;
    mgc_estimates_free(estimates);
    return NULL;
}

struct mgc_estimates *mgc_estimates_typical(
    const struct mgc_site *site, const struct mgc_plan *plan)
{
    int64_t *typical_ms = calloc(plan->cell_count + 1, sizeof(*typical_ms));
    for (size_t i = 0; typical_ms && i < plan->cell_count; i++)
        typical_ms[i] = mgc_cell_typical_ms(site, &plan->cells[i]);
    struct mgc_estimates *estimates = typical_ms ? mgc_estimates_new(plan, typical_ms) : NULL;
    free(typical_ms);
    return estimates;
}

void mgc_estimates_free(struct mgc_estimates *estimates)
{
    if (!estimates)
        return;
    free(estimates->groups);
    free(estimates->group_of);
    free(estimates);
}

/* ---- what cells took ----------------------------------------------------------------------- */

static size_t kept(const struct samples *samples)
{
    return samples->added < MGC_ESTIMATE_SAMPLES ? samples->added : MGC_ESTIMATE_SAMPLES;
}

void mgc_estimates_add_past(
    struct mgc_estimates *estimates, const struct mgc_cell_likeness *likeness, int64_t ms)
{
    struct group *group = find(estimates, likeness);
    if (!group || ms <= 0 || group->past.added == MGC_ESTIMATE_SAMPLES)
        return;
    group->past.ms[group->past.added++] = (double)ms;
    estimates->stale = true;
}

void mgc_estimates_clear_past(struct mgc_estimates *estimates)
{
    for (size_t i = 0; i < estimates->group_count; i++)
        estimates->groups[i].past.added = 0;
    estimates->stale = true;
}

void mgc_estimates_add_run(struct mgc_estimates *estimates, const struct mgc_cell *cell, int64_t ms)
{
    struct samples *run = &estimates->groups[mgc_estimates_kind_of(estimates, cell)].run;
    if (ms <= 0)
        return;
    run->ms[run->added++ % MGC_ESTIMATE_SAMPLES] = (double)ms;
    estimates->stale = true;
}

/* ---- estimates ----------------------------------------------------------------------------- */

static double sum(const struct samples *samples)
{
    double total = 0;
    for (size_t i = 0; i < kept(samples); i++)
        total += samples->ms[i];
    return total;
}

/* How long this run's cells took, to what is typical of them; 1 before there is one. */
static double pace(const struct mgc_estimates *estimates)
{
    double took = 0, typical = 0;
    for (size_t i = 0; i < estimates->group_count; i++) {
        const struct group *group = &estimates->groups[i];
        if (group->likeness.kind != MGC_CELL_MEASURE || !group->typical_ms)
            continue;
        took += sum(&group->run);
        typical += (double)group->typical_ms * (double)kept(&group->run);
    }
    return typical > 0 ? took / typical : 1;
}

static bool by_median(const struct samples *samples, enum mgc_estimate_source source,
    struct mgc_estimate *ret_estimate)
{
    double median;
    if (!mgc_median(samples->ms, kept(samples), &median)) /* also for none */
        return false;
    *ret_estimate = (struct mgc_estimate){(int64_t)median, source, kept(samples)};
    return true;
}

static bool by_like(const struct mgc_estimates *estimates, const struct mgc_cell_likeness *likeness,
    struct mgc_estimate *ret_estimate)
{
    double total = 0;
    size_t n = 0;
    for (size_t i = 0; i < estimates->group_count; i++) {
        const struct group *group = &estimates->groups[i];
        if (likeness->kind != MGC_CELL_MEASURE || group->likeness.kind != MGC_CELL_MEASURE ||
            group->likeness.mode != likeness->mode ||
            !mgc_str_same(group->likeness.workload, likeness->workload))
            continue;
        total += sum(&group->run);
        n += kept(&group->run);
    }
    if (n)
        *ret_estimate = (struct mgc_estimate){(int64_t)(total / (double)n), MGC_ESTIMATE_LIKE, n};
    return n > 0;
}

static void work_out(struct mgc_estimates *estimates)
{
    double factor = pace(estimates);
    for (size_t i = 0; i < estimates->group_count; i++) {
        struct group *group = &estimates->groups[i];
        struct mgc_estimate *known = &group->known;
        bool measured = group->likeness.kind == MGC_CELL_MEASURE;
        if (by_median(&group->run, MGC_ESTIMATE_RUN, known) ||
            by_median(&group->past, MGC_ESTIMATE_HISTORY, known) ||
            by_like(estimates, &group->likeness, known))
            continue;
        *known = (struct mgc_estimate){
            .ms = (int64_t)((double)group->typical_ms * (measured ? factor : 1)),
            .source = group->typical_ms ? MGC_ESTIMATE_TYPICAL : MGC_ESTIMATE_NONE,
        };
    }
    estimates->stale = false;
}

size_t mgc_estimates_kinds(const struct mgc_estimates *estimates)
{
    return estimates->group_count;
}

size_t mgc_estimates_kind_of(const struct mgc_estimates *estimates, const struct mgc_cell *cell)
{
    return estimates->group_of[cell - estimates->plan->cells];
}

struct mgc_estimate mgc_estimate_of_kind(struct mgc_estimates *estimates, size_t kind)
{
    if (estimates->stale)
        work_out(estimates);
    return estimates->groups[kind].known;
}

struct mgc_estimate mgc_estimate_of(struct mgc_estimates *estimates, const struct mgc_cell *cell)
{
    return mgc_estimate_of_kind(estimates, mgc_estimates_kind_of(estimates, cell));
}
