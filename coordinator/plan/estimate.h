/* About how long each cell of a plan takes: by what cells like it took in this run, else in earlier
 * runs on the device, else by published runs, brought to this run's pace. `plan show`, the status
 * line and the budget of time (budget.h) all ask here. Pure; one thread.
 */
#ifndef MGC_PLAN_ESTIMATE_H
#define MGC_PLAN_ESTIMATE_H

#include "coordinator/plan/plan.h"
#include "coordinator/plan/site.h"

enum mgc_estimate_source { /* the later the better */
    MGC_ESTIMATE_NONE,     /* not known */
    MGC_ESTIMATE_TYPICAL,  /* published runs; once cells of this run are over, at their pace */
    MGC_ESTIMATE_LIKE,     /* cells of its workload in this run, of other arms: their mean */
    MGC_ESTIMATE_HISTORY,  /* earlier runs, the same cell but for round and builds: median */
    MGC_ESTIMATE_RUN,      /* the same of this run */
};
const char *mgc_estimate_source_name(enum mgc_estimate_source source); /* "history" */

struct mgc_estimate {
    int64_t ms; /* 0: not known */
    enum mgc_estimate_source source;
    size_t n; /* cells that it rests on; 0 for published runs */
};

/* What makes two cells alike, whatever run they are of. Texts are borrowed; NULL is a value, too.
 */
struct mgc_cell_likeness {
    enum mgc_cell_kind kind;
    const char *lane, *workload, *arm, *backend;
    enum mgc_mode mode;
    int64_t frames; /* of a benchmark; 0: any */
};
struct mgc_cell_likeness mgc_cell_likeness_of(const struct mgc_cell *cell);

struct mgc_estimates; /* opaque */

/* typical_ms: of each cell of the plan, 0: not known; read now only. The plan is borrowed for as
 * long as the result lives. NULL: no memory. */
struct mgc_estimates *mgc_estimates_new(const struct mgc_plan *plan, const int64_t *typical_ms);
/* The same with the lanes' typical values (mgc_cell_typical_ms). */
struct mgc_estimates *mgc_estimates_typical(
    const struct mgc_site *site, const struct mgc_plan *plan);
void mgc_estimates_free(struct mgc_estimates *estimates); /* takes NULL */

enum { MGC_ESTIMATE_SAMPLES = 40 };

/* A cell of an earlier run took so long; the first MGC_ESTIMATE_SAMPLES of a kind count, so the
 * newest come first. What is like no cell of the plan is ignored. */
void mgc_estimates_add_past(
    struct mgc_estimates *estimates, const struct mgc_cell_likeness *likeness, int64_t ms);
/* Earlier runs are forgotten. */
void mgc_estimates_clear_past(struct mgc_estimates *estimates);
/* A cell of this run took so long; the last MGC_ESTIMATE_SAMPLES of a kind count. */
void mgc_estimates_add_run(
    struct mgc_estimates *estimates, const struct mgc_cell *cell, int64_t ms);

/* `cell` is one of the plan. Cost does not grow with the plan. */
struct mgc_estimate mgc_estimate_of(struct mgc_estimates *estimates, const struct mgc_cell *cell);

/* Cells that are alike are one kind, numbered from 0: for sums over a whole plan. */
size_t mgc_estimates_kinds(const struct mgc_estimates *estimates);
size_t mgc_estimates_kind_of(const struct mgc_estimates *estimates, const struct mgc_cell *cell);
struct mgc_estimate mgc_estimate_of_kind(struct mgc_estimates *estimates, size_t kind);

#endif
