#include "coordinator/merge/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_benchmark(const struct mgc_cell *cell, const char *workload, const char *arm)
{
    return cell->mode == MGC_MODE_BENCHMARK && strcmp(cell->workload, workload) == 0 &&
           strcmp(cell->arm, arm) == 0;
}

static const struct mgc_cell_result *find(
    const struct mgc_results *results, const char *workload, const char *arm, int64_t rep)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        if (cell->rep == rep && is_benchmark(cell, workload, arm))
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

bool mgc_results_pairs(const struct mgc_results *results, const char *workload, const char *arm,
    const char *reference, const char *metric, struct mgc_pair **ret_pairs, size_t *ret_count,
    struct mgc_error *err)
{
    size_t count = 0;
    struct mgc_pair *pairs = calloc(results->count + 1, sizeof(*pairs));
    if (!pairs)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to pair the rounds of %s", workload);
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i], *other;
        if (!is_benchmark(cell->cell, workload, arm))
            continue;
        other = find(results, workload, reference, cell->cell->rep);
        if (other)
            pairs[count++] = (struct mgc_pair){number_of(cell, metric), number_of(other, metric)};
    }
    *ret_pairs = pairs;
    *ret_count = count;
    return true;
}
