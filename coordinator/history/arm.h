/* Cells of one arm: which they are, and their numbers. */
#ifndef MGC_HISTORY_ARM_H
#define MGC_HISTORY_ARM_H

#include "coordinator/history/history.h"
#include "coordinator/stats/percentile.h"

struct mgc_arm_key { /* strings are borrowed; NULL is a value too, of cells that name none */
    const char *lane, *workload, *backend, *arm;
};
struct mgc_arm_key mgc_arm_key_of(const struct mgc_history_cell *cell);
bool mgc_arm_has(const struct mgc_arm_key *key, const struct mgc_history_cell *cell);
/* All but the arm: what is compared together. */
bool mgc_arm_same_workload(const struct mgc_arm_key *a, const struct mgc_arm_key *b);

struct mgc_arm_numbers {
    size_t cells, measured;
    bool has_spread;          /* at least one number */
    struct mgc_spread spread; /* of MGC_HISTORY_METRIC, ms per frame */
};
/* False: no memory. */
bool mgc_arm_numbers(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    struct mgc_arm_numbers *ret_numbers);

#endif
