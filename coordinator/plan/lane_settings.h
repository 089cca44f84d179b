/* What the lanes' lists read of their settings in the same way. */
#ifndef MGC_PLAN_LANE_SETTINGS_H
#define MGC_PLAN_LANE_SETTINGS_H

#include "coordinator/plan/lane.h"

/* -1 for a setting that is not there: any source beats it. */
int mgc_lane_rank(const struct mgc_setting *setting);

/* lanes.LANE.workload_reps.WORKLOAD, unless lanes.LANE.reps comes from a better source. */
const struct mgc_setting *mgc_lane_reps_setting(
    const struct mgc_lane_input *input, const char *lane, const char *workload);
int64_t mgc_lane_reps(const struct mgc_lane_input *input, const char *lane, const char *workload);

/* The workload that the setting `from` names; NULL, and a problem (which may be NULL), when the
 * bench has none of that name. */
const struct mgc_site_workload *mgc_lane_workload(const struct mgc_lane_input *input,
    const struct mgc_setting *from, const char *name, struct mgc_problems *problems);
/* Does item i of a list stand there before, too? Then it is a problem (which may be NULL). */
bool mgc_lane_is_again(const struct mgc_setting *from, size_t i, struct mgc_problems *problems);

#endif
