/* Which cells the crosshost lane has: from RUNS-like lists or from workloads x credits. */
#ifndef MGC_PLAN_CROSSHOST_RUNS_H
#define MGC_PLAN_CROSSHOST_RUNS_H

#include "coordinator/plan/lane.h"

enum { MGC_CROSSHOST_RUNS_MAX = 256, MGC_CROSSHOST_ARM_MAX = 40 };

struct mgc_crosshost_run {
    const struct mgc_site_workload *workload;
    enum mgc_mode mode;
    int64_t credit;
    int64_t reps;
};

struct mgc_crosshost_runs {
    struct mgc_crosshost_run items[MGC_CROSSHOST_RUNS_MAX];
    size_t count;
};

/* The list in order, ssim and benchmark mixed as given. What cannot be (unknown workload, the same
 * run twice, lists that contradict each other) goes to problems, which may be NULL. */
void mgc_crosshost_list(const struct mgc_lane_input *input, struct mgc_crosshost_runs *ret_runs,
    struct mgc_problems *problems);

/* "crosshost-c2" */
void mgc_crosshost_arm_name(int64_t credit, char ret_name[MGC_CROSSHOST_ARM_MAX]);

#endif
