/* summary.json of a run on several phones. */
#include "coordinator/report/fleet.h"
#include "coordinator/report/parts.h"

static bool speeds_json(const struct mgc_fleet_report *report, const struct mgc_fleet_row *row,
    json_t *object, struct mgc_error *err)
{
    const char *workloads[MGC_FLEET_WORKLOADS_MAX];
    size_t count = mgc_fleet_workloads(report, workloads);
    json_t *list = json_array();
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct mgc_fleet_speed speed;
        ok = mgc_fleet_speed(row, workloads[i], &speed, err);
        if (!ok || !speed.arm)
            continue;
        json_t *one = json_object();
        json_object_set_new(one, "workload", mgc_json_text(workloads[i]));
        json_object_set_new(one, "arm", mgc_json_text(speed.arm));
        json_object_set_new(one, "n", json_integer((json_int_t)speed.n));
        json_object_set_new(one, "fps", mgc_part_derived(speed.fps));
        json_array_append_new(list, one);
    }
    json_object_set_new(object, "reference", list);
    return ok;
}

static void counts_json(const struct mgc_fleet_row *row, json_t *object)
{
    struct mgc_fleet_counts counts = mgc_fleet_count(row);
    json_object_set_new(object, "cells", json_integer((json_int_t)counts.cells));
    json_object_set_new(object, "measured", json_integer((json_int_t)counts.measured));
    json_object_set_new(object, "failed", json_integer((json_int_t)counts.failed));
    json_object_set_new(object, "invalid", json_integer((json_int_t)counts.invalid));
    json_object_set_new(object, "skipped", json_integer((json_int_t)counts.skipped));
    json_object_set_new(object, "incomplete", json_integer((json_int_t)counts.open));
}

static json_t *row_json(
    const struct mgc_fleet_report *report, const struct mgc_fleet_row *row, struct mgc_error *err)
{
    json_t *object = json_object();
    struct mgc_buf reason = {0};
    mgc_fleet_row_reason(row, &reason);
    json_object_set_new(object, "phone", mgc_json_text(row->phone));
    json_object_set_new(object, "dir", mgc_json_text(row->dir));
    json_object_set_new(
        object, "run_id", mgc_part_text(row->results ? row->results->plan->run_id : NULL));
    json_object_set_new(object, "exit_code", json_integer(mgc_fleet_row_code(row)));
    json_object_set_new(object, "reason", mgc_part_text(mgc_buf_text(&reason)));
    counts_json(row, object);
    mgc_buf_destroy(&reason);
    if (speeds_json(report, row, object, err))
        return object;
    json_decref(object);
    return NULL;
}

bool mgc_fleet_json(
    const struct mgc_fleet_report *report, struct mgc_buf *out, struct mgc_error *err)
{
    json_t *doc = json_object(), *rows = json_array();
    struct mgc_buf sentence = {0};
    bool ok = mgc_fleet_sentence(report, &sentence, err);
    json_object_set_new(doc, "schema", json_string("mgcoord-fleet-1"));
    json_object_set_new(doc, "run_id", mgc_json_text(report->run_id));
    json_object_set_new(doc, "plan", mgc_json_text(report->plan));
    json_object_set_new(doc, "exit_code", json_integer(mgc_fleet_exit_code(report)));
    json_object_set_new(doc, "sentence", mgc_json_text(mgc_buf_text(&sentence)));
    mgc_buf_destroy(&sentence);
    for (size_t i = 0; ok && i < report->count; i++) {
        json_t *row = row_json(report, &report->rows[i], err);
        ok = row && json_array_append_new(rows, row) == 0;
    }
    json_object_set_new(doc, "phones", rows);
    if (ok)
        return mgc_part_print(doc, out, err);
    json_decref(doc);
    return false;
}
