#include "coordinator/merge/aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/rounds.h"

static bool mean_of(const struct mgc_cell_result *cell, double *ret_mean_ms)
{
    return mgc_cell_is_regular(cell->cell) && cell->verdict.state == MGC_VERDICT_MEASURED &&
           mgc_fields_get_double(&cell->verdict.metrics, "mean_ms", ret_mean_ms) &&
           *ret_mean_ms > 0;
}

static bool belongs(const struct mgc_aggregate *aggregate, const struct mgc_cell *cell)
{
    return strcmp(aggregate->workload, cell->workload) == 0 &&
           strcmp(aggregate->arm, cell->arm) == 0 && mgc_cell_has_backend(cell, aggregate->backend);
}

static void add(struct mgc_aggregate *aggregate, const struct mgc_cell_result *cell, double mean_ms)
{
    if (aggregate->count == 0 || mean_ms < aggregate->min_mean_ms) {
        aggregate->min_mean_ms = mean_ms;
        aggregate->best = cell;
    }
    if (aggregate->count == 0 || mean_ms > aggregate->max_mean_ms)
        aggregate->max_mean_ms = mean_ms;
    aggregate->count++;
}

static bool find_median(
    const struct mgc_results *results, struct mgc_aggregate *aggregate, double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        double mean_ms;
        if (belongs(aggregate, results->cells[i].cell) && mean_of(&results->cells[i], &mean_ms))
            scratch[count++] = mean_ms;
    }
    return mgc_median(scratch, count, &aggregate->median_mean_ms);
}

bool mgc_aggregate_has(const struct mgc_aggregate *aggregate, const struct mgc_cell_result *cell)
{
    return belongs(aggregate, cell->cell) && mgc_cell_is_regular(cell->cell);
}

bool mgc_aggregate_spread(const struct mgc_results *results, const struct mgc_aggregate *aggregate,
    const char *metric, struct mgc_spread *ret_spread)
{
    size_t count = 0;
    double *values = calloc(results->count + 1, sizeof(*values)), mean_ms;
    for (size_t i = 0; values && i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (belongs(aggregate, cell->cell) && mean_of(cell, &mean_ms) &&
            mgc_fields_get_double(&cell->verdict.metrics, metric, &values[count]))
            count++;
    }
    bool ok = values && mgc_spread_of(values, count, ret_spread);
    free(values);
    return ok;
}

static size_t gather(const struct mgc_results *results, struct mgc_aggregate *list)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        double mean_ms;
        if (!mean_of(cell, &mean_ms))
            continue;
        size_t at = 0;
        while (at < count && !belongs(&list[at], cell->cell))
            at++;
        if (at == count)
            list[count++] = (struct mgc_aggregate){.workload = cell->cell->workload,
                .arm = cell->cell->arm,
                .backend = cell->cell->expect.backend};
        add(&list[at], cell, mean_ms);
    }
    return count;
}

bool mgc_results_aggregate(const struct mgc_results *results, struct mgc_aggregate **ret_list,
    size_t *ret_count, struct mgc_error *err)
{
    struct mgc_aggregate *list = calloc(results->count + 1, sizeof(*list));
    double *scratch = calloc(results->count + 1, sizeof(*scratch));
    size_t count = list && scratch ? gather(results, list) : 0;
    bool ok = list && scratch;
    for (size_t i = 0; ok && i < count; i++)
        ok = find_median(results, &list[i], scratch);
    free(scratch);
    if (!ok) {
        free(list);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to put repetitions together");
    }
    *ret_list = list;
    *ret_count = count;
    return true;
}

size_t mgc_aggregates_keep(struct mgc_aggregate *list, size_t count, bool on_phone)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (mgc_cell_on_phone(list[i].best->cell) == on_phone)
            list[kept++] = list[i];
    }
    return kept;
}
