/* Cells that the plan itself left out: by a rule (`shorten`), or for lack of time (`budget.*`). */
#ifndef MGC_MERGE_LEFT_OUT_H
#define MGC_MERGE_LEFT_OUT_H

#include "coordinator/merge/results.h"

/* The plan left this cell out; nothing of it was begun. */
bool mgc_result_is_left_out(const struct mgc_cell_result *result);

/* A round that the budget of time had no room for, of an arm that was measured in another one: the
 * plan asked for no more than fits. Pictures, confirming rounds, rounds that were cut off and arms
 * without any round are not as planned. */
bool mgc_results_left_as_planned(
    const struct mgc_results *results, const struct mgc_cell_result *result);

/* Cells that were left out together, for the same reason. */
struct mgc_left_out {
    const struct mgc_verdict *verdict; /* of the first of them; its text tells what and why */
    size_t cells;
    bool of_time; /* by a budget of time, not by a rule */
};
/* Is the cell one of these? */
bool mgc_result_left_out_with(
    const struct mgc_cell_result *result, const struct mgc_left_out *left_out);
/* The nth, in the plan's order; false: there are not so many. */
bool mgc_results_left_out_part(
    const struct mgc_results *results, size_t nth, struct mgc_left_out *ret_left_out);

#endif
