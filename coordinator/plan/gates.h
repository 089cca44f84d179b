/* The plan's gates (gates.*): what has to be so before a cell begins, and of the phone also while
 * it runs. They hold for every lane that uses the phone; a lane may have a value of its own under
 * lanes.LANE, which goes before unless the general one comes from a better source.
 */
#ifndef MGC_PLAN_GATES_H
#define MGC_PLAN_GATES_H

#include "coordinator/plan/lane.h"

/* What gates say for that lane, by their names below "gates."; NULL or 0 when nobody set it. */
const struct mgc_setting *mgc_gates_setting(
    const struct mgc_lane_input *input, const char *lane, const char *name);
int64_t mgc_gates_number(const struct mgc_lane_input *input, const char *lane, const char *name);
const char *mgc_gates_text(const struct mgc_lane_input *input, const char *lane, const char *name);
/* How long a step may wait for the phone's, and for those of both machines. */
int64_t mgc_gates_phone_ms(const struct mgc_lane_input *input, const char *lane);
int64_t mgc_gates_hosts_ms(const struct mgc_lane_input *input, const char *lane);

/* Values that do not go together: general ones (lane NULL), or where a lane's own have a part. */
void mgc_gates_check(
    const struct mgc_lane_input *input, const char *lane, struct mgc_problems *problems);

/* The steps "host-gate" and, with `both_hosts`, "wsl-gate": is the worker's machine idle enough,
 * and has it room? Appended to the cell. */
bool mgc_gates_add_hosts(
    const struct mgc_lane_input *input, bool both_hosts, struct mgc_cell *cell);
/* `step` begins once those are open. */
bool mgc_gates_after_hosts(struct mgc_cell *cell, struct mgc_step *step);
/* The phone's, as parameters of host.quiesce. */
bool mgc_gates_put_phone(
    const struct mgc_lane_input *input, const char *lane, struct mgc_fields *params);
/* What the phone has to keep while the cell runs. */
void mgc_gates_expect(
    const struct mgc_lane_input *input, const char *lane, struct mgc_expect *expect);

#endif
