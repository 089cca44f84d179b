/* What the crosshost lane measures: from RUNS-like lists or from workloads x credits. */
#ifndef MGC_PLAN_CROSSHOST_RUNS_H
#define MGC_PLAN_CROSSHOST_RUNS_H

#include "coordinator/plan/lane.h"

/* Append the lane's items in order, pictures and benchmarks mixed as given. What cannot be (unknown
 * workload, the same run twice, lists that contradict each other) goes to problems, which may be
 * NULL. */
void mgc_crosshost_items(const struct mgc_lane_input *input, struct mgc_lane_items *items,
    struct mgc_problems *problems);

#endif
