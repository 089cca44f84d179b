/* The rounds of a run as pairs, for a comparison of two arms (coordinator/stats/compare.h). */
#ifndef MGC_MERGE_ROUNDS_H
#define MGC_MERGE_ROUNDS_H

#include "coordinator/merge/results.h"
#include "coordinator/stats/compare.h"

/* The same backend; NULL is one too, of cells that name none. */
bool mgc_cell_has_backend(const struct mgc_cell *cell, const char *backend);

/* The benchmark of `arm` in the same round (workload, backend, rep), or NULL. */
const struct mgc_cell_result *mgc_results_same_round(
    const struct mgc_results *results, const struct mgc_cell *cell, const char *arm);

/* One pair per round (the cells' rep) in which the plan has a benchmark of `workload` with
 * `backend` on both arms, in plan order. A cell that is not measured, or has no number `metric`
 * (verdict.h), gives NAN: the comparison counts the pair as left out. No such round is 0 pairs.
 * free(*ret_pairs). */
bool mgc_results_pairs(const struct mgc_results *results, const char *workload, const char *backend,
    const char *arm, const char *reference, const char *metric, struct mgc_pair **ret_pairs,
    size_t *ret_count, struct mgc_error *err);

#endif
