/* The rounds of a run as pairs, for a comparison of two arms (coordinator/stats/compare.h). */
#ifndef MGC_MERGE_ROUNDS_H
#define MGC_MERGE_ROUNDS_H

#include "coordinator/merge/results.h"
#include "coordinator/stats/compare.h"

/* The same backend; NULL is one too, of cells that name none. */
bool mgc_cell_has_backend(const struct mgc_cell *cell, const char *backend);
/* The same arm on the same workload with the same backend. */
bool mgc_cell_same_arm(const struct mgc_cell *a, const struct mgc_cell *b);

/* The benchmarks of a run by workload, backend, arm and round, so that nobody has to go through all
 * cells for each cell. Borrows the results. */
struct mgc_rounds {
    const struct mgc_cell_result **cells; /* owned; sorted */
    size_t count;
};
bool mgc_rounds_init(
    struct mgc_rounds *rounds, const struct mgc_results *results, struct mgc_error *err);
void mgc_rounds_destroy(struct mgc_rounds *rounds); /* takes NULL and zeroed */

/* One side of a comparison. */
struct mgc_side {
    const char *workload, *backend, *arm;
};

/* Its benchmarks in the order of their rounds; *ret_count of them, borrowed from `rounds`. */
const struct mgc_cell_result *const *mgc_rounds_of(
    const struct mgc_rounds *rounds, const struct mgc_side *side, size_t *ret_count);
/* Its benchmark in that round (the cells' rep), or NULL. */
const struct mgc_cell_result *mgc_rounds_find(
    const struct mgc_rounds *rounds, const struct mgc_side *side, int64_t rep);

/* What a cell is held against when `reference` is the reference of its round: that one's verdict,
 * or the one that was measured again for its sake (replacement.h). */
const struct mgc_verdict *mgc_results_beside(
    const struct mgc_cell_result *cell, const struct mgc_cell_result *reference);

/* One pair per round in which the plan has a benchmark on both sides, in the order of the rounds. A
 * cell that is not measured, or has no number `metric` (verdict.h), gives NAN: the comparison
 * counts the pair as left out; so does a pair of which one was measured in another session of a run
 * that was resumed. One that was measured again stands beside its own reference, and in its round
 * for everything else. No such round is 0 pairs.
 * free(*ret_pairs). */
bool mgc_rounds_pairs(const struct mgc_rounds *rounds, const struct mgc_side *side,
    const struct mgc_side *reference, const char *metric, struct mgc_pair **ret_pairs,
    size_t *ret_count, struct mgc_error *err);

#endif
