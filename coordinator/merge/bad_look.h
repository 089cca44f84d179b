/* Cells of a block that is left out since the look before it was not good. The session asks while
 * the run goes on; who reads a run back asks the same afterwards, since a cell that never began
 * leaves no file.
 */
#ifndef MGC_MERGE_BAD_LOOK_H
#define MGC_MERGE_BAD_LOOK_H

#include "coordinator/merge/results.h"

/* The look before the cell's block, which is not good; NULL: there is none, or it is good. */
const struct mgc_bracket_result *mgc_results_bad_look(
    const struct mgc_results *results, const struct mgc_cell *cell);

/* True, and the verdict says why, when the cell is left out. */
bool mgc_results_leave_block(const struct mgc_results *results, struct mgc_cell_result *result);

/* Of a run that is read back, when its looks are and what its gate said: the cells that never began
 * for that reason. Confirming ones are among them when the gate had asked for them. */
void mgc_results_restore_bad_looks(struct mgc_results *results);

#endif
