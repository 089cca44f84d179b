#include "coordinator/merge/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_benchmark(const struct mgc_cell *cell, const char *workload, const char *arm)
{
    return mgc_cell_is_regular(cell) && strcmp(cell->workload, workload) == 0 &&
           strcmp(cell->arm, arm) == 0;
}

bool mgc_cell_has_backend(const struct mgc_cell *cell, const char *backend)
{
    const char *own = cell->expect.backend;
    return own && backend ? strcmp(own, backend) == 0 : own == backend;
}

const struct mgc_cell_result *mgc_results_same_round(
    const struct mgc_results *results, const struct mgc_cell *cell, const char *arm)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *other = results->cells[i].cell;
        if (other->rep == cell->rep && is_benchmark(other, cell->workload, arm) &&
            mgc_cell_has_backend(other, cell->expect.backend))
            return &results->cells[i];
    }
    return NULL;
}

static double number_of(const struct mgc_cell_result *cell, const char *metric)
{
    double value;
    bool measured = cell->verdict.state == MGC_VERDICT_MEASURED;
    return measured && mgc_fields_get_double(&cell->verdict.metrics, metric, &value) ? value : NAN;
}

bool mgc_results_pairs(const struct mgc_results *results, const char *workload, const char *backend,
    const char *arm, const char *reference, const char *metric, struct mgc_pair **ret_pairs,
    size_t *ret_count, struct mgc_error *err)
{
    size_t count = 0;
    struct mgc_pair *pairs = calloc(results->count + 1, sizeof(*pairs));
    if (!pairs)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to pair the rounds of %s", workload);
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i], *other;
        if (!is_benchmark(cell->cell, workload, arm) || !mgc_cell_has_backend(cell->cell, backend))
            continue;
        other = mgc_results_same_round(results, cell->cell, reference);
        if (other)
            pairs[count++] = (struct mgc_pair){number_of(cell, metric), number_of(other, metric)};
    }
    *ret_pairs = pairs;
    *ret_count = count;
    return true;
}
