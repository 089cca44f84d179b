/* What settings of a plan's lanes have to do with each other, or with those of the whole plan: what
 * could never work is refused before anything starts. Every sentence has the file and the line.
 * Pure. What one lane can see alone is in its own check (lane.h).
 */
#ifndef MGC_PLAN_CHECK_PLAN_H
#define MGC_PLAN_CHECK_PLAN_H

#include "coordinator/plan/lane.h"

/* `lanes` are those of the plan. */
void mgc_check_plan(const struct mgc_lane_input *input, const struct mgc_lane *const *lanes,
    size_t lane_count, struct mgc_problems *problems);

#endif
