#include "coordinator/plan/plan_json.h"

/* json_object_set_new and json_array_append_new take NULL values for failures, so that a chain can
 * be built first and judged once. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *value_to_json(const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        return json_boolean(value->boolean);
    case MGC_VALUE_INT:
        return json_integer(value->integer);
    case MGC_VALUE_DOUBLE:
        return json_real(value->real);
    case MGC_VALUE_STRING:
        break;
    }
    return json_string(value->string);
}

/* Gives `json` back, or frees it and gives NULL. */
static json_t *only_if(bool ok, json_t *json)
{
    if (!ok) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *fields_to_json(const struct mgc_fields *fields)
{
    json_t *object = json_object();
    bool ok = object != NULL;
    for (size_t i = 0; ok && i < fields->count; i++)
        ok = put(object, fields->items[i].name, value_to_json(&fields->items[i].value));
    return only_if(ok, object);
}

static json_t *names_to_json(const struct mgc_fields *fields)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < fields->count; i++)
        ok = json_array_append_new(array, json_string(fields->items[i].name)) == 0;
    return only_if(ok, array);
}

static json_t *deps_to_json(const struct mgc_cell *cell, const struct mgc_step *step)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < step->dep_count; i++) {
        const char *kind = step->deps[i].kind == MGC_DEP_READY ? "ready" : "done";
        ok = json_array_append_new(array, json_pack("{s:s, s:s}", "step",
                                              cell->steps[step->deps[i].step].id, "is", kind)) == 0;
    }
    return only_if(ok, array);
}

static json_t *step_to_json(const struct mgc_cell *cell, const struct mgc_step *step)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:b, s:b}", "id", step->id, "kind", step->kind,
        "role", mgc_role_name(step->role), "deadline_ms", (json_int_t)step->deadline_ms, "holds",
        step->holds, "best_effort", step->best_effort);
    bool ok = object && put(object, "params", fields_to_json(&step->params)) &&
              put(object, "secrets", names_to_json(&step->secrets)) &&
              put(object, "after", deps_to_json(cell, step)) &&
              (!step->ready_ms || put(object, "ready_ms", json_integer(step->ready_ms))) &&
              (!step->barrier || put(object, "barrier", json_string(step->barrier)));
    return only_if(ok, object);
}

static bool put_phone(json_t *object, const struct mgc_expect *expect)
{
    return put(object, "package", json_string(expect->package)) &&
           put(object, "pipe_stats", json_boolean(expect->pipe_stats)) &&
           put(object, "plugged", json_boolean(expect->plugged)) &&
           put(object, "temp_min_dc", json_integer(expect->temp_min_dc)) &&
           put(object, "temp_max_dc", json_integer(expect->temp_max_dc)) &&
           (!expect->pins || put(object, "pins", json_string(expect->pins)));
}

static json_t *expect_to_json(const struct mgc_cell *cell)
{
    const struct mgc_expect *expect = &cell->expect;
    json_t *object = json_pack("{s:I, s:I, s:I, s:s*, s:s*}", "width", (json_int_t)expect->width,
        "height", (json_int_t)expect->height, "credit", (json_int_t)expect->credit, "backend",
        expect->backend, "endpoint", expect->endpoint);
    bool ok = object && (!expect->package || put_phone(object, expect));
    if (ok && cell->mode == MGC_MODE_SSIM)
        ok = put(object, "ssim_threshold", json_real(expect->ssim_threshold));
    else if (ok)
        ok = put(object, "frames", json_integer(expect->frames)) &&
             put(object, "benchmark_finish", json_boolean(expect->benchmark_finish));
    return only_if(ok, object);
}

static json_t *cell_to_json(const struct mgc_cell *cell)
{
    json_t *object = json_pack("{s:s, s:s, s:s}", "id", cell->id, "kind",
        mgc_cell_kind_name(cell->kind), "lane", cell->lane);
    bool ok = object && put(object, "crosses_hosts", json_boolean(cell->crosses_hosts));
    if (ok && cell->kind == MGC_CELL_MEASURE)
        ok = put(object, "workload", json_string(cell->workload)) &&
             put(object, "arm", json_string(cell->arm)) &&
             put(object, "rep", json_integer(cell->rep)) &&
             put(object, "mode", json_string(mgc_mode_name(cell->mode))) &&
             put(object, "expect", expect_to_json(cell));
    if (ok && cell->kind == MGC_CELL_BRACKET)
        ok = put(object, "side", json_string(cell->after ? "after" : "before")) &&
             (!cell->workload || put(object, "workload", json_string(cell->workload)));
    if (ok && cell->round)
        ok = put(object, "round", json_integer(cell->round));
    if (ok && cell->confirm)
        ok = put(object, "confirm", json_true());
    if (ok && cell->block)
        ok = put(object, "block", json_integer((json_int_t)cell->block));
    json_t *steps = json_array();
    ok = ok && steps;
    for (size_t i = 0; ok && i < cell->step_count; i++)
        ok = json_array_append_new(steps, step_to_json(cell, &cell->steps[i])) == 0;
    if (!ok)
        json_decref(steps);
    return only_if(ok && put(object, "steps", steps), object);
}

static json_t *shorten_to_json(const struct mgc_plan *plan)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < plan->shorten_count; i++) {
        const struct mgc_shorten *rule = &plan->shorten[i];
        ok = json_array_append_new(array,
                 json_pack("{s:s, s:s, s:I, s:I}", "lane", rule->lane, "workload", rule->workload,
                     "above_ms", (json_int_t)rule->above_ms, "reps", (json_int_t)rule->reps)) == 0;
    }
    return only_if(ok, array);
}

static bool put_name(json_t *object, const struct mgc_plan *plan)
{
    return !plan->phone || (put(object, "phone", json_string(plan->phone)) &&
                               put(object, "part_of", json_string(plan->part_of)));
}

static bool put_rules(json_t *object, const struct mgc_plan *plan)
{
    return put(object, "interleaved", json_boolean(plan->interleaved)) &&
           put(object, "link_band", json_integer(plan->link_band)) &&
           (!plan->order || (put(object, "order", json_string(plan->order)) &&
                                put(object, "seed", json_integer(plan->seed)))) &&
           (!plan->reference || put(object, "reference", json_string(plan->reference))) &&
           (!plan->shorten_count || put(object, "shorten", shorten_to_json(plan)));
}

json_t *mgc_plan_to_json(const struct mgc_plan *plan)
{
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "name", plan->name, "run_id",
        plan->run_id, "barrier_timeout_ms", (json_int_t)plan->barrier_timeout_ms,
        "worker_timeout_ms", (json_int_t)plan->worker_timeout_ms, "retries_per_cell",
        (json_int_t)plan->retries_per_cell, "replacements", (json_int_t)plan->replacements,
        "lead_ms", (json_int_t)plan->lead_ms);
    json_t *cells = json_array();
    bool ok = object && cells && put_name(object, plan) && put_rules(object, plan);
    for (size_t i = 0; ok && i < plan->cell_count; i++)
        ok = json_array_append_new(cells, cell_to_json(&plan->cells[i])) == 0;
    if (!ok)
        json_decref(cells);
    return only_if(ok && put(object, "cells", cells), object);
}

static json_t *list_to_json(const struct mgc_setting *setting)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < setting->item_count; i++)
        ok = json_array_append_new(array, setting->row->kind == MGC_KIND_INTS
                                              ? json_integer(setting->item_ints[i])
                                              : json_string(setting->items[i])) == 0;
    return only_if(ok, array);
}

static json_t *setting_to_json(const struct mgc_setting *setting)
{
    switch (setting->row->kind) {
    case MGC_KIND_INT:
    case MGC_KIND_DURATION: /* in ms */
        return json_integer(setting->integer);
    case MGC_KIND_BOOL:
        return json_boolean(setting->integer);
    case MGC_KIND_TEXTS:
    case MGC_KIND_INTS:
        return list_to_json(setting);
    default:
        return json_string(mgc_setting_shown(setting));
    }
}

json_t *mgc_settings_to_json(const struct mgc_settings *settings)
{
    json_t *object = json_object();
    bool ok = object != NULL;
    for (size_t i = 0; ok && i < settings->count; i++) {
        const struct mgc_setting *setting = &settings->items[i];
        json_t *entry =
            json_pack("{s:o, s:s}", "value", setting_to_json(setting), "source", setting->origin);
        ok = put(object, setting->key, entry);
    }
    return only_if(ok, object);
}
