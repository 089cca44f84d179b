#include "coordinator/history/arm.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/str.h"

struct mgc_arm_key mgc_arm_key_of(const struct mgc_history_cell *cell)
{
    return (struct mgc_arm_key){cell->lane, cell->workload, cell->backend, cell->arm};
}

bool mgc_arm_same_workload(const struct mgc_arm_key *a, const struct mgc_arm_key *b)
{
    return mgc_str_same(a->lane, b->lane) && mgc_str_same(a->workload, b->workload) &&
           mgc_str_same(a->backend, b->backend);
}

bool mgc_arm_has(const struct mgc_arm_key *key, const struct mgc_history_cell *cell)
{
    struct mgc_arm_key own = mgc_arm_key_of(cell);
    return mgc_arm_same_workload(key, &own) && mgc_str_same(key->arm, own.arm);
}

bool mgc_arm_numbers(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    struct mgc_arm_numbers *ret_numbers)
{
    double *values = calloc(cells->count + 1, sizeof(*values));
    struct mgc_arm_numbers numbers = {0};
    size_t count = 0;
    for (size_t i = 0; values && i < cells->count; i++) {
        const struct mgc_history_cell *cell = &cells->items[i];
        if (!mgc_arm_has(key, cell))
            continue;
        numbers.cells++;
        numbers.measured += cell->measured;
        if (cell->measured && isfinite(cell->value))
            values[count++] = cell->value;
    }
    numbers.has_spread = values && mgc_spread_of(values, count, &numbers.spread);
    *ret_numbers = numbers;
    free(values);
    return values != NULL;
}
