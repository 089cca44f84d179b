#include "coordinator/plan/plan_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/plan/expand.h"

void mgc_settings_print(const struct mgc_settings *settings, struct mgc_buf *out)
{
    int key_width = 0, value_width = 0;
    for (size_t i = 0; i < settings->count; i++) {
        int key_len = (int)strlen(settings->items[i].key);
        int value_len = (int)strlen(mgc_setting_shown(&settings->items[i]));
        key_width = key_len > key_width ? key_len : key_width;
        if (value_len > value_width && value_len <= 48) /* a long path does not widen the rest */
            value_width = value_len;
    }
    for (size_t i = 0; i < settings->count; i++) {
        const struct mgc_setting *setting = &settings->items[i];
        mgc_buf_printf(out, "  %-*s  %-*s  %s\n", key_width, setting->key, value_width,
            mgc_setting_shown(setting), setting->origin);
    }
}

void mgc_duration_put(int64_t ms, struct mgc_buf *out)
{
    int64_t s = (ms + 500) / 1000;
    if (ms < 1000)
        mgc_buf_printf(out, "%" PRId64 " ms", ms);
    else if (s < 120)
        mgc_buf_printf(out, "%" PRId64 " s", s);
    else if (s < 2 * 3600)
        mgc_buf_printf(out, "%" PRId64 " min", (s + 30) / 60);
    else
        mgc_buf_printf(out, "%" PRId64 " h %" PRId64 " min", s / 3600, s % 3600 / 60);
}

/* With benchmarkFinish the client waits for the server at the end of every frame. */
static bool compares_credits_that_wait(const struct mgc_plan *plan)
{
    int64_t first = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        if (cell->kind != MGC_CELL_MEASURE || cell->mode != MGC_MODE_BENCHMARK ||
            !cell->expect.credit || !cell->expect.benchmark_finish)
            continue;
        if (first && cell->expect.credit != first)
            return true;
        first = cell->expect.credit;
    }
    return false;
}

/* Rounds of several arms on the phone, always in the same order: place and arm are one thing. */
static bool compares_at_fixed_places(const struct mgc_plan *plan)
{
    const struct mgc_cell *first = NULL;
    for (size_t i = 0; plan->order && mgc_plan_order_is_fixed(plan) && i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        if (cell->kind != MGC_CELL_MEASURE || cell->mode != MGC_MODE_BENCHMARK ||
            strcmp(cell->lane, "matrix") != 0)
            continue;
        if (first && strcmp(first->workload, cell->workload) == 0 &&
            strcmp(first->arm, cell->arm) != 0)
            return true;
        first = cell;
    }
    return false;
}

/* "about 12 s (history, 9 cells)" */
void mgc_estimate_put(const struct mgc_estimate *estimate, struct mgc_buf *out)
{
    if (estimate->source == MGC_ESTIMATE_NONE) {
        mgc_buf_puts(out, "not known");
        return;
    }
    mgc_buf_puts(out, "about ");
    mgc_duration_put(estimate->ms, out);
    mgc_buf_printf(out, " (%s", mgc_estimate_source_name(estimate->source));
    if (estimate->n)
        mgc_buf_printf(out, ", n = %zu", estimate->n);
    mgc_buf_putc(out, ')');
}

static void put_totals(
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_buf *out)
{
    int64_t typical_ms = 0, limit_ms = 0;
    size_t cells = 0, known = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        struct mgc_estimate estimate = mgc_estimate_of(estimates, cell);
        bool regular = cell->kind == MGC_CELL_MEASURE && !cell->confirm;
        typical_ms += cell->confirm ? 0 : estimate.ms;
        limit_ms += mgc_cell_budget_ms(cell);
        cells += regular;
        known += regular && estimate.source == MGC_ESTIMATE_HISTORY;
    }
    mgc_buf_puts(out, "\nAbout ");
    mgc_duration_put(typical_ms, out);
    mgc_buf_puts(out, ", at most ");
    mgc_duration_put(limit_ms, out);
    mgc_buf_printf(out, " without retries (up to %" PRId64 " per cell). ", plan->retries_per_cell);
    mgc_buf_printf(out,
        "What a cell takes is the median of this device's history for %zu of %zu cells, for the "
        "others what it took in published runs.\n",
        known, cells);
}

void mgc_plan_print_schedule(
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_buf *out)
{
    size_t confirming = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        struct mgc_estimate estimate = mgc_estimate_of(estimates, cell);
        confirming += cell->confirm && cell->kind == MGC_CELL_MEASURE;
        mgc_buf_printf(out, "  %3zu  %-33s ", i + 1, cell->id);
        if (estimate.source != MGC_ESTIMATE_NONE || cell->kind == MGC_CELL_MEASURE) {
            mgc_estimate_put(&estimate, out);
            mgc_buf_puts(out, ", ");
        }
        mgc_buf_puts(out, "at most ");
        mgc_duration_put(mgc_cell_budget_ms(cell), out);
        mgc_buf_putc(out, '\n');
    }
    put_totals(plan, estimates, out);
    if (confirming)
        mgc_buf_printf(out,
            "\nThe %zu cells below confirm/ are run only for what the regression gate flags, "
            "beside "
            "the reference: the first figure is without them, the second with all.\n",
            confirming);
    if (compares_credits_that_wait(plan))
        mgc_buf_puts(out,
            "\nEvery frame is waited for at its end (benchmark_finish is true), so present credits "
            "will look alike; to see what credit brings: --set "
            "lanes.crosshost.benchmark_finish=false\n");
    if (compares_at_fixed_places(plan))
        mgc_buf_puts(out,
            "\nWarning: each round has its arms in the same order, so a difference between arms "
            "may be one between places in the round; to tell the two apart: --set "
            "order=rotate\n");
}

static void put_value(struct mgc_buf *out, const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        mgc_buf_puts(out, value->boolean ? "true" : "false");
        break;
    case MGC_VALUE_INT:
        mgc_buf_printf(out, "%" PRId64, value->integer);
        break;
    case MGC_VALUE_DOUBLE:
        mgc_buf_printf(out, "%g", value->real);
        break;
    case MGC_VALUE_STRING:
        mgc_buf_puts(out, value->string);
        break;
    }
}

static void put_step(const struct mgc_cell *cell, const struct mgc_step *step, struct mgc_buf *out)
{
    mgc_buf_printf(out, "  %s: %s on %s", step->id, step->kind, mgc_role_name(step->role));
    if (step->holds)
        mgc_buf_puts(out, ", holds");
    if (step->best_effort)
        mgc_buf_puts(out, ", best effort");
    for (size_t i = 0; i < step->dep_count; i++)
        mgc_buf_printf(out, ", after %s is %s", cell->steps[step->deps[i].step].id,
            step->deps[i].kind == MGC_DEP_READY ? "ready" : "done");
    if (step->barrier)
        mgc_buf_printf(out, ", meets at \"%s\"", step->barrier);
    mgc_buf_puts(out, ", at most ");
    mgc_duration_put(step->deadline_ms, out);
    mgc_buf_putc(out, '\n');
    for (size_t i = 0; i < step->params.count; i++) {
        mgc_buf_printf(out, "    %s = ", step->params.items[i].name);
        put_value(out, &step->params.items[i].value);
        mgc_buf_putc(out, '\n');
    }
    for (size_t i = 0; i < step->secrets.count; i++)
        mgc_buf_printf(out, "    %s = (secret)\n", step->secrets.items[i].name);
}

static void put_expect(const struct mgc_expect *expect, enum mgc_mode mode, struct mgc_buf *out)
{
    mgc_buf_printf(out, "  expected: %" PRId64 "x%" PRId64, expect->width, expect->height);
    if (expect->credit)
        mgc_buf_printf(out, ", credit %" PRId64, expect->credit);
    mgc_buf_printf(out, ", %s", expect->backend);
    if (expect->endpoint)
        mgc_buf_printf(out, ", server %s", expect->endpoint);
    if (mode == MGC_MODE_BENCHMARK)
        mgc_buf_printf(out, ", %" PRId64 " frames, finish %s\n", expect->frames,
            expect->benchmark_finish ? "on" : "off");
    else
        mgc_buf_printf(out, ", ssim at least %g\n", expect->ssim_threshold);
}

void mgc_cell_print(const struct mgc_cell *cell, struct mgc_buf *out)
{
    mgc_buf_puts(out, cell->id);
    if (cell->kind == MGC_CELL_MEASURE)
        mgc_buf_printf(out, ": %s of %s, arm %s, repetition %" PRId64, mgc_mode_name(cell->mode),
            cell->workload, cell->arm, cell->rep);
    mgc_buf_putc(out, '\n');
    for (size_t i = 0; i < cell->step_count; i++)
        put_step(cell, &cell->steps[i], out);
    if (cell->kind == MGC_CELL_MEASURE)
        put_expect(&cell->expect, cell->mode, out);
}

/* Whether an earlier cell looks the same but for workload, credit and repetition. */
static bool seen_kind(const struct mgc_plan *plan, size_t index)
{
    const struct mgc_cell *cell = &plan->cells[index];
    for (size_t i = 0; i < index; i++) {
        const struct mgc_cell *other = &plan->cells[i];
        if (other->kind == cell->kind && other->mode == cell->mode &&
            strcmp(other->lane, cell->lane) == 0)
            return true;
    }
    return false;
}

void mgc_plan_print_steps(const struct mgc_plan *plan, bool all, struct mgc_buf *out)
{
    bool first = true;
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (!all && seen_kind(plan, i))
            continue;
        if (!first)
            mgc_buf_putc(out, '\n');
        first = false;
        mgc_cell_print(&plan->cells[i], out);
    }
}
