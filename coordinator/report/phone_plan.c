/* In which order it ran, which rules of the plan fired, and what ran. */
#include <string.h>

#include "coordinator/report/columns.h"
#include "coordinator/report/phone.h"

/* ---- order ---------------------------------------------------------------------------------- */

static bool is_round_begin(const struct mgc_cell *cell, const struct mgc_cell *before)
{
    return !before || before->rep != cell->rep || strcmp(before->workload, cell->workload) != 0;
}

/* "openra r1: tcp, monolith": only where it is not the same every time. */
static void rounds(const struct mgc_results *results, struct mgc_buf *out)
{
    const struct mgc_cell *before = NULL;
    const struct mgc_cell_result *cell;
    size_t at = 0;
    char arm[128];
    while ((cell = mgc_phone_next(results, NULL, &at))) {
        if (cell->cell->mode != MGC_MODE_BENCHMARK)
            continue;
        mgc_phone_arm_text(results, cell->cell->arm, cell->cell->expect.backend, arm, sizeof(arm));
        if (is_round_begin(cell->cell, before))
            mgc_buf_printf(
                out, "\n- %s r%lld: %s", cell->cell->workload, (long long)cell->cell->rep, arm);
        else
            mgc_buf_printf(out, ", %s", arm);
        before = cell->cell;
    }
    mgc_buf_putc(out, '\n');
}

/* ---- several lanes: all that a round is made of ---- */

static bool is_of_round(const struct mgc_cell *cell)
{
    if (cell->kind == MGC_CELL_BRACKET)
        return !cell->confirm;
    return cell->kind == MGC_CELL_MEASURE && mgc_cell_is_regular(cell);
}

static int64_t round_of(const struct mgc_cell *cell)
{
    return cell->round ? cell->round : cell->rep;
}

static bool is_same_round(const struct mgc_cell *a, const struct mgc_cell *b)
{
    return a && round_of(a) == round_of(b) && a->workload && b->workload &&
           strcmp(a->workload, b->workload) == 0;
}

static void put_cell(
    const struct mgc_results *results, const struct mgc_cell *cell, struct mgc_buf *out)
{
    char arm[128];
    if (cell->kind == MGC_CELL_BRACKET) {
        mgc_buf_printf(out, "look at the link (%s)", cell->after ? "after" : "before");
        return;
    }
    mgc_phone_arm_text(results, cell->arm, cell->expect.backend, arm, sizeof(arm));
    mgc_buf_puts(out, arm);
}

/* "openra r1: tcp, monolith, look at the link (before), crosshost-c1, ..." */
static void merged_rounds(const struct mgc_results *results, struct mgc_buf *out)
{
    const struct mgc_plan *plan = results->plan;
    const struct mgc_cell *before = NULL;
    mgc_buf_puts(out, "\nAll that a round was made of, in its order:\n");
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        if (!is_of_round(cell))
            continue;
        if (is_same_round(before, cell))
            mgc_buf_puts(out, ", ");
        else
            mgc_buf_printf(out, "\n- %s r%lld: ", cell->workload ? cell->workload : "all",
                (long long)round_of(cell));
        put_cell(results, cell, out);
        before = cell;
    }
    mgc_buf_putc(out, '\n');
}

static void rule(
    const struct mgc_results *results, const struct mgc_shorten *rule, struct mgc_buf *out)
{
    const struct mgc_cell_result *cause = NULL, *found;
    size_t left_out = 0;
    double app_s;
    for (size_t i = 0; i < results->count; i++) {
        if (results->cells[i].verdict.state != MGC_VERDICT_SKIPPED ||
            mgc_results_left_out(results, results->cells[i].cell, &found) != rule)
            continue;
        cause = found;
        left_out++;
    }
    if (!cause)
        return;
    mgc_buf_printf(out, "\nA rule of the plan fired: %s took the app ", cause->cell->id);
    if (mgc_fields_get_double(&cause->verdict.metrics, "app_s", &app_s))
        mgc_buf_printf(out, "%.0f s, ", app_s);
    mgc_buf_printf(out,
        "more than %lld s in the first round, so %s has %lld round%s and %zu cell%s left out.\n",
        (long long)(rule->above_ms / 1000), rule->workload, (long long)rule->reps,
        rule->reps == 1 ? "" : "s", left_out, left_out == 1 ? " was" : "s were");
}

void mgc_phone_order(const struct mgc_results *results, struct mgc_buf *out)
{
    const struct mgc_plan *plan = results->plan;
    const char *order = plan->order ? plan->order : "fixed";
    bool fixed = mgc_plan_order_is_fixed(plan);
    mgc_buf_printf(out, "## Order and rules\n\nOrder of the arms in a round: %s", order);
    if (strcmp(order, "shuffle") == 0)
        mgc_buf_printf(out, ", seed %lld", (long long)plan->seed);
    mgc_buf_puts(out, ".\n");
    if (mgc_plan_is_merged(plan))
        merged_rounds(results, out);
    else if (!fixed)
        rounds(results, out);
    for (size_t i = 0; i < plan->shorten_count; i++)
        rule(results, &plan->shorten[i], out);
    mgc_buf_putc(out, '\n');
}

/* ---- builds --------------------------------------------------------------------------------- */

/* "knobs.knob.1.what" says what "knobs.knob.1" is. */
static bool is_explanation(const char *name)
{
    static const char end[] = ".what";
    size_t len = strlen(name);
    return len >= sizeof(end) - 1 && strcmp(name + len - (sizeof(end) - 1), end) == 0;
}

static void put_name(const struct mgc_fields *facts, const char *name, struct mgc_buf *out)
{
    struct mgc_buf text = {0};
    mgc_buf_printf(&text, "%s.what", name);
    const char *what = mgc_fields_get_str(facts, mgc_buf_text(&text));
    mgc_buf_clear(&text);
    mgc_buf_printf(&text, "%s%s%s", name, what ? ": " : "", what ? what : "");
    mgc_md_text(mgc_buf_text(&text), out);
    mgc_buf_destroy(&text);
}

static void put_fact(
    const struct mgc_fields *facts, const struct mgc_field *field, struct mgc_buf *out)
{
    const struct mgc_value *value = &field->value;
    mgc_md_begin(out);
    put_name(facts, field->name, out);
    if (value->type == MGC_VALUE_STRING)
        mgc_md_text(value->string, out);
    else if (value->type == MGC_VALUE_INT)
        mgc_buf_printf(out, " %lld |", (long long)value->integer);
    else if (value->type == MGC_VALUE_DOUBLE)
        mgc_buf_printf(out, " %g |", value->real);
    else
        mgc_md_text(value->boolean ? "yes" : "no", out);
    mgc_md_end(out);
}

void mgc_phone_builds(const struct mgc_results *results, struct mgc_buf *out)
{
    static const char *const titles[] = {"step and fact", "value", NULL};
    mgc_buf_puts(out, "## What ran: builds, fixtures, knobs\n\n");
    if (results->setup.count == 0) {
        mgc_buf_puts(out, "Nothing is known of it.\n\n");
        return;
    }
    mgc_md_head(titles, out);
    for (size_t i = 0; i < results->setup.count; i++) {
        if (!is_explanation(results->setup.items[i].name))
            put_fact(&results->setup, &results->setup.items[i], out);
    }
    mgc_buf_putc(out, '\n');
}
