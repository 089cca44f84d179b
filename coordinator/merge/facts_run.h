/* Facts that all cells of a run have in common, since its settings make them. Internal to merge/.
 */
#ifndef MGC_MERGE_FACTS_RUN_H
#define MGC_MERGE_FACTS_RUN_H

#include "coordinator/merge/comparisons.h"

/* Sets the facts of MGC_FACTS_OF_A_RUN. A run whose settings are not known (directories of the old
 * scripts) leaves those absent that come from settings. `with_server`: the arm has one. */
void mgc_facts_of_run(const struct mgc_results *results, const struct mgc_cell *cell,
    bool with_server, struct mgc_result_facts *ret_facts);

#endif
