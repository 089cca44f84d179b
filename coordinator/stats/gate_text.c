/* The sentences for a gate's answers. */
#include <math.h>
#include <stdio.h>

#include "coordinator/stats/gate.h"

static double percent(double log_change)
{
    double value = 100 * expm1(log_change);
    return fabs(value) < 0.05 ? 0 : value;
}

/* The change furthest from 0 that the interval leaves possible. */
static double not_ruled_out(const struct mgc_gate_result *result)
{
    return fmax(fabs(percent(result->low)), fabs(percent(result->high)));
}

static void put_open(const struct mgc_gate_result *result, char *text, size_t size)
{
    const char *name = mgc_gate_decision_name(result->decision);
    switch (result->open) {
    case MGC_GATE_OPEN_NOT:
        snprintf(text, size, "%s", name);
        return;
    case MGC_GATE_OPEN_NOT_MEASURED:
        snprintf(text, size, "%s (not measured)", name);
        return;
    case MGC_GATE_OPEN_NO_VARIANCE:
        snprintf(text, size, "%s (all nights have the same number: noise not seen)", name);
        return;
    case MGC_GATE_OPEN_NOISE:
        snprintf(text, size, "%s (changes up to %.1f %% are not ruled out)", name,
            not_ruled_out(result));
        return;
    case MGC_GATE_OPEN_NOT_RUN:
        snprintf(text, size, "%s (no confirming round)", name);
        return;
    case MGC_GATE_OPEN_DISAGREES:
        snprintf(text, size, "%s (%+.1f %% in the confirming rounds)", name,
            percent(result->confirm_change));
        return;
    case MGC_GATE_OPEN_FAMILY:
        snprintf(
            text, size, "%s (among all arms it may be chance, p = %.2g)", name, result->adjusted_p);
        return;
    }
    snprintf(text, size, "unknown");
}

void mgc_gate_text(const struct mgc_gate_result *result, char *text, size_t size)
{
    char open[128];
    bool changed = result->decision == MGC_GATE_REGRESSED || result->decision == MGC_GATE_IMPROVED;
    if (result->decision == MGC_GATE_NO_BASELINE) {
        snprintf(text, size, "%s (%zu of %zu nights)", mgc_gate_decision_name(result->decision),
            result->nights, result->nights_needed);
        return;
    }
    put_open(result, open, sizeof(open));
    snprintf(text, size, "%s%s", open,
        changed && result->inputs == MGC_GATE_INPUTS_UNCHANGED ? ", with unchanged inputs" : "");
}

void mgc_gate_numbers(const struct mgc_gate_result *result, char *text, size_t size)
{
    char rounds[48], p[48] = "";
    if (!result->judged) {
        snprintf(text, size, "-");
        return;
    }
    snprintf(rounds, sizeof(rounds), result->confirm_rounds ? "%zu + %zu" : "%zu", result->rounds,
        result->confirm_rounds);
    if (result->flagged && result->confirm_rounds)
        snprintf(p, sizeof(p), result->adjusted_p < 0.001 ? ", p < 0.001" : ", p = %.3f",
            result->adjusted_p);
    snprintf(text, size, "%+.1f %% (%+.1f to %+.1f), floor %.1f %%, %zu nights, %s rounds%s",
        percent(result->change), percent(result->low), percent(result->high),
        percent(result->floor), result->baseline, rounds, p);
}
