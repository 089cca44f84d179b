#include "coordinator/merge/merged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"
#include "coordinator/merge/rounds.h"

/* ---- rows ----------------------------------------------------------------------------------- */

/* In plan order; a workload's stand together, in whatever order the lanes came. */
static void gather(const struct mgc_results *results, struct mgc_merged *merged)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        size_t at = 0, end = 0;
        if (!mgc_cell_is_regular(cell) || mgc_cell_of_link(cell))
            continue;
        for (; at < merged->count && !mgc_cell_same_arm(merged->arms[at].cell, cell); at++) {
            if (mgc_str_same(merged->arms[at].cell->workload, cell->workload))
                end = at + 1;
        }
        if (at == merged->count) {
            at = end ? end : merged->count;
            memmove(&merged->arms[at + 1], &merged->arms[at],
                (merged->count - at) * sizeof(merged->arms[0]));
            merged->arms[at] = (struct mgc_merged_arm){.cell = cell};
            merged->count++;
        }
        merged->arms[at].cells++;
    }
}

static double median_of(
    const struct mgc_results *results, const struct mgc_aggregate *aggregate, const char *metric)
{
    struct mgc_spread spread;
    return mgc_aggregate_spread(results, aggregate, metric, &spread) ? spread.median : NAN;
}

static void set_numbers(const struct mgc_results *results, const struct mgc_aggregate *aggregate,
    struct mgc_merged_arm *arm)
{
    struct mgc_spread kept;
    arm->n = aggregate->count;
    if (!mgc_aggregate_spread(results, aggregate, MGC_COMPARED_METRIC, &kept))
        return; /* a short trace may be nothing but what is skipped */
    arm->mean_ms = kept.geometric_mean;
    arm->best_ms = kept.min;
    arm->fps = 1000 / kept.geometric_mean;
    arm->spread_pct = kept.n > 1 ? 100 * (kept.max - kept.min) / kept.median : NAN;
    arm->p95_ms = median_of(results, aggregate, "kept_p95_ms");
    arm->p99_ms = median_of(results, aggregate, "kept_p99_ms");
}

static void fill(const struct mgc_results *results, const struct mgc_aggregate *aggregates,
    size_t count, const struct mgc_merged *merged, struct mgc_merged_arm *arm)
{
    const struct mgc_cell *cell = arm->cell;
    arm->mean_ms = arm->best_ms = arm->spread_pct = arm->fps = arm->p95_ms = arm->p99_ms = NAN;
    arm->is_reference =
        mgc_cell_on_phone(cell) && mgc_str_same(cell->arm, results->plan->reference);
    for (size_t i = 0; i < count; i++) {
        if (mgc_cell_same_arm(cell, aggregates[i].best->cell))
            set_numbers(results, &aggregates[i], arm);
    }
    for (size_t i = 0; i < merged->compared; i++) {
        const struct mgc_arm_comparison *row = &merged->comparisons[i];
        if (mgc_str_same(row->workload, cell->workload) && mgc_str_same(row->arm, cell->arm) &&
            mgc_str_same(row->backend, cell->expect.backend))
            arm->against = row;
    }
}

static bool fill_links(
    const struct mgc_results *results, struct mgc_merged *merged, struct mgc_error *err)
{
    struct mgc_rounds rounds;
    if (!mgc_rounds_init(&rounds, results, err))
        return false;
    for (size_t i = 0; i < merged->count; i++) {
        const struct mgc_cell *cell = merged->arms[i].cell;
        struct mgc_side side = {cell->workload, cell->expect.backend, cell->arm};
        if (mgc_cell_over_network(cell))
            mgc_link_effect_of(results, &rounds, &side, &merged->arms[i].link);
    }
    mgc_rounds_destroy(&rounds);
    return true;
}

bool mgc_merged_make(
    struct mgc_merged *merged, const struct mgc_results *results, struct mgc_error *err)
{
    struct mgc_aggregate *aggregates = NULL;
    size_t count = 0;
    *merged = (struct mgc_merged){.arms = calloc(results->count + 1, sizeof(*merged->arms))};
    bool ok = (merged->arms ||
                  mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to put the lanes together")) &&
              mgc_results_aggregate(results, &aggregates, &count, err) &&
              mgc_results_compare(results, &merged->comparisons, &merged->compared, err) &&
              mgc_results_compare_across(results, &merged->penalties, &merged->penalty_count, err);
    if (ok)
        gather(results, merged);
    for (size_t i = 0; i < merged->count; i++) {
        fill(results, aggregates, count, merged, &merged->arms[i]);
        const struct mgc_expect *expect = &merged->arms[i].cell->expect;
        merged->held_clocks |= expect->pins != NULL;
        merged->clocks_taken |= !expect->package && merged->arms[i].cell->crosses_hosts;
    }
    free(aggregates);
    ok = ok && fill_links(results, merged, err);
    if (!ok)
        mgc_merged_destroy(merged);
    return ok;
}

bool mgc_merged_read(const struct mgc_results *results, const struct mgc_merged_arm *arm,
    struct mgc_spread *ret_spread)
{
    struct mgc_aggregate of = {.workload = arm->cell->workload,
        .arm = arm->cell->arm,
        .backend = arm->cell->expect.backend};
    return mgc_aggregate_spread(results, &of, "server_read_mb_s", ret_spread);
}

void mgc_merged_destroy(struct mgc_merged *merged)
{
    if (!merged)
        return;
    free(merged->arms);
    free(merged->comparisons);
    free(merged->penalties);
    *merged = (struct mgc_merged){0};
}

/* ---- sentences ------------------------------------------------------------------------------ */

const char *mgc_merged_footnote(const struct mgc_merged *merged, size_t nth)
{
    static const char *const texts[] = {
        "* the client ran on the WSL host's CPU instead of the phone's, with its own build of "
        "client and library: a difference is that of link, CPU and build together",
        "The phone's clocks were held for the whole run, but only cells on the phone sampled them: "
        "for those across hosts they are taken to be those of the cells before and after",
    };
    size_t count = merged->held_clocks && merged->clocks_taken ? 2 : 1;
    return nth < count ? texts[nth] : NULL;
}

bool mgc_replaced_text(const struct mgc_cell_result *cell, char *text, size_t size)
{
    if (!cell->beside_attempt || cell->again)
        return false;
    snprintf(text, size, "%s measured again, attempt %d, held against %s, attempt %d",
        cell->cell->id, cell->settled ? cell->settled : cell->attempts,
        cell->beside_cell ? cell->beside_cell->id : "an attempt that cannot be read",
        cell->beside_attempt);
    return true;
}

/* ---- looks at the link ---------------------------------------------------------------------- */

bool mgc_results_block(
    const struct mgc_results *results, size_t nth, struct mgc_block_look *ret_look)
{
    const struct mgc_cell *before = NULL;
    size_t seen = 0, first = 0, end = 0;
    *ret_look = (struct mgc_block_look){0};
    for (size_t i = 0; i < results->bracket_count && !before; i++) {
        const struct mgc_cell *cell = results->brackets[i].cell;
        if (!cell->after && cell->block && seen++ == nth)
            before = cell;
    }
    if (before) {
        ret_look->before = mgc_results_bracket(results, before);
        ret_look->after = mgc_results_look(results, before, true);
        end = mgc_plan_block(results->plan, before, &first);
    }
    for (size_t i = first; i < end; i++) {
        const struct mgc_cell_result *cell = mgc_results_find(results, &results->plan->cells[i]);
        if (!cell)
            continue;
        ret_look->cells++;
        ret_look->measured += cell->verdict.state == MGC_VERDICT_MEASURED;
        ret_look->again += !cell->again && (cell->replaced > 0 || cell->beside_attempt > 0);
    }
    return before != NULL;
}
