/* A cell over the network counts only between two good path checks: the one before let it begin,
 * the next one after it proves that the path was still the phone's own. Until then, and for good
 * when no check follows (Ctrl-C, a lost worker, a killed coordinator), it is incomplete.
 */
#ifndef MGC_MERGE_PATH_PROOF_H
#define MGC_MERGE_PATH_PROOF_H

#include <stdbool.h>

#include "coordinator/merge/results.h"

/* A cell that has just been judged: `measured` becomes `path-unproved` when the cell needs a path;
 * everything else stays as it is. */
void mgc_path_withhold(struct mgc_results *results, struct mgc_cell_result *cell);

/* Its verdict has changed and has to be stored again. */
typedef void mgc_path_amended(void *user, struct mgc_cell_result *cell);

/* A check came after the cells: good, then those that waited for it are measured; a middlebox, then
 * they are `path-changed`; unclear, or nobody looked, then they wait on. */
void mgc_path_checked(struct mgc_results *results, const struct mgc_verdict *check,
    mgc_path_amended *amended, void *user);

/* Read back from a directory: earlier builds stored cells as measured before any check followed.
 * Such a cell stays so only by its own evidence or by a good check at the end. */
void mgc_path_restored(struct mgc_results *results);

#endif
