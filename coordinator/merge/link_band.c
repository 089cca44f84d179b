#include "coordinator/merge/link_band.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/verify/reasons.h"

bool mgc_link_band_left(const struct mgc_fields *before, const struct mgc_fields *after,
    int64_t band_pct, char *ret_text, size_t size)
{
    static const struct {
        const char *what, *unit;
    } names[MGC_LINK_FIGURES] = {
        [MGC_LINK_UP] = {"throughput to the phone", "Mbit/s"},
        [MGC_LINK_DOWN] = {"throughput from the phone", "Mbit/s"},
        [MGC_LINK_RTT] = {"round trip", "ms"},
    };
    struct mgc_link_look first = mgc_link_look_of(before), second = mgc_link_look_of(after);
    enum mgc_link_figure figure = mgc_link_looks_apart(&first, &second, band_pct);
    if (figure == MGC_LINK_FIGURES)
        return false;
    snprintf(ret_text, size, "%s was %.3g %s before and %.3g %s after, more than %lld %% apart",
        names[figure].what, first.figures[figure], names[figure].unit, second.figures[figure],
        names[figure].unit, (long long)band_pct);
    return true;
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
