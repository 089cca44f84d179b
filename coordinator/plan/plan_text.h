/* A plan and its settings for people: what `mgcoord plan show` prints. No secret is printed. */
#ifndef MGC_PLAN_PLAN_TEXT_H
#define MGC_PLAN_PLAN_TEXT_H

#include "common/base/buf.h"
#include "coordinator/plan/estimate.h"
#include "coordinator/plan/plan.h"
#include "coordinator/plan/settings.h"

/* Key, value and source of every setting. */
void mgc_settings_print(const struct mgc_settings *settings, struct mgc_buf *out);
/* "250 ms", "14 min", "2 h 5 min" */
void mgc_duration_put(int64_t ms, struct mgc_buf *out);
/* "about 12 s (history, n = 9)", "not known" */
void mgc_estimate_put(const struct mgc_estimate *estimate, struct mgc_buf *out);
/* One line per cell, then the total. */
void mgc_plan_print_schedule(
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_buf *out);
/* The steps of one cell: order, worker, parameters. */
void mgc_cell_print(const struct mgc_cell *cell, struct mgc_buf *out);
/* Setup, the first cell of each kind, close; all cells when `all`. */
void mgc_plan_print_steps(const struct mgc_plan *plan, bool all, struct mgc_buf *out);

#endif
