/* `mgcoord compare`: two lines that say which runs, then one block per arm. */
#include <math.h>
#include <stdio.h>

#include "coordinator/history/print.h"
#include "coordinator/stats/wording.h"

#define CAVEAT                                                                                     \
    "Rounds are paired by their number. Whatever differs from one night to the next by itself is " \
    "part of the difference, so it counts only beyond this device's noise floor."

static void put_run(const char *name, const struct mgc_history_run *run, struct mgc_buf *out)
{
    char when[MGC_WHEN_SIZE];
    mgc_print_when(run->start_wall_ns, when);
    mgc_buf_printf(
        out, "%s  %s  plan %s  %s  on ", name, run->run_id, run->plan ? run->plan : "-", when);
    mgc_print_device(run, out);
    mgc_buf_printf(out, "%s%s\n", run->frames_reduced ? ", reduced frame counts" : "",
        run->ended ? "" : ", did not come to its end");
}

static void put_side(const char *name, const struct mgc_arm_numbers *numbers, struct mgc_buf *out)
{
    if (numbers->has_spread)
        mgc_buf_printf(out, "  %s: median %.3f ms, %.3f to %.3f, %zu of %zu cells\n", name,
            numbers->spread.median, numbers->spread.min, numbers->spread.max, numbers->spread.n,
            numbers->cells);
    else if (numbers->cells)
        mgc_buf_printf(out, "  %s: no number, %zu of %zu cells measured\n", name, numbers->measured,
            numbers->cells);
    else
        mgc_buf_printf(out, "  %s: not in its plan\n", name);
}

static void put_floor(const struct mgc_run_arm *arm, struct mgc_buf *out)
{
    if (isfinite(arm->floor.fraction))
        mgc_buf_printf(out, "  %s: %.1f %%, by %zu nights with unchanged inputs\n", arm->floor.name,
            100 * arm->floor.fraction, arm->noise.nights);
    else
        mgc_buf_printf(out, "  %s: not known, %zu of %d nights with unchanged inputs\n",
            arm->floor.name, arm->noise.nights, MGC_BASELINE_NIGHTS);
}

static void put_arm(const struct mgc_run_arm *arm, struct mgc_buf *out)
{
    char text[320], numbers[160];
    mgc_buf_printf(out, "\n%s %s%s%s, %s\n", arm->key.workload, arm->key.arm,
        arm->key.backend ? " " : "", arm->key.backend ? arm->key.backend : "", MGC_HISTORY_METRIC);
    put_side("A", &arm->a, out);
    put_side("B", &arm->b, out);
    mgc_run_arm_text(arm, text, sizeof(text));
    mgc_buf_puts(out, "  B against A: ");
    if (arm->comparable == MGC_COMPARABLE_YES) {
        mgc_comparison_numbers(&arm->result, numbers, sizeof(numbers));
        mgc_buf_printf(out, "%s: ", numbers);
    }
    mgc_print_short_hashes(text, out);
    mgc_buf_putc(out, '\n');
    if (arm->comparable == MGC_COMPARABLE_YES)
        put_floor(arm, out);
}

void mgc_run_pair_print(const struct mgc_run_pair *pair, struct mgc_buf *out)
{
    put_run("A", pair->a, out);
    put_run("B", pair->b, out);
    if (pair->a->lab || pair->b->lab)
        mgc_buf_puts(out, "Numbers of the lab's phone say nothing about a real one.\n");
    for (size_t i = 0; i < pair->count; i++)
        put_arm(&pair->arms[i], out);
    mgc_buf_puts(out, pair->count ? "\n" CAVEAT "\n" : "\nNeither run has a benchmark.\n");
}

/* ---- JSON ---- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void set_result(json_t *row, const struct mgc_comparison *result)
{
    char numbers[160];
    bool bounds = result->interval.method != MGC_INTERVAL_NONE;
    mgc_comparison_numbers(result, numbers, sizeof(numbers));
    json_object_set_new(row, "left_out", json_integer((json_int_t)result->left_out));
    json_object_set_new(row, "ratio", real(result->ratio));
    json_object_set_new(
        row, "method", json_string(mgc_interval_method_name(result->interval.method)));
    json_object_set_new(row, "ratio_low", bounds ? real(result->ratio_low) : json_null());
    json_object_set_new(row, "ratio_high", bounds ? real(result->ratio_high) : json_null());
    json_object_set_new(row, "p", result->tested ? real(result->adjusted_p) : json_null());
    json_object_set_new(row, "conclusion", json_string(mgc_conclusion_name(result->conclusion)));
    json_object_set_new(row, "open",
        result->open == MGC_OPEN_NOT ? json_null() : json_string(mgc_open_name(result->open)));
    json_object_set_new(row, "numbers", mgc_json_text(numbers));
}

static json_t *arm_json(const struct mgc_run_arm *arm)
{
    static const char *const answers[] = {[MGC_COMPARABLE_UNKNOWN] = "unknown",
        [MGC_COMPARABLE_NO] = "no",
        [MGC_COMPARABLE_YES] = "yes"};
    char text[320];
    json_t *row = json_object();
    mgc_run_arm_text(arm, text, sizeof(text));
    mgc_arm_key_to_json(&arm->key, row);
    json_object_set_new(row, "a", mgc_arm_numbers_to_json(&arm->a));
    json_object_set_new(row, "b", mgc_arm_numbers_to_json(&arm->b));
    json_object_set_new(row, "comparable", json_string(answers[arm->comparable]));
    json_object_set_new(row, "n", json_integer((json_int_t)arm->result.n));
    if (arm->comparable == MGC_COMPARABLE_YES) {
        set_result(row, &arm->result);
        json_object_set_new(row, "floor", real(arm->floor.fraction));
        json_object_set_new(row, "floor_nights", json_integer((json_int_t)arm->noise.nights));
        json_object_set_new(row, "floor_nights_needed", json_integer(MGC_BASELINE_NIGHTS));
    }
    json_object_set_new(row, "text", mgc_json_text(text));
    return row;
}

json_t *mgc_run_pair_to_json(const struct mgc_run_pair *pair)
{
    json_t *doc = json_object(), *arms = json_array();
    json_object_set_new(doc, "schema", json_string("mgcoord-compare-1"));
    json_object_set_new(doc, "a", mgc_history_run_to_json(pair->a));
    json_object_set_new(doc, "b", mgc_history_run_to_json(pair->b));
    for (size_t i = 0; i < pair->count; i++)
        json_array_append_new(arms, arm_json(&pair->arms[i]));
    json_object_set_new(doc, "arms", arms);
    json_object_set_new(doc, "note", json_string(CAVEAT));
    return doc;
}
