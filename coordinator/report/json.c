/* summary.json and verdict.json. Rows of "runs" have every key of the old summary (contract section
 * 3.1; rep is a string there): null where there is no such number. What is new stands beside them,
 * and is left out where it is absent. */
#include "common/json/json.h"
#include "coordinator/report/merged.h"
#include "coordinator/report/parts.h"
#include "coordinator/report/phone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/aggregate.h"
#include "coordinator/merge/left_out.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/link_look.h"
#include "coordinator/merge/settings.h"
#include "coordinator/report/columns.h"

/* Evidence lines are capped, and there is a bounded number of checks. */
#define VERDICT_MAX_BYTES ((size_t)4 << 20)

enum { ROW_BYTES = 32 * 1024 }; /* of a usual row in "runs"; others get more */

static void set_identity(json_t *row, const struct mgc_cell *cell)
{
    char rep[32];
    if (cell->mode == MGC_MODE_SSIM)
        snprintf(rep, sizeof(rep), "ssim");
    else
        snprintf(rep, sizeof(rep), "%lld", (long long)cell->rep);
    json_object_set_new(row, "id", mgc_json_text(cell->id));
    json_object_set_new(row, "lane", mgc_json_text(cell->lane));
    json_object_set_new(row, "workload", mgc_json_text(cell->workload));
    json_object_set_new(row, "arm", mgc_json_text(cell->arm));
    json_object_set_new(row, "rep", json_string(rep));
    json_object_set_new(row, "mode", json_string(mgc_mode_name(cell->mode)));
}

/* "finished" is what the old status meant by a run that counts in the means of its arm. */
static const char *old_status(const struct mgc_cell_result *cell)
{
    const struct mgc_verdict *verdict = &cell->verdict;
    if (verdict->state == MGC_VERDICT_MEASURED)
        return cell->cell->confirm ? "confirming" : "finished";
    return verdict->reason[0] ? verdict->reason : mgc_verdict_state_name(verdict->state);
}

/* The old report prints the message beside each picture: there a lab's run must say what it is. */
static void set_message(
    json_t *row, const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    const char *message = mgc_fields_get_str(&cell->verdict.metrics, "message");
    struct mgc_buf text = {0};
    if (mgc_device_is_lab(results))
        mgc_buf_printf(&text, "lab phone%s", message ? ": " : "");
    mgc_buf_puts(&text, message ? message : "");
    json_object_set_new(row, "message", mgc_part_text(mgc_buf_text(&text)));
    mgc_buf_destroy(&text);
}

static void fill_old_keys(json_t *row)
{
    static const char *const keys[] = {"battery_temp_dc", "fps", "mean_ms", "median_ms", "p95_ms",
        "total_frames", "total_seconds", "passed", "ssim"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (!json_object_get(row, keys[i]))
            json_object_set_new(row, keys[i], json_null());
    }
}

static json_t *real_or_null(const struct mgc_fields *metrics, const char *name)
{
    double value;
    return mgc_fields_get_double(metrics, name, &value) ? json_real(value) : json_null();
}

/* What a cell that was measured again is held against. */
static json_t *beside_json(const struct mgc_cell_result *result)
{
    json_t *object = json_object();
    const struct mgc_cell *reference = result->beside_cell; /* NULL: read back, not understood */
    json_object_set_new(object, "id", mgc_part_text(reference ? reference->id : NULL));
    json_object_set_new(object, "attempt", json_integer(result->beside_attempt));
    json_object_set_new(
        object, "verdict", json_string(mgc_verdict_state_name(result->beside.state)));
    json_object_set_new(
        object, MGC_COMPARED_METRIC, real_or_null(&result->beside.metrics, MGC_COMPARED_METRIC));
    return object;
}

/* The link around it; a cell between no two good tests has none. */
static void set_link(
    json_t *row, const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    struct mgc_link_around around;
    if (!mgc_results_link_around(results, cell->cell, &around))
        return;
    json_t *link = json_object();
    json_object_set_new(link, "before", mgc_link_look_to_json(&around.before));
    json_object_set_new(link, "after", mgc_link_look_to_json(&around.after));
    json_object_set_new(row, "link", link);
}

static json_t *cell_json(const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    json_t *row = json_object();
    double mean_ms, median_ms;
    set_identity(row, cell->cell);
    json_object_set_new(row, "status", mgc_json_text(old_status(cell)));
    if (cell->cell->confirm)
        json_object_set_new(row, "confirm", json_true());
    mgc_part_set_verdict_alone(row, &cell->verdict);
    mgc_part_set_fields(row, &cell->verdict.metrics);
    set_message(row, results, cell);
    if (mgc_fields_get(&cell->verdict.metrics, "throughput_fps"))
        json_object_set_new(row, "in_bursts", json_boolean(mgc_cell_in_bursts(cell)));
    if (mgc_cell_mean_is_apart(cell, &mean_ms, &median_ms))
        json_object_set_new(row, "mean_is_apart", json_true());
    fill_old_keys(row);
    json_object_set_new(row, "verify", mgc_part_old_verify(cell->cell, &cell->verdict));
    json_object_set_new(row, "duration_s",
        cell->attempts ? json_real((double)cell->duration_ns / 1e9) : json_null());
    if (mgc_cell_on_phone(cell->cell))
        mgc_part_phone_cell(cell, row);
    else if (cell->cell->expect.package)
        json_object_set_new(row, "pins", mgc_part_text(cell->cell->expect.pins));
    set_link(row, results, cell);
    json_object_set_new(row, "attempts", json_integer(cell->attempts));
    mgc_part_set_wall(row, cell->start_wall_ns, cell->end_wall_ns);
    if (cell->beside_attempt && !cell->again)
        json_object_set_new(row, "beside", beside_json(cell));
    if (results->resumes && cell->attempts)
        json_object_set_new(row, "session", json_integer(cell->session));
    json_object_set_new(row, "dir", mgc_part_text(cell->dir));
    json_object_set_new(row, "release", mgc_part_release(&cell->release));
    return row;
}

/* Absent numbers leave no key, as in the rows. */
static void set_spread(json_t *row, const struct mgc_results *results,
    const struct mgc_aggregate *aggregate, const char *metric)
{
    struct mgc_spread spread;
    char key[64];
    if (!mgc_aggregate_spread(results, aggregate, metric, &spread))
        return;
    json_t *ends = json_array();
    json_array_append_new(ends, mgc_part_derived(spread.min));
    json_array_append_new(ends, mgc_part_derived(spread.max));
    snprintf(key, sizeof(key), "median_%s", metric);
    json_object_set_new(row, key, mgc_part_derived(spread.median));
    snprintf(key, sizeof(key), "spread_%s", metric);
    json_object_set_new(row, key, ends);
}

/* What the terminal's table shows: ratios of these are the comparisons' ratios. */
static void set_kept_mean(
    json_t *row, const struct mgc_results *results, const struct mgc_aggregate *aggregate)
{
    struct mgc_spread spread;
    if (mgc_aggregate_spread(results, aggregate, MGC_COMPARED_METRIC, &spread))
        json_object_set_new(
            row, "geometric_mean_" MGC_COMPARED_METRIC, mgc_part_derived(spread.geometric_mean));
}

static void set_cells(
    json_t *row, const struct mgc_results *results, const struct mgc_aggregate *aggregate)
{
    json_t *counted = json_array(), *others = json_array();
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (mgc_aggregate_has(aggregate, cell))
            json_array_append_new(cell->verdict.state == MGC_VERDICT_MEASURED ? counted : others,
                mgc_json_text(cell->cell->id));
    }
    json_object_set_new(row, "cells", counted);
    json_object_set_new(row, "not_counted", others);
}

static json_t *aggregate_json(
    const struct mgc_results *results, const struct mgc_aggregate *aggregate)
{
    const struct mgc_fields *best = &aggregate->best->verdict.metrics;
    double spread = aggregate->max_mean_ms - aggregate->min_mean_ms;
    json_t *row = json_object(), *ends = json_array();
    json_array_append_new(ends, json_real(aggregate->min_mean_ms));
    json_array_append_new(ends, json_real(aggregate->max_mean_ms));
    json_object_set_new(row, "workload", mgc_json_text(aggregate->workload));
    json_object_set_new(row, "arm", mgc_json_text(aggregate->arm));
    if (mgc_cell_on_phone(aggregate->best->cell))
        json_object_set_new(row, "backend", mgc_part_text(aggregate->backend));
    json_object_set_new(row, "n_ok", json_integer((json_int_t)aggregate->count));
    json_object_set_new(row, "best_mean_ms", json_real(aggregate->min_mean_ms));
    json_object_set_new(row, "best_median_ms", real_or_null(best, "median_ms"));
    json_object_set_new(row, "best_p95_ms", real_or_null(best, "p95_ms"));
    json_object_set_new(row, "best_fps", real_or_null(best, "fps"));
    json_object_set_new(row, "median_of_mean_ms", mgc_part_derived(aggregate->median_mean_ms));
    json_object_set_new(row, "spread_mean_ms", ends);
    json_object_set_new(
        row, "spread_pct", mgc_part_derived(100 * spread / aggregate->median_mean_ms));
    json_object_set_new(row, "credit",
        aggregate->best->cell->expect.credit ? json_integer(aggregate->best->cell->expect.credit)
                                             : json_null());
    set_spread(row, results, aggregate, "throughput_fps");
    set_spread(row, results, aggregate, "steady_fps");
    set_spread(row, results, aggregate, "rtt_mean_ms");
    set_spread(row, results, aggregate, "stage_mb");
    set_spread(row, results, aggregate, MGC_COMPARED_METRIC);
    set_kept_mean(row, results, aggregate);
    set_cells(row, results, aggregate);
    return row;
}

static bool set_aggregates(json_t *doc, const struct mgc_results *results, struct mgc_error *err)
{
    struct mgc_aggregate *list;
    size_t count;
    if (!mgc_results_aggregate(results, &list, &count, err))
        return false;
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(rows, aggregate_json(results, &list[i]));
    json_object_set_new(doc, "aggregates", rows);
    free(list);
    return true;
}

static json_t *hosts_json(const struct mgc_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->host_count; i++) {
        const struct mgc_host_record *host = &results->hosts[i];
        json_t *row = json_object();
        json_object_set_new(row, "worker", mgc_part_text(host->name));
        json_object_set_new(row, "role", mgc_part_text(host->role));
        json_object_set_new(row, "host", mgc_part_text(host->host));
        json_object_set_new(row, "os", mgc_part_text(host->os));
        json_object_set_new(row, "build", mgc_part_text(host->build));
        json_object_set_new(row, "boot_id", mgc_part_text(host->boot_id));
        json_object_set_new(row, "sessions", json_integer(host->sessions));
        json_object_set_new(row, "clock_offset_ms",
            host->clock_known ? json_real((double)host->offset_ns / 1e6) : json_null());
        json_object_set_new(row, "clock_uncertainty_ms",
            host->clock_known ? json_real((double)host->uncertainty_ns / 1e6) : json_null());
        json_array_append_new(list, row);
    }
    return list;
}

static void set_run(json_t *doc, const struct mgc_results *results)
{
    char device[192];
    mgc_device_text(results, device, sizeof(device));
    json_object_set_new(doc, "schema", json_string("mgcoord-summary-1"));
    json_object_set_new(doc, "run_id", mgc_json_text(results->plan->run_id));
    json_object_set_new(doc, "plan", mgc_json_text(results->plan->name));
    json_object_set_new(doc, "build", mgc_part_text(results->tool_build));
    json_object_set_new(doc, "start_wall_s", json_real((double)results->start_wall_ns / 1e9));
    json_object_set_new(doc, "end_wall_s", json_real((double)results->end_wall_ns / 1e9));
    json_object_set_new(doc, "serial", mgc_json_text(device));
    json_object_set_new(
        doc, "device_kind", json_string(mgc_device_is_lab(results) ? "lab phone" : "phone"));
    json_object_set_new(doc, "device", mgc_part_fields(&results->device));
    json_object_set_new(doc, "frames_reduced", json_boolean(results->frames_reduced));
    json_object_set_new(doc, "interrupted", json_boolean(results->interrupted));
    if (results->unfinished)
        json_object_set_new(doc, "unfinished", json_true());
    if (results->resumes)
        json_object_set_new(doc, "resumed", json_integer((json_int_t)results->resumes));
    json_object_set_new(doc, "stopped", mgc_part_text(results->stopped_reason));
    json_object_set_new(doc, "exit_code", json_integer(mgc_results_exit_code(results)));
}

static json_t *settings_json(const struct mgc_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->setting_count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "key", mgc_json_text(results->settings[i].key));
        json_object_set_new(row, "value", mgc_json_text(results->settings[i].value));
        if (results->settings[i].unit)
            json_object_set_new(row, "unit", json_string(results->settings[i].unit));
        json_object_set_new(row, "source", mgc_json_text(results->settings[i].origin));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *int_or_null(int64_t value)
{
    return value > 0 ? json_integer(value) : json_null();
}

static json_t *workloads_json(const struct mgc_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        int64_t used = 0, full = 0;
        if (!mgc_results_is_first_of_workload(results, i))
            continue;
        mgc_results_frames(results, cell->workload, &used, &full);
        json_t *row = json_object();
        json_object_set_new(row, "workload", mgc_json_text(cell->workload));
        json_object_set_new(row, "frames", int_or_null(used));
        json_object_set_new(row, "full_frames", int_or_null(full));
        json_object_set_new(row, "width", int_or_null(cell->expect.width));
        json_object_set_new(row, "height", int_or_null(cell->expect.height));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *brackets_json(const struct mgc_results *results)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < results->bracket_count; i++) {
        const struct mgc_bracket_result *bracket = &results->brackets[i];
        const struct mgc_cell *cell = bracket->cell;
        json_t *row = mgc_part_verdict(&bracket->verdict);
        json_object_set_new(row, "id", mgc_json_text(cell->id));
        json_object_set_new(row, "block", json_integer((json_int_t)cell->block));
        json_object_set_new(row, "side", json_string(cell->after ? "after" : "before"));
        json_object_set_new(row, "workload", mgc_part_text(cell->workload));
        json_object_set_new(row, "round", json_integer(cell->round));
        mgc_part_set_wall(row, 0, bracket->wall_ns);
        json_object_set_new(row, "metrics", mgc_part_fields(&bracket->verdict.metrics));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *put_back_json(const struct mgc_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->put_back_count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "step", mgc_json_text(results->put_back[i].step));
        json_object_set_new(row, "kind", mgc_json_text(results->put_back[i].kind));
        json_object_set_new(row, "done", json_integer(results->put_back[i].done));
        json_object_set_new(row, "failed", json_integer(results->put_back[i].failed));
        json_object_set_new(row, "on_rejoin", json_boolean(results->put_back[i].on_rejoin));
        json_object_set_new(row, "text", mgc_part_text(results->put_back[i].text));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *notes_json(const struct mgc_results *results)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < results->note_count; i++)
        json_array_append_new(notes, mgc_json_text(results->notes[i]));
    return notes;
}

/* Nothing else of the run's directory tells of them. */
static json_t *left_out_json(const struct mgc_results *results)
{
    json_t *list = json_array();
    struct mgc_left_out left_out;
    for (size_t nth = 0; mgc_results_left_out_part(results, nth, &left_out); nth++) {
        json_t *row = json_object(), *cells = json_array();
        json_object_set_new(row, "reason", mgc_json_text(left_out.verdict->reason));
        json_object_set_new(row, "text", mgc_json_text(left_out.verdict->text));
        for (size_t i = 0; i < results->count; i++) {
            if (mgc_result_left_out_with(&results->cells[i], &left_out))
                json_array_append_new(cells, mgc_json_text(results->cells[i].cell->id));
        }
        json_object_set_new(row, "cells", cells);
        json_array_append_new(list, row);
    }
    return list;
}

static void set_left_out(json_t *doc, const struct mgc_results *results)
{
    struct mgc_left_out any;
    if (mgc_results_left_out_part(results, 0, &any))
        json_object_set_new(doc, "left_out", left_out_json(results));
}

static bool put_runs(const struct mgc_results *results, struct mgc_buf *out)
{
    struct mgc_buf room = {0};
    bool ok = mgc_buf_reserve(&room, ROW_BYTES);
    for (size_t i = 0; ok && i < results->count; i++)
        ok = mgc_part_print_item(
            cell_json(results, &results->cells[i]), &results->cells[i].verdict, i == 0, &room, out);
    mgc_buf_destroy(&room);
    return ok;
}

bool mgc_report_summary_json(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    json_t *doc = json_object();
    set_run(doc, results);
    json_object_set_new(
        doc, "conditions", mgc_part_text(mgc_fields_get_str(&results->device, "conditions")));
    json_object_set_new(doc, "settings", settings_json(results));
    json_object_set_new(doc, "workloads", workloads_json(results));
    json_object_set_new(doc, "route", mgc_part_fields(&results->route));
    bool path = mgc_plan_checks_path(results->plan);
    json_object_set_new(
        doc, "path_before", path ? mgc_part_verdict(&results->path_before) : json_null());
    json_object_set_new(
        doc, "path_after", path ? mgc_part_verdict(&results->path_after) : json_null());
    json_object_set_new(doc, "brackets", brackets_json(results));
    if (results->gate)
        json_object_set(doc, "gate", results->gate);
    json_object_set_new(doc, "put_back", put_back_json(results));
    json_object_set_new(doc, "hosts", hosts_json(results));
    json_object_set_new(doc, "notes", notes_json(results));
    set_left_out(doc, results);
    json_object_set_new(doc, "runs", json_array()); /* its place */
    if (mgc_brings_fixtures_only(results) ||
        (results->setup.count && !mgc_plan_on_phone(results->plan)))
        json_object_set_new(doc, "setup", mgc_part_fields(&results->setup));
    if (!set_aggregates(doc, results, err) ||
        (mgc_plan_on_phone(results->plan) && !mgc_part_phone(results, doc, err)) ||
        (mgc_plan_is_merged(results->plan) && !mgc_part_merged(results, doc, err))) {
        json_decref(doc);
        return false;
    }
    struct mgc_buf runs = {0};
    bool ok = put_runs(results, &runs);
    ok = mgc_part_print_with(doc, "runs", &runs, out, err) && ok;
    mgc_buf_destroy(&runs);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for summary.json");
}

bool mgc_report_state_json(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    json_t *doc = json_object();
    json_object_set_new(doc, "schema", json_string("mgcoord-state-1"));
    json_object_set_new(doc, "put_back", put_back_json(results));
    json_object_set_new(doc, "notes", notes_json(results));
    set_left_out(doc, results);
    return mgc_part_print(doc, out, err);
}

static json_t *step_json(const struct mgc_step *step, const struct mgc_step_outcome *outcome)
{
    json_t *row = json_object();
    json_object_set_new(row, "step", mgc_json_text(step->id));
    json_object_set_new(row, "kind", mgc_json_text(step->kind));
    json_object_set_new(row, "role", json_string(mgc_role_name(step->role)));
    json_object_set_new(row, "state", json_string(mgc_step_state_name(outcome->state)));
    json_object_set_new(
        row, "error", outcome->error.code ? mgc_json_text(outcome->error.text) : json_null());
    json_object_set_new(row, "error_code",
        outcome->error.code ? json_string(mgc_code_name(outcome->error.code)) : json_null());
    json_object_set_new(row, "duration_s",
        outcome->end_ns && outcome->start_ns
            ? json_real((double)(outcome->end_ns - outcome->start_ns) / 1e9)
            : json_null());
    json_object_set_new(row, "ready", mgc_part_fields(&outcome->ready));
    json_object_set_new(row, "facts", mgc_part_fields(&outcome->facts));
    json_object_set_new(row, "undo_done", json_integer(outcome->undo_done));
    json_object_set_new(row, "undo_failed", json_integer(outcome->undo_failed));
    json_object_set_new(row, "undo_text", mgc_part_text(outcome->undo_text));
    return row;
}

bool mgc_report_verdict_json(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict,
    const struct mgc_cell_result *result, struct mgc_buf *out, struct mgc_error *err)
{
    json_t *doc = json_object(), *judged = mgc_part_verdict(verdict), *steps = json_array();
    json_object_set_new(doc, "schema", json_string("mgcoord-verdict-1"));
    json_object_set_new(doc, "id", mgc_json_text(attempt->cell->id));
    json_object_set_new(doc, "attempt", json_integer(attempt->number));
    json_object_update(doc, judged);
    json_decref(judged);
    json_object_set_new(doc, "infrastructure", json_boolean(verdict->infrastructure));
    json_object_set_new(
        doc, "duration_s", json_real((double)(attempt->end_ns - attempt->start_ns) / 1e9));
    mgc_part_set_wall(doc, attempt->start_wall_ns, attempt->end_wall_ns);
    json_object_set_new(doc, "metrics", mgc_part_fields(&verdict->metrics));
    json_object_set_new(doc, "release", mgc_part_release(&attempt->release));
    for (size_t i = 0; i < attempt->cell->step_count; i++)
        json_array_append_new(steps, step_json(&attempt->cell->steps[i], &attempt->steps[i]));
    json_object_set_new(doc, "steps", steps);
    if (attempt->sake)
        json_object_set_new(doc, "for_the_sake_of", mgc_json_text(attempt->sake->id));
    if (result && result->beside_attempt)
        json_object_set_new(doc, "beside", beside_json(result));
    if (result && result->session)
        json_object_set_new(doc, "session", json_integer(result->session));
    if (result && result->replaced)
        json_object_set_new(doc, "replaced", json_integer(result->replaced));
    return mgc_part_print(doc, out, err);
}

bool mgc_report_verdict_add_holder(const void *data, size_t len, const struct mgc_step *step,
    const struct mgc_step_outcome *outcome, struct mgc_buf *out, struct mgc_error *err)
{
    json_t *doc = mgc_json_parse(data, len, VERDICT_MAX_BYTES, err);
    if (!doc)
        return mgc_error_prefix(err, "verdict.json");
    json_t *holders = json_object_get(doc, "holders");
    if (!json_is_array(holders)) {
        holders = json_array();
        json_object_set_new(doc, "holders", holders);
    }
    json_array_append_new(holders, step_json(step, outcome));
    return mgc_part_print(doc, out, err);
}

bool mgc_report_verdict_amend(const void *data, size_t len, const struct mgc_verdict *verdict,
    struct mgc_buf *out, struct mgc_error *err)
{
    json_t *doc = mgc_json_parse(data, len, VERDICT_MAX_BYTES, err);
    if (!doc)
        return mgc_error_prefix(err, "verdict.json");
    json_t *judged = mgc_part_verdict(verdict);
    json_object_update(doc, judged);
    json_decref(judged);
    json_object_set_new(doc, "infrastructure", json_boolean(verdict->infrastructure));
    return mgc_part_print(doc, out, err);
}
