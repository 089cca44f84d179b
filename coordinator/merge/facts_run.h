/* Facts that all cells of a run have in common, since its settings make them. Internal to merge/.
 */
#ifndef MGC_MERGE_FACTS_RUN_H
#define MGC_MERGE_FACTS_RUN_H

#include "coordinator/merge/comparisons.h"

/* Once, when the results are made: results->orders, which takes a look at the whole plan. False: no
 * memory. */
bool mgc_facts_take_orders(struct mgc_results *results);

/* Sets the facts of MGC_FACTS_OF_A_RUN. A run whose settings are not known (directories of the old
 * scripts) leaves those absent that come from settings. `with_server`: the arm has one. */
void mgc_facts_of_run(const struct mgc_results *results, const struct mgc_cell *cell,
    bool with_server, struct mgc_result_facts *ret_facts);

#endif
