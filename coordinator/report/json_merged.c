/* summary.json of a run with several lanes: "merged". */
#include <math.h>
#include <stdlib.h>

#include "coordinator/report/merged.h"
#include "coordinator/report/parts.h"

/* What "link" of an arm holds; ranges are those of the looks. */
static json_t *link_json(const struct mgc_results *results, const struct mgc_merged_arm *arm)
{
    const struct mgc_link_effect *link = &arm->link;
    struct mgc_spread read;
    bool told = mgc_merged_read(results, arm, &read);
    char text[192];
    json_t *row = json_object();
    json_object_set_new(row, "cells", json_integer((json_int_t)link->cells));
    json_object_set_new(row, "tested_around", json_integer((json_int_t)link->looked));
    json_object_set_new(row, "lowest", mgc_link_look_to_json(&link->low));
    json_object_set_new(row, "highest", mgc_link_look_to_json(&link->high));
    json_object_set_new(row, "mb_per_frame", mgc_part_derived(link->use.mbyte_per_frame));
    json_object_set_new(row, "round_trips_per_frame", mgc_part_derived(link->use.trips_per_frame));
    json_object_set_new(row, "throughput_ms", mgc_part_derived(link->moves.transfer_ms));
    json_object_set_new(row, "round_trips_ms", mgc_part_derived(link->moves.waiting_ms));
    json_object_set_new(row, "explains_ms", mgc_part_derived(link->moves.ms));
    json_object_set_new(row, "floor", mgc_part_derived(link->floor));
    json_object_set_new(row, "server_read_mb_s", mgc_part_derived(told ? read.median : NAN));
    mgc_link_effect_text(link, text, sizeof(text));
    json_object_set_new(row, "text", mgc_json_text(text));
    return row;
}

/* null for what there is not. */
static json_t *arm_json(const struct mgc_results *results, const struct mgc_merged_arm *arm)
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
    json_object_set_new(
        row, "link", mgc_cell_over_network(arm->cell) ? link_json(results, arm) : json_null());
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
        json_array_append_new(arms, arm_json(results, &merged.arms[i]));
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
