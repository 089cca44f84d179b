/* The terminal's table of cells on the phone: a line per workload and arm, then the pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/report/fold.h"
#include "coordinator/report/phone.h"

struct widths {
    int workload, arm;
};

struct tables {
    const struct mgc_results *results;
    struct mgc_aggregate *aggregates;       /* owned */
    struct mgc_arm_comparison *comparisons; /* owned */
    size_t count, compared;
    struct widths widths;
    int width;
};

static void widen(int *width, const char *text)
{
    int len = (int)strlen(text);
    *width = *width < len ? len : *width;
}

static void measure(struct tables *tables)
{
    const struct mgc_cell_result *cell;
    size_t at = 0;
    char arm[128];
    tables->widths = (struct widths){8, 3};
    while ((cell = mgc_phone_next(tables->results, NULL, &at))) {
        mgc_phone_arm_text(
            tables->results, cell->cell->arm, cell->cell->expect.backend, arm, sizeof(arm));
        widen(&tables->widths.workload, cell->cell->workload);
        widen(&tables->widths.arm, arm);
    }
}

/* ---- one arm -------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const struct mgc_aggregate *aggregate_of(
    const struct tables *tables, const struct mgc_cell *cell)
{
    for (size_t i = 0; i < tables->count; i++) {
        if (mgc_aggregate_has(&tables->aggregates[i], &(struct mgc_cell_result){.cell = cell}))
            return &tables->aggregates[i];
    }
    return NULL;
}

static void conclusion(
    const struct tables *tables, const struct mgc_cell *cell, char *text, size_t size)
{
    const char *reference = tables->results->plan->reference;
    text[0] = '\0';
    if (reference && strcmp(cell->arm, reference) == 0)
        snprintf(text, size, "(reference)");
    for (size_t i = 0; i < tables->compared; i++) {
        const struct mgc_arm_comparison *row = &tables->comparisons[i];
        if (!same(row->workload, cell->workload) || !same(row->arm, cell->arm) ||
            !same(row->backend, cell->expect.backend))
            continue;
        char words[256];
        mgc_arm_comparison_text(row, words, sizeof(words));
        if (row->result.n)
            snprintf(text, size, "%+.1f %%, %s", 100 * (row->result.ratio - 1), words);
        else
            snprintf(text, size, "%s", words);
    }
}

static void put_number(double value, int width, int decimals, struct mgc_buf *out)
{
    if (isfinite(value))
        mgc_buf_printf(out, "  %*.*f", width, decimals, value);
    else
        mgc_buf_printf(out, "  %*s", width, "-");
}

static void put_numbers(
    const struct tables *tables, const struct mgc_aggregate *a, struct mgc_buf *out)
{
    struct mgc_spread kept, fps;
    bool has_kept = a && mgc_aggregate_spread(tables->results, a, "kept_mean_ms", &kept);
    bool has_fps = a && mgc_aggregate_spread(tables->results, a, "fps", &fps);
    mgc_buf_printf(out, "  %3zu", a ? a->count : 0);
    put_number(has_kept ? kept.median : NAN, 8, 2, out);
    put_number(has_kept ? kept.min : NAN, 8, 2, out);
    put_number(has_kept && kept.n > 1 ? 100 * (kept.max - kept.min) / kept.median : NAN, 8, 1, out);
    put_number(has_fps ? fps.median : NAN, 7, 1, out);
}

static bool is_first_of_arm(const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    const struct mgc_cell_result *other;
    size_t at = 0;
    while ((other = mgc_phone_next(results, cell->cell->workload, &at)) != cell) {
        if (other->cell->mode == cell->cell->mode && same(other->cell->arm, cell->cell->arm) &&
            same(other->cell->expect.backend, cell->cell->expect.backend))
            return false;
    }
    return true;
}

static void arm_line(const struct tables *tables, const struct mgc_cell *cell, struct mgc_buf *out)
{
    char arm[128], text[320];
    mgc_phone_arm_text(tables->results, cell->arm, cell->expect.backend, arm, sizeof(arm));
    conclusion(tables, cell, text, sizeof(text));
    mgc_buf_printf(
        out, "%-*s  %-*s", tables->widths.workload, cell->workload, tables->widths.arm, arm);
    put_numbers(tables, aggregate_of(tables, cell), out);
    mgc_buf_printf(out, "%s%s\n", *text ? "  " : "", text);
}

static void arm_lines(const struct tables *tables, struct mgc_buf *out)
{
    const char *reference = tables->results->plan->reference;
    const struct mgc_cell_result *cell;
    size_t at = 0;
    bool any = false;
    while ((cell = mgc_phone_next(tables->results, NULL, &at))) {
        if (cell->cell->mode != MGC_MODE_BENCHMARK || !is_first_of_arm(tables->results, cell))
            continue;
        if (!any)
            mgc_buf_printf(out, "%-*s  %-*s    n  mean ms  best ms  spread %%      fps%s%s\n",
                tables->widths.workload, "workload", tables->widths.arm, "arm",
                reference ? "  against " : "", reference ? reference : "");
        any = true;
        arm_line(tables, cell->cell, out);
    }
    if (!any)
        return;
    mgc_buf_putc(out, '\n');
    mgc_say(tables->width, out,
        "mean, best and spread: of the rounds' mean ms per frame after the "
        "skip window; fps: the client's own, over its tail frames");
    mgc_buf_putc(out, '\n');
}

/* ---- pictures ------------------------------------------------------------------------------- */

static void picture(
    const struct tables *tables, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    char arm[128];
    double ssim;
    mgc_phone_arm_text(
        tables->results, cell->cell->arm, cell->cell->expect.backend, arm, sizeof(arm));
    mgc_buf_printf(out, "%s %s", out->len ? "," : "", arm);
    if (mgc_fields_get_double(&cell->verdict.metrics, "ssim", &ssim))
        mgc_buf_printf(out, " %.6f", ssim);
    else
        mgc_buf_puts(out, " -");
    if (cell->verdict.state != MGC_VERDICT_MEASURED)
        mgc_buf_puts(out, " (not counted)");
}

static void picture_lines(const struct tables *tables, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell, *other;
    size_t at = 0;
    bool any = false;
    while ((cell = mgc_phone_next(tables->results, NULL, &at))) {
        struct mgc_buf list = {0};
        size_t inner = 0;
        if (!mgc_phone_is_first(tables->results, cell))
            continue;
        while ((other = mgc_phone_next(tables->results, cell->cell->workload, &inner))) {
            if (other->cell->mode == MGC_MODE_SSIM)
                picture(tables, other, &list);
        }
        if (list.len)
            mgc_say(tables->width, out, "ssim %s:%s", cell->cell->workload, mgc_buf_text(&list));
        any |= list.len > 0;
        mgc_buf_destroy(&list);
    }
    if (any)
        mgc_buf_putc(out, '\n');
}

bool mgc_table_phone(
    const struct mgc_results *results, int width, struct mgc_buf *out, struct mgc_error *err)
{
    struct tables tables = {.results = results, .width = width};
    if (!mgc_results_aggregate(results, &tables.aggregates, &tables.count, err))
        return false;
    tables.count = mgc_aggregates_keep(tables.aggregates, tables.count, true);
    bool ok = mgc_results_compare(results, &tables.comparisons, &tables.compared, err);
    if (ok) {
        measure(&tables);
        arm_lines(&tables, out);
        picture_lines(&tables, out);
        free(tables.comparisons);
    }
    free(tables.aggregates);
    return ok;
}
