/* The regression gate's part in the results: confirming cells, of which only those count that were
 * run, and what the gate said at the end. Asking it is coordinator/session/confirm.c.
 */
#ifndef MGC_MERGE_CONFIRM_H
#define MGC_MERGE_CONFIRM_H

#include "coordinator/merge/results.h"

/* The plan has confirming cells: the gate is part of the run. */
bool mgc_plan_confirms(const struct mgc_plan *plan);

/* Take confirming cells that never began, and brackets that nobody looked at for them, out of the
 * results: they were only to be run if the gate had asked for it. Cells that were left out since
 * something was wrong stay. The plan keeps them all. */
void mgc_results_drop_unconfirmed(struct mgc_results *results);

#endif
