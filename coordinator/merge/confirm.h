/* The regression gate's part in the results: confirming cells, of which only those count that were
 * run, and what the gate said at the end. Asking it is coordinator/session/confirm.c.
 */
#ifndef MGC_MERGE_CONFIRM_H
#define MGC_MERGE_CONFIRM_H

#include "common/base/buf.h"
#include "coordinator/merge/results.h"

/* The plan has confirming cells: the gate is part of the run. */
bool mgc_plan_confirms(const struct mgc_plan *plan);

/* Take confirming cells that never began, and brackets that nobody looked at for them, out of the
 * results: they were only to be run if the gate had asked for it. Cells that were left out since
 * something was wrong stay. The plan keeps them all. */
void mgc_results_drop_unconfirmed(struct mgc_results *results);

/* ---- what the gate said at the end: results->gate, as `gate` of summary.json ---- */

/* Some arm regressed, and that was confirmed: exit code 1. False when it was not asked. */
bool mgc_results_regressed(const struct mgc_results *results);
/* "tcp of openra, crosshost-c1 of openra": those arms; "" without. Added to `out`. */
void mgc_results_regressed_text(const struct mgc_results *results, struct mgc_buf *out);
/* It had that arm run again. False when it was not asked. */
bool mgc_results_gate_flagged(const struct mgc_results *results, const struct mgc_cell *cell);
/* The nth line for people: counts first, then arms of which there is news. NULL: no more. */
const char *mgc_results_gate_line(const struct mgc_results *results, size_t nth);

#endif
