#include "coordinator/merge/bad_look.h"

#include <string.h>

#include "coordinator/merge/confirm.h"
#include "coordinator/verify/reasons.h"

const struct mgc_bracket_result *mgc_results_bad_look(
    const struct mgc_results *results, const struct mgc_cell *cell)
{
    const struct mgc_bracket_result *bracket = mgc_results_look(results, cell, false);
    return bracket && bracket->verdict.state != MGC_VERDICT_MEASURED ? bracket : NULL;
}

bool mgc_results_leave_block(const struct mgc_results *results, struct mgc_cell_result *result)
{
    const struct mgc_bracket_result *bracket = mgc_results_bad_look(results, result->cell);
    if (bracket)
        mgc_reason_set(&result->verdict, MGC_REASON_PATH_NOT_GOOD, "%s: %s", bracket->cell->id,
            bracket->verdict.text);
    return bracket != NULL;
}

/* ---- afterwards ---- */

static bool is_named(const struct mgc_verdict *verdict, enum mgc_reason reason)
{
    return strcmp(verdict->reason, mgc_reason_words(reason)->name) == 0;
}

/* Nobody looked, or the look was cut short by the user: nothing was decided by it. */
static bool was_looked_at(const struct mgc_bracket_result *bracket)
{
    return bracket && mgc_verdict_is_named(&bracket->verdict) &&
           !is_named(&bracket->verdict, MGC_REASON_INTERRUPTED);
}

void mgc_results_restore_bad_looks(struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        struct mgc_cell_result *result = &results->cells[i], own = {.cell = result->cell};
        bool asked = !own.cell->confirm || mgc_results_gate_flagged(results, own.cell);
        if (result->attempts || !is_named(&result->verdict, MGC_REASON_RUN_STOPPED) || !asked ||
            !was_looked_at(mgc_results_bad_look(results, own.cell)) ||
            !mgc_results_leave_block(results, &own))
            continue;
        mgc_verdict_destroy(&result->verdict);
        result->verdict = own.verdict;
    }
}
