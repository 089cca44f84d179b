#include "coordinator/merge/confirm.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"

#include "coordinator/verify/reasons.h"

bool mgc_plan_confirms(const struct mgc_plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].confirm)
            return true;
    }
    return false;
}

static bool is_named(const struct mgc_verdict *verdict, enum mgc_reason reason)
{
    return strcmp(verdict->reason, mgc_reason_words(reason)->name) == 0;
}

static bool never_began(const struct mgc_cell_result *result)
{
    const struct mgc_verdict *verdict = &result->verdict;
    return result->cell->confirm && result->attempts == 0 &&
           (!mgc_verdict_is_named(verdict) || is_named(verdict, MGC_REASON_NOT_FLAGGED) ||
               is_named(verdict, MGC_REASON_RUN_STOPPED));
}

static void drop_cells(struct mgc_results *results)
{
    size_t kept = 0;
    for (size_t i = 0; i < results->count; i++) {
        struct mgc_cell_result *result = &results->cells[i];
        if (!never_began(result)) {
            results->cells[kept++] = *result;
            continue;
        }
        free(result->dir);
        mgc_verdict_destroy(&result->verdict);
        mgc_verdict_destroy(&result->beside);
    }
    results->count = kept;
}

void mgc_results_drop_unconfirmed(struct mgc_results *results)
{
    size_t kept = 0;
    drop_cells(results);
    for (size_t i = 0; i < results->bracket_count; i++) {
        struct mgc_bracket_result *bracket = &results->brackets[i];
        if (!bracket->cell->confirm || mgc_verdict_is_named(&bracket->verdict))
            results->brackets[kept++] = *bracket;
        else
            mgc_verdict_destroy(&bracket->verdict);
    }
    results->bracket_count = kept;
}

/* ---- what the gate said ---- */

bool mgc_results_regressed(const struct mgc_results *results)
{
    return json_is_true(json_object_get(results->gate, "failed"));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

void mgc_results_regressed_text(const struct mgc_results *results, struct mgc_buf *out)
{
    const json_t *arms = json_object_get(results->gate, "arms");
    const char *between = "";
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const json_t *arm = json_array_get(arms, i);
        if (strcmp(text_of(arm, "decision"), "regressed") != 0)
            continue;
        mgc_buf_printf(out, "%s%s of %s", between, text_of(arm, "arm"), text_of(arm, "workload"));
        between = ", ";
    }
}

static bool has_text(const json_t *object, const char *key, const char *text)
{
    return mgc_str_same(json_string_value(json_object_get(object, key)), text);
}

bool mgc_results_gate_flagged(const struct mgc_results *results, const struct mgc_cell *cell)
{
    const json_t *arms = json_object_get(results->gate, "arms");
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const json_t *arm = json_array_get(arms, i);
        if (has_text(arm, "lane", cell->lane) && has_text(arm, "workload", cell->workload) &&
            has_text(arm, "arm", cell->arm) && has_text(arm, "backend", cell->expect.backend))
            return json_is_true(json_object_get(arm, "flagged"));
    }
    return false;
}

const char *mgc_results_gate_line(const struct mgc_results *results, size_t nth)
{
    return json_string_value(json_array_get(json_object_get(results->gate, "lines"), nth));
}
