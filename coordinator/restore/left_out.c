/* What the plan left out has no directory: only summary.json, or state.json, tells of it. */
#include <string.h>

#include "coordinator/restore/parts.h"
#include "coordinator/verify/reasons.h"

/* False: it is none of the reasons for which a plan leaves a cell out. */
static bool find_reason(const char *name, enum mgc_reason *ret_reason)
{
    static const enum mgc_reason reasons[] = {
        MGC_REASON_LEFT_OUT, MGC_REASON_NO_TIME_LEFT, MGC_REASON_TIME_OVER};
    for (size_t i = 0; name && i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        *ret_reason = reasons[i];
        if (strcmp(mgc_reason_words(reasons[i])->name, name) == 0)
            return true;
    }
    return false;
}

static struct mgc_cell_result *find_cell(struct mgc_results *results, const char *id)
{
    for (size_t i = 0; id && i < results->count; i++) {
        if (strcmp(results->cells[i].cell->id, id) == 0)
            return &results->cells[i];
    }
    return NULL;
}

void mgc_restore_left_out(const json_t *list, struct mgc_results *results)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i), *cells = json_object_get(row, "cells");
        const char *text = mgc_restore_text(row, "text");
        enum mgc_reason reason;
        if (!text || !find_reason(mgc_restore_text(row, "reason"), &reason))
            continue;
        for (size_t k = 0; k < json_array_size(cells); k++) {
            struct mgc_cell_result *cell =
                find_cell(results, json_string_value(json_array_get(cells, k)));
            if (!cell || cell->attempts > 0)
                continue;
            mgc_verdict_destroy(&cell->verdict);
            mgc_reason_set(&cell->verdict, reason, "%s", text);
        }
    }
}
