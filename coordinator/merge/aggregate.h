/* Repetitions of one workload on one arm, put together: which counted, the best, the spread.
 * Description only: whether two arms differ is a question for statistics over paired rounds.
 */
#ifndef MGC_MERGE_AGGREGATE_H
#define MGC_MERGE_AGGREGATE_H

#include "coordinator/merge/results.h"
#include "coordinator/stats/percentile.h"

/* Only measured benchmark cells with a mean above 0 count. Strings are the plan's. */
struct mgc_aggregate {
    const char *workload, *arm, *backend; /* backend: NULL where the plan names none */
    size_t count;                         /* at least 1 */
    const struct mgc_cell_result *best;   /* lowest mean; borrowed */
    double min_mean_ms, median_mean_ms, max_mean_ms;
};

/* False: no cell that counts has that metric (verdict.h). */
bool mgc_aggregate_spread(const struct mgc_results *results, const struct mgc_aggregate *aggregate,
    const char *metric, struct mgc_spread *ret_spread);
/* The same workload and arm, and it is a benchmark; it may not count. */
bool mgc_aggregate_has(const struct mgc_aggregate *aggregate, const struct mgc_cell_result *cell);

/* One per workload, backend and arm that has a cell that counts, in plan order; free(*ret_list). */
bool mgc_results_aggregate(const struct mgc_results *results, struct mgc_aggregate **ret_list,
    size_t *ret_count, struct mgc_error *err);

/* Keep only those of cells on the phone (or only the others), in order; returns how many. */
size_t mgc_aggregates_keep(struct mgc_aggregate *list, size_t count, bool on_phone);

#endif
