/* The steps of a cell of the cross-host lane. */
#ifndef MGC_PLAN_CROSSHOST_STEPS_H
#define MGC_PLAN_CROSSHOST_STEPS_H

#include "coordinator/plan/lane.h"

/* False: no memory. */
bool mgc_crosshost_steps(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_cell *cell);
bool mgc_crosshost_expect(const struct mgc_lane_input *input, const struct mgc_lane_item *item,
    struct mgc_expect *expect);

#endif
