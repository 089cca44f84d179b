/* The steps of a link test: sink (host.sink, holds) -> netbench (wsl.netbench). A cell of the lane
 * netbench has them, and so may a bracket around other lanes' cells. The setup has to hold the
 * device helper on the phone. */
#ifndef MGC_PLAN_NETBENCH_STEPS_H
#define MGC_PLAN_NETBENCH_STEPS_H

#include "coordinator/plan/lane.h"

enum { MGC_NETBENCH_SHORT_PROBES = 10 }; /* at most, of the short form */

/* Append them to `cell`, by the settings lanes.netbench.* and phone.sink_port, which every plan
 * has. `short_form`: lanes.netbench.short_duration, and at most MGC_NETBENCH_SHORT_PROBES round
 * trips of the idle link. */
bool mgc_netbench_steps(const struct mgc_lane_input *input, bool short_form, struct mgc_cell *cell);

/* About how long such a test takes. */
int64_t mgc_netbench_typical_ms(const struct mgc_lane_input *input, bool short_form);

#endif
