#include "coordinator/merge/link_band.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/verify/reasons.h"

static const struct {
    const char *metric, *what, *unit;
    double least; /* smaller differences are none */
} looks[] = {
    {"up_mbit_s", "throughput to the phone", "Mbit/s", 0},
    {"down_mbit_s", "throughput from the phone", "Mbit/s", 0},
    {"link_rtt_ms", "round trip", "ms", MGC_LINK_RTT_LEAST_MS},
};

bool mgc_link_band_left(const struct mgc_fields *before, const struct mgc_fields *after,
    int64_t band_pct, char *ret_text, size_t size)
{
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        double first, second;
        if (!mgc_fields_get_double(before, looks[i].metric, &first) ||
            !mgc_fields_get_double(after, looks[i].metric, &second))
            continue;
        double allowed = fmin(first, second) * (double)band_pct / 100;
        if (fabs(second - first) <= fmax(allowed, looks[i].least))
            continue;
        snprintf(ret_text, size, "%s was %.3g %s before and %.3g %s after, more than %lld %% apart",
            looks[i].what, first, looks[i].unit, second, looks[i].unit, (long long)band_pct);
        return true;
    }
    return false;
}

static bool has_link_test(const struct mgc_cell *cell)
{
    for (size_t i = 0; i < cell->step_count; i++) {
        if (strcmp(cell->steps[i].kind, "wsl.netbench") == 0)
            return true;
    }
    return false;
}

static void void_block(struct mgc_results *results, const struct mgc_cell *bracket,
    enum mgc_reason reason, const char *text, mgc_path_amended *amended, void *user)
{
    size_t first, end = mgc_plan_block(results->plan, bracket, &first);
    for (size_t i = first; i < end; i++) {
        struct mgc_cell_result *cell = mgc_results_find(results, &results->plan->cells[i]);
        if (!cell || cell->verdict.state != MGC_VERDICT_MEASURED)
            continue;
        mgc_verdict_take_back(&cell->verdict);
        mgc_verdict_add(&cell->verdict, "link held", MGC_CHECK_BAD, "wsl.netbench", "%s", text);
        mgc_reason_set(&cell->verdict, reason, "%s", text);
        amended(user, cell);
    }
}

void mgc_link_band_judge(struct mgc_results *results, const struct mgc_cell *after,
    mgc_path_amended *amended, void *user)
{
    const struct mgc_bracket_result *first = mgc_results_look(results, after, false);
    const struct mgc_bracket_result *second = mgc_results_bracket(results, after);
    char moved[256], text[512];
    if (!first || !second || !has_link_test(after))
        return;
    const struct mgc_bracket_result *bad =
        first->verdict.state != MGC_VERDICT_MEASURED ? first : second;
    if (bad->verdict.state != MGC_VERDICT_MEASURED) {
        snprintf(text, sizeof(text), "%s was not good: %.300s", bad->cell->id, bad->verdict.text);
        void_block(results, after, MGC_REASON_LINK_UNPROVED, text, amended, user);
    } else if (mgc_link_band_left(&first->verdict.metrics, &second->verdict.metrics,
                   results->plan->link_band, moved, sizeof(moved))) {
        snprintf(text, sizeof(text), "the link moved while its block was measured: %s", moved);
        void_block(results, after, MGC_REASON_LINK_MOVED, text, amended, user);
    }
}
