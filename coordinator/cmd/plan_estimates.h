/* What the commands that look at a plan, or carry it out, ask of its estimates. */
#ifndef MGC_CMD_PLAN_ESTIMATES_H
#define MGC_CMD_PLAN_ESTIMATES_H

#include "coordinator/plan/budget.h"
#include "coordinator/cmd/options.h"

/* By the history of the site's results root, where there is one that can be read (else a warning
 * is printed), and by published runs. NULL: no memory. */
struct mgc_estimates *mgc_cmd_estimates(const struct mgc_site *site, const struct mgc_plan *plan);

/* MGC_EXIT_OK; else the plan asks for more, on some phone, than its budget of time has room for, as
 * was printed. */
int mgc_cmd_check_budget(const struct mgc_phone_plans *plans);

#endif
