/* Who holds what on a worker's machine, as it says so (common/task/leases.h), for people. Pure. */
#ifndef MGC_CONTROL_LEASES_H
#define MGC_CONTROL_LEASES_H

#include "common/base/buf.h"
#include "common/base/fields.h"
#include "common/json/json.h"

/* An array of objects: resource, state, and as far as they are known run, coordinator, epoch (a
 * number), since, task. Other facts are passed over. New reference; NULL: no memory. */
json_t *mgc_control_leases(const struct mgc_fields *facts);

/* Append a sentence about one of them, without its end: "phone:S is held for run 'R' of ...". */
void mgc_control_lease_print(const json_t *lease, struct mgc_buf *out);

#endif
