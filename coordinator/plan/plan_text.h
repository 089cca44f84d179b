/* A plan and its settings for people: what `mgcoord plan show` prints. No secret is printed. */
#ifndef MGC_PLAN_PLAN_TEXT_H
#define MGC_PLAN_PLAN_TEXT_H

#include "common/base/buf.h"
#include "coordinator/plan/plan.h"
#include "coordinator/plan/settings.h"
#include "coordinator/plan/site.h"

/* Key, value and source of every setting. */
void mgc_settings_print(const struct mgc_settings *settings, struct mgc_buf *out);
/* One line per cell, then the estimate. */
void mgc_plan_print_schedule(
    const struct mgc_plan *plan, const struct mgc_site *site, struct mgc_buf *out);
/* The steps of one cell: order, worker, parameters. */
void mgc_cell_print(const struct mgc_cell *cell, struct mgc_buf *out);
/* Setup, the first cell of each kind, close; all cells when `all`. */
void mgc_plan_print_steps(const struct mgc_plan *plan, bool all, struct mgc_buf *out);

#endif
