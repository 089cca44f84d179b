/* summary.json of a run with several lanes: "merged". */
#include <stdlib.h>

#include "coordinator/report/merged.h"
#include "coordinator/report/parts.h"

/* null for what there is not. */
static json_t *arm_json(const struct mgc_merged_arm *arm)
{
    char text[384] = "";
    json_t *row = json_object();
    json_object_set_new(row, "workload", mgc_json_text(arm->cell->workload));
    json_object_set_new(row, "arm", mgc_json_text(arm->cell->arm));
    json_object_set_new(row, "backend", mgc_part_text(arm->cell->expect.backend));
    json_object_set_new(row, "lane", mgc_json_text(arm->cell->lane));
    json_object_set_new(
        row, "client", json_string(mgc_cell_on_phone(arm->cell) ? "phone" : "host"));
    json_object_set_new(row, "cells", json_integer((json_int_t)arm->cells));
    json_object_set_new(row, "n", json_integer((json_int_t)arm->n));
    json_object_set_new(row, "mean_ms", mgc_part_derived(arm->mean_ms));
    json_object_set_new(row, "best_ms", mgc_part_derived(arm->best_ms));
    json_object_set_new(row, "spread_pct", mgc_part_derived(arm->spread_pct));
    json_object_set_new(row, "fps", mgc_part_derived(arm->fps));
    json_object_set_new(row, "p95_ms", mgc_part_derived(arm->p95_ms));
    json_object_set_new(row, "p99_ms", mgc_part_derived(arm->p99_ms));
    json_object_set_new(row, "is_reference", json_boolean(arm->is_reference));
    if (arm->against)
        mgc_merged_against(arm->against, arm->n, text, sizeof(text));
    json_object_set_new(row, "against_reference", mgc_part_text(text));
    return row;
}

bool mgc_part_merged(const struct mgc_results *results, json_t *doc, struct mgc_error *err)
{
    struct mgc_merged merged;
    const char *text;
    if (!mgc_merged_make(&merged, results, err))
        return false;
    json_t *object = json_object(), *arms = json_array(), *rows = json_array(),
           *notes = json_array();
    for (size_t i = 0; i < merged.count; i++)
        json_array_append_new(arms, arm_json(&merged.arms[i]));
    for (size_t i = 0; i < merged.penalty_count; i++)
        json_array_append_new(rows, mgc_part_comparison(&merged.penalties[i]));
    for (size_t nth = 0; (text = mgc_merged_footnote(&merged, nth)); nth++)
        json_array_append_new(notes, json_string(text));
    json_object_set_new(object, "arms", arms);
    json_object_set_new(object, "penalties", rows);
    json_object_set_new(object, "footnotes", notes);
    json_object_set_new(doc, "merged", object);
    mgc_merged_destroy(&merged);
    return true;
}
