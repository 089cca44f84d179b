/* What the numbers of a run are of: device, app, libraries, traces, as run.json has it under
 * "inputs". Kept from the first attempt that tells, so that a resumed run can see whether it still
 * measures the same. */
#ifndef MGC_SESSION_INPUTS_H
#define MGC_SESSION_INPUTS_H

#include "common/json/json.h"
#include "coordinator/sched/run.h"

/* Add one; as below. */
bool mgc_inputs_take_text(json_t *inputs, const json_t *before, const char *name, const char *value,
    bool *ret_new, struct mgc_error *err);
/* Add what the attempt's facts tell and `inputs` (an object) does not have yet. *ret_new: something
 * was added (else it is left alone). `before` are the inputs of the sessions before (NULL: there
 * was none); false: one of them is another now, and err (MGC_E_CONFIG) names it with both values.
 */
bool mgc_inputs_take(json_t *inputs, const json_t *before, const struct mgc_attempt *attempt,
    bool *ret_new, struct mgc_error *err);

#endif
