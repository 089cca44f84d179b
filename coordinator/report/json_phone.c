/* summary.json for the phone's own lane: conditions of each cell, comparisons, order, rules,
 * builds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/comparisons.h"
#include "coordinator/report/parts.h"
#include "coordinator/stats/wording.h"

/* ---- a row of "runs" ------------------------------------------------------------------------ */

/* duration_s is the app's own run, as far as there was one; the old one also held the harness's
 * waits. */
void mgc_part_phone_cell(const struct mgc_cell_result *cell, json_t *row)
{
    const struct mgc_expect *expect = &cell->cell->expect;
    double app_s;
    json_object_set_new(
        row, "cell_s", cell->attempts ? json_real((double)cell->duration_ns / 1e9) : json_null());
    if (mgc_fields_get_double(&cell->verdict.metrics, "app_s", &app_s))
        json_object_set_new(row, "duration_s", json_real(app_s));
    json_object_set_new(row, "backend", mgc_part_text(expect->backend));
    json_object_set_new(row, "package", mgc_part_text(expect->package));
    json_object_set_new(row, "width", json_integer(expect->width));
    json_object_set_new(row, "height", json_integer(expect->height));
    json_object_set_new(row, "credit", expect->credit ? json_integer(expect->credit) : json_null());
    if (cell->cell->mode == MGC_MODE_BENCHMARK)
        json_object_set_new(row, "benchmark_finish", json_boolean(expect->benchmark_finish));
    json_object_set_new(row, "pins", mgc_part_text(expect->pins));
}

/* ---- comparisons ---------------------------------------------------------------------------- */

static void set_result(json_t *row, const struct mgc_comparison *result)
{
    char numbers[160];
    mgc_comparison_numbers(result, numbers, sizeof(numbers));
    json_object_set_new(row, "left_out", json_integer((json_int_t)result->left_out));
    json_object_set_new(row, "ratio", mgc_part_derived(result->ratio));
    json_object_set_new(
        row, "method", json_string(mgc_interval_method_name(result->interval.method)));
    bool bounds = result->interval.method != MGC_INTERVAL_NONE;
    json_object_set_new(
        row, "ratio_low", bounds ? mgc_part_derived(result->ratio_low) : json_null());
    json_object_set_new(
        row, "ratio_high", bounds ? mgc_part_derived(result->ratio_high) : json_null());
    json_object_set_new(
        row, "p", result->tested ? mgc_part_derived(result->adjusted_p) : json_null());
    json_object_set_new(row, "conclusion", json_string(mgc_conclusion_name(result->conclusion)));
    json_object_set_new(row, "open",
        result->open == MGC_OPEN_NOT ? json_null() : json_string(mgc_open_name(result->open)));
    json_object_set_new(row, "more_rounds",
        result->more == MGC_MORE_ABOUT ? json_integer((json_int_t)result->more_rounds)
                                       : json_null());
    json_object_set_new(row, "numbers", mgc_json_text(numbers));
}

json_t *mgc_part_comparison(const struct mgc_arm_comparison *comparison)
{
    static const char *const answers[] = {[MGC_COMPARABLE_UNKNOWN] = "unknown",
        [MGC_COMPARABLE_NO] = "no",
        [MGC_COMPARABLE_YES] = "yes"};
    char text[256];
    json_t *row = json_object();
    mgc_arm_comparison_text(comparison, text, sizeof(text));
    json_object_set_new(row, "workload", mgc_json_text(comparison->workload));
    json_object_set_new(row, "backend", mgc_part_text(comparison->backend));
    json_object_set_new(row, "arm", mgc_json_text(comparison->arm));
    json_object_set_new(row, "reference", mgc_json_text(comparison->reference));
    json_object_set_new(row, "reference_backend", mgc_part_text(comparison->reference_backend));
    if (comparison->crosses)
        json_object_set_new(row, "client_cpu_differs", json_true());
    json_object_set_new(row, "metric", json_string(MGC_COMPARED_METRIC));
    json_object_set_new(row, "rounds", json_integer((json_int_t)comparison->rounds));
    json_object_set_new(row, "comparable", json_string(answers[comparison->comparable]));
    json_object_set_new(row, "n", json_integer((json_int_t)comparison->result.n));
    if (comparison->comparable == MGC_COMPARABLE_YES)
        set_result(row, &comparison->result);
    if (comparison->crosses)
        json_object_set_new(row, "link_floor", mgc_part_derived(comparison->link_floor.fraction));
    json_object_set_new(row, "text", mgc_json_text(text));
    return row;
}

static void set_rows(
    json_t *doc, const char *key, const struct mgc_arm_comparison *list, size_t count)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(rows, mgc_part_comparison(&list[i]));
    json_object_set_new(doc, key, rows);
}

static bool set_comparisons(const struct mgc_results *results, json_t *doc, struct mgc_error *err)
{
    struct mgc_arm_comparison *arms = NULL, *backends = NULL;
    size_t arm_count, backend_count;
    bool ok = mgc_results_compare(results, &arms, &arm_count, err) &&
              mgc_results_compare_backends(results, &backends, &backend_count, err);
    if (ok) {
        set_rows(doc, "comparisons", arms, arm_count);
        set_rows(doc, "backend_comparisons", backends, backend_count);
    }
    free(backends);
    free(arms);
    return ok;
}

/* ---- order and rules ------------------------------------------------------------------------ */

static json_t *rule_json(const struct mgc_results *results, const struct mgc_shorten *rule)
{
    json_t *row = json_object(), *left_out = json_array();
    const struct mgc_cell_result *cause = NULL, *found;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (cell->verdict.state != MGC_VERDICT_SKIPPED ||
            mgc_results_left_out(results, cell->cell, &found) != rule)
            continue;
        cause = found;
        json_array_append_new(left_out, mgc_json_text(cell->cell->id));
    }
    json_object_set_new(row, "rule", json_string("shorten"));
    json_object_set_new(row, "workload", mgc_json_text(rule->workload));
    json_object_set_new(row, "above_s", json_real((double)rule->above_ms / 1000));
    json_object_set_new(row, "reps", json_integer(rule->reps));
    json_object_set_new(row, "fired", json_boolean(cause != NULL));
    json_object_set_new(row, "cause", cause ? mgc_json_text(cause->cell->id) : json_null());
    json_object_set_new(row, "left_out", left_out);
    return row;
}

bool mgc_part_phone(const struct mgc_results *results, json_t *doc, struct mgc_error *err)
{
    const struct mgc_plan *plan = results->plan;
    json_t *rules = json_array();
    for (size_t i = 0; i < plan->shorten_count; i++)
        json_array_append_new(rules, rule_json(results, &plan->shorten[i]));
    json_object_set_new(doc, "order", mgc_part_text(plan->order ? plan->order : "fixed"));
    json_object_set_new(doc, "seed", json_integer(plan->seed));
    json_object_set_new(doc, "reference", mgc_part_text(plan->reference));
    json_object_set_new(doc, "rules", rules);
    json_object_set_new(doc, "setup", mgc_part_fields(&results->setup));
    return set_comparisons(results, doc, err);
}
