/* The terminal's table of cells on the phone: a line per workload and arm, the backends against
 * each other, then the pictures.
 *
 * All numbers of a line are made of one: the mean time per frame of each round after the skip
 * window. Rounds are put together by the geometric mean, so that the ratio of two lines is the
 * ratio that the comparison says, where the same rounds count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"
#include "coordinator/merge/settings.h"
#include "coordinator/plan/bench.h"
#include "coordinator/report/merged.h"
#include "coordinator/report/fold.h"
#include "coordinator/report/phone.h"
#include "coordinator/stats/wording.h"

struct widths {
    int workload, arm;
};

/* Columns of numbers; the last ones go first where it is too narrow. */
static const struct number_column {
    const char *title;
    int width, decimals, decimals_below_10; /* 0: the same */
} columns[] = {{"mean ms", 8, 2}, {"fps", 7, 1, 2}, {"spread %", 8, 1}, {"best ms", 8, 2}};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), N_WIDTH = 3 };

struct tables {
    const struct mgc_results *results;
    struct mgc_aggregate *aggregates;       /* owned */
    struct mgc_arm_comparison *comparisons; /* owned */
    struct mgc_arm_comparison *backends;    /* owned */
    size_t count, compared, backend_count;
    struct widths widths;
    int width;    /* of all, 0: as wide as needed */
    size_t shown; /* columns */
    bool beside;  /* comparisons stand in their arm's line, not below the table */
};

static void widen(int *width, const char *text)
{
    int len = (int)strlen(text);
    *width = *width < len ? len : *width;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

enum { AGAINST_MAX = 384 };

static const struct mgc_aggregate *aggregate_of(
    const struct tables *tables, const struct mgc_cell *cell)
{
    for (size_t i = 0; i < tables->count; i++) {
        const struct mgc_aggregate *a = &tables->aggregates[i];
        if (mgc_str_same(a->workload, cell->workload) && mgc_str_same(a->arm, cell->arm) &&
            mgc_str_same(a->backend, cell->expect.backend))
            return a;
    }
    return NULL;
}

static const struct mgc_arm_comparison *comparison_of(
    const struct tables *tables, const struct mgc_cell *cell)
{
    for (size_t i = 0; i < tables->compared; i++) {
        const struct mgc_arm_comparison *row = &tables->comparisons[i];
        if (mgc_str_same(row->workload, cell->workload) && mgc_str_same(row->arm, cell->arm) &&
            mgc_str_same(row->backend, cell->expect.backend))
            return row;
    }
    return NULL;
}

static void against(
    const struct tables *tables, const struct mgc_cell *cell, char text[AGAINST_MAX])
{
    const struct mgc_arm_comparison *row = comparison_of(tables, cell);
    const struct mgc_aggregate *aggregate = aggregate_of(tables, cell);
    text[0] = '\0';
    if (row)
        mgc_merged_against(row, aggregate ? aggregate->count : 0, text, AGAINST_MAX);
    else if (mgc_str_same(tables->results->plan->reference, cell->arm))
        snprintf(text, AGAINST_MAX, "(reference)");
}

/* Where a line has no room for it: a sentence for each, folded. */
static void comparison_lines(const struct tables *tables, struct mgc_buf *out)
{
    for (size_t i = 0; i < tables->compared; i++) {
        const struct mgc_arm_comparison *row = &tables->comparisons[i];
        char arm[128], text[AGAINST_MAX];
        mgc_phone_arm_text(tables->results, row->arm, row->backend, arm, sizeof(arm));
        mgc_merged_against(row, 0, text, sizeof(text));
        mgc_say(
            tables->width, out, "%s %s against %s: %s", row->workload, arm, row->reference, text);
    }
    if (tables->compared)
        mgc_buf_putc(out, '\n');
}

static void backend_lines(const struct tables *tables, struct mgc_buf *out)
{
    for (size_t i = 0; i < tables->backend_count; i++) {
        const struct mgc_arm_comparison *row = &tables->backends[i];
        char text[AGAINST_MAX];
        mgc_merged_against(row, 0, text, sizeof(text));
        mgc_say(tables->width, out, "%s %s, %s against %s: %s", row->workload, row->arm,
            row->backend, row->reference_backend, text);
    }
    if (tables->backend_count)
        mgc_buf_putc(out, '\n');
}

/* ---- layout --------------------------------------------------------------------------------- */

static bool is_first_of_arm(const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    const struct mgc_cell_result *other;
    size_t at = 0;
    while ((other = mgc_phone_next(results, cell->cell->workload, &at)) != cell) {
        if (other->cell->mode == cell->cell->mode &&
            mgc_str_same(other->cell->arm, cell->cell->arm) &&
            mgc_str_same(other->cell->expect.backend, cell->cell->expect.backend))
            return false;
    }
    return true;
}

/* The next benchmark that is the first of its workload, arm and backend. */
static const struct mgc_cell *next_arm(const struct tables *tables, size_t *at)
{
    const struct mgc_cell_result *cell;
    while ((cell = mgc_phone_next(tables->results, NULL, at))) {
        if (cell->cell->mode == MGC_MODE_BENCHMARK && is_first_of_arm(tables->results, cell))
            return cell->cell;
    }
    return NULL;
}

static void head_text(const struct tables *tables, char *text, size_t size)
{
    const char *reference = tables->results->plan->reference;
    snprintf(text, size, "against %s, 95 %% interval", reference ? reference : "");
}

static void lay_out(struct tables *tables)
{
    const struct mgc_cell *cell;
    size_t at = 0;
    int last = 0;
    char text[AGAINST_MAX];
    tables->widths = (struct widths){8, 3};
    head_text(tables, text, sizeof(text));
    widen(&last, text);
    while ((cell = next_arm(tables, &at))) {
        char arm[128];
        mgc_phone_arm_text(tables->results, cell->arm, cell->expect.backend, arm, sizeof(arm));
        widen(&tables->widths.workload, cell->workload);
        widen(&tables->widths.arm, arm);
        against(tables, cell, text);
        widen(&last, text);
    }
    int used = tables->widths.workload + 2 + tables->widths.arm + 2 + N_WIDTH;
    for (tables->shown = 0; tables->shown < COLUMNS; tables->shown++) {
        int wanted = columns[tables->shown].width + 2;
        if (tables->width > 0 && used + wanted > tables->width)
            break;
        used += wanted;
    }
    tables->beside = tables->compared && (tables->width <= 0 || used + 2 + last <= tables->width);
}

/* ---- one arm -------------------------------------------------------------------------------- */

static void put_number(double value, const struct number_column *column, struct mgc_buf *out)
{
    int decimals =
        value < 10 && column->decimals_below_10 ? column->decimals_below_10 : column->decimals;
    if (isfinite(value))
        mgc_buf_printf(out, "  %*.*f", column->width, decimals, value);
    else
        mgc_buf_printf(out, "  %*s", column->width, "-");
}

static void put_numbers(
    const struct tables *tables, const struct mgc_aggregate *a, struct mgc_buf *out)
{
    struct mgc_spread kept = {.geometric_mean = NAN, .min = NAN};
    bool known = a && mgc_aggregate_spread(tables->results, a, MGC_COMPARED_METRIC, &kept);
    double values[COLUMNS] = {kept.geometric_mean, 1000 / kept.geometric_mean,
        known && kept.n > 1 ? 100 * (kept.max - kept.min) / kept.median : NAN, kept.min};
    mgc_buf_printf(out, "  %*zu", N_WIDTH, a ? a->count : 0);
    for (size_t i = 0; i < tables->shown; i++)
        put_number(values[i], &columns[i], out);
}

static void head_line(const struct tables *tables, struct mgc_buf *out)
{
    char text[128];
    mgc_buf_printf(out, "%-*s  %-*s  %*s", tables->widths.workload, "workload", tables->widths.arm,
        "arm", N_WIDTH, "n");
    for (size_t i = 0; i < tables->shown; i++)
        mgc_buf_printf(out, "  %*s", columns[i].width, columns[i].title);
    head_text(tables, text, sizeof(text));
    mgc_buf_printf(out, "%s%s\n", tables->beside ? "  " : "", tables->beside ? text : "");
}

static void arm_line(const struct tables *tables, const struct mgc_cell *cell, struct mgc_buf *out)
{
    char arm[128], text[AGAINST_MAX] = "";
    mgc_phone_arm_text(tables->results, cell->arm, cell->expect.backend, arm, sizeof(arm));
    mgc_buf_printf(
        out, "%-*s  %-*s", tables->widths.workload, cell->workload, tables->widths.arm, arm);
    put_numbers(tables, aggregate_of(tables, cell), out);
    if (tables->beside)
        against(tables, cell, text);
    mgc_buf_printf(out, "%s%s\n", *text ? "  " : "", text);
}

/* "openra 8, rd12 4" */
static void put_skipped(const struct tables *tables, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell;
    size_t at = 0;
    while ((cell = mgc_phone_next(tables->results, NULL, &at))) {
        const struct mgc_bench_workload *bench =
            mgc_bench_workload(mgc_bench_built_in(), cell->cell->workload);
        if (bench && mgc_phone_is_first(tables->results, cell))
            mgc_buf_printf(
                out, "%s%s %lld", out->len ? ", " : "", bench->name, (long long)bench->skip_frames);
    }
}

/* A short trace may be nothing but what is skipped. */
static void say_too_short(const struct tables *tables, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell;
    size_t at = 0;
    while ((cell = mgc_phone_next(tables->results, NULL, &at))) {
        const char *workload = cell->cell->workload;
        const struct mgc_bench_workload *bench = mgc_bench_workload(mgc_bench_built_in(), workload);
        int64_t used, full;
        if (bench && mgc_phone_is_first(tables->results, cell) &&
            mgc_results_frames(tables->results, workload, &used, &full) &&
            used <= bench->skip_frames)
            mgc_say(tables->width, out, "%s has %lld frame%s here, all of them skipped: no mean",
                workload, (long long)used, used == 1 ? "" : "s");
    }
}

static void legend(const struct tables *tables, struct mgc_buf *out)
{
    struct mgc_buf skipped = {0};
    put_skipped(tables, &skipped);
    mgc_say(tables->width, out,
        "mean ms: geometric mean over the n measured rounds of the round's mean time per frame, "
        "without its first frames (%s)%s%s%s",
        mgc_buf_text(&skipped), tables->shown > 1 ? "; fps: 1000 over it" : "",
        tables->shown > 2 ? "; spread: slowest minus best round, of their median" : "",
        tables->shown > 3 ? "; best: the round with the lowest mean" : "");
    if (tables->compared || tables->backend_count)
        mgc_say(tables->width, out,
            "against: geometric mean of the ratios of paired rounds, less is faster, with its 95 "
            "%% "
            "interval");
    say_too_short(tables, out);
    mgc_table_few_kept(tables->results, tables->width, out);
    mgc_table_mean_apart(tables->results, tables->width, out);
    if (mgc_arms_are_told_apart(tables->comparisons, tables->compared))
        mgc_table_fixed_order(tables->results, tables->width, out);
    mgc_buf_putc(out, '\n');
    mgc_buf_destroy(&skipped);
}

static void arm_lines(const struct tables *tables, struct mgc_buf *out)
{
    const struct mgc_cell *cell;
    size_t at = 0;
    bool any = false;
    while ((cell = next_arm(tables, &at))) {
        if (!any)
            head_line(tables, out);
        any = true;
        arm_line(tables, cell, out);
    }
    if (!any)
        return;
    mgc_buf_putc(out, '\n');
    if (!tables->beside)
        comparison_lines(tables, out);
    backend_lines(tables, out);
    legend(tables, out);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool take(struct tables *tables, struct mgc_error *err)
{
    const struct mgc_results *results = tables->results;
    if (!mgc_results_aggregate(results, &tables->aggregates, &tables->count, err))
        return false;
    tables->count = mgc_aggregates_keep(tables->aggregates, tables->count, true);
    return mgc_results_compare(results, &tables->comparisons, &tables->compared, err) &&
           mgc_results_compare_backends(results, &tables->backends, &tables->backend_count, err);
}

bool mgc_table_phone(
    const struct mgc_results *results, int width, struct mgc_buf *out, struct mgc_error *err)
{
    struct tables tables = {.results = results, .width = width};
    bool ok = take(&tables, err);
    if (ok) {
        lay_out(&tables);
        arm_lines(&tables, out);
        mgc_table_pictures(results, width, out);
    }
    free(tables.backends);
    free(tables.comparisons);
    free(tables.aggregates);
    return ok;
}
