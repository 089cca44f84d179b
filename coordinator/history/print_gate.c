/* The gate's answers: for the end of a run, for `mgcoord history`, and as JSON. */
#include <math.h>
#include <stdio.h>

#include "coordinator/history/print.h"
#include "coordinator/history/run_gate.h"

void mgc_run_gate_arm_print(const struct mgc_run_gate_arm *arm, struct mgc_buf *out)
{
    char text[160], numbers[160];
    mgc_gate_text(&arm->result, text, sizeof(text));
    mgc_buf_puts(out, text);
    if (arm->result.judged) {
        mgc_gate_numbers(&arm->result, numbers, sizeof(numbers));
        mgc_buf_printf(out, ": %s", numbers);
    }
    if (arm->other_link || (arm->result.decision == MGC_GATE_NO_BASELINE && arm->left_out)) {
        mgc_buf_printf(out, "; %zu more %s not like this one: ", arm->left_out,
            arm->left_out == 1 ? "is" : "are");
        mgc_print_short_hashes(arm->why, out);
    }
}

/* What a person has to look at. */
static bool is_news(const struct mgc_run_gate_arm *arm)
{
    const struct mgc_gate_result *result = &arm->result;
    return arm->other_link || result->flagged || result->decision == MGC_GATE_REGRESSED ||
           result->decision == MGC_GATE_IMPROVED;
}

static void put_arm(const struct mgc_run_gate_arm *arm, struct mgc_buf *out)
{
    mgc_buf_printf(out, "  %s %s%s%s  ", arm->key.workload, arm->key.arm,
        arm->key.backend ? " " : "", arm->key.backend ? arm->key.backend : "");
    mgc_run_gate_arm_print(arm, out);
    mgc_buf_putc(out, '\n');
}

static size_t count_of(const struct mgc_run_gate *gate, enum mgc_gate_decision decision)
{
    size_t count = 0;
    for (size_t i = 0; i < gate->count; i++)
        count += gate->arms[i].result.decision == decision;
    return count;
}

static void put_counts(const struct mgc_run_gate *gate, struct mgc_buf *out)
{
    const char *between = "gate: ";
    for (int i = MGC_GATE_REGRESSED; i >= 0; i--) {
        size_t count = count_of(gate, (enum mgc_gate_decision)i);
        if (count == 0)
            continue;
        mgc_buf_printf(
            out, "%s%zu %s", between, count, mgc_gate_decision_name((enum mgc_gate_decision)i));
        between = ", ";
    }
    mgc_buf_puts(out, gate->count ? "\n" : "gate: no arm\n");
}

void mgc_run_gate_print(const struct mgc_run_gate *gate, bool all, struct mgc_buf *out)
{
    put_counts(gate, out);
    for (size_t i = 0; i < gate->count; i++) {
        if (all || is_news(&gate->arms[i]))
            put_arm(&gate->arms[i], out);
    }
}

/* ---- JSON ---- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *ratio(double log_change)
{
    return isfinite(log_change) ? json_real(exp(log_change)) : json_null();
}

static void set_numbers(json_t *row, const struct mgc_gate_result *result)
{
    json_object_set_new(row, "fps_ratio", ratio(result->change));
    json_object_set_new(row, "fps_ratio_low", ratio(result->low));
    json_object_set_new(row, "fps_ratio_high", ratio(result->high));
    json_object_set_new(row, "floor", real(expm1(result->floor)));
    json_object_set_new(row, "p", real(result->p));
    json_object_set_new(row, "adjusted_p", real(result->adjusted_p));
    json_object_set_new(row, "confirm_fps_ratio", ratio(result->confirm_change));
}

json_t *mgc_run_gate_arm_to_json(const struct mgc_run_gate_arm *arm)
{
    static const char *const inputs[] = {[MGC_GATE_INPUTS_UNKNOWN] = "unknown",
        [MGC_GATE_INPUTS_CHANGED] = "changed",
        [MGC_GATE_INPUTS_UNCHANGED] = "unchanged"};
    const struct mgc_gate_result *result = &arm->result;
    char text[160];
    json_t *row = json_object();
    mgc_gate_text(result, text, sizeof(text));
    json_object_set_new(row, "decision", json_string(mgc_gate_decision_name(result->decision)));
    json_object_set_new(row, "open",
        result->open == MGC_GATE_OPEN_NOT ? json_null()
                                          : json_string(mgc_gate_open_name(result->open)));
    json_object_set_new(row, "text", mgc_json_text(text));
    json_object_set_new(row, "flagged", json_boolean(result->flagged));
    json_object_set_new(row, "inputs", json_string(inputs[result->inputs]));
    json_object_set_new(row, "nights", json_integer((json_int_t)result->nights));
    json_object_set_new(row, "nights_needed", json_integer((json_int_t)result->nights_needed));
    json_object_set_new(row, "baseline_nights", json_integer((json_int_t)result->baseline));
    json_object_set_new(row, "rounds", json_integer((json_int_t)result->rounds));
    json_object_set_new(row, "confirm_rounds", json_integer((json_int_t)result->confirm_rounds));
    json_object_set_new(row, "left_out", json_integer((json_int_t)arm->left_out));
    json_object_set_new(row, "other_link", json_boolean(arm->other_link));
    json_object_set_new(row, "why", arm->why[0] ? mgc_json_text(arm->why) : json_null());
    set_numbers(row, result);
    return row;
}

json_t *mgc_run_gate_to_json(const struct mgc_run_gate *gate)
{
    json_t *doc = json_object(), *arms = json_array();
    json_object_set_new(doc, "failed", json_boolean(mgc_run_gate_failed(gate)));
    for (size_t i = 0; i < gate->count; i++) {
        json_t *row = json_object(), *result = mgc_run_gate_arm_to_json(&gate->arms[i]);
        mgc_arm_key_to_json(&gate->arms[i].key, row);
        json_object_update(row, result);
        json_decref(result);
        json_array_append_new(arms, row);
    }
    json_object_set_new(doc, "arms", arms);
    return doc;
}
