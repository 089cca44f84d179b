/* summary.json and verdict.json. The row keys of the old summary stay what they were (rep is a
 * string there); what is new stands beside them. */
#include "coordinator/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "common/json/json.h"

static json_t *value_json(const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        return json_boolean(value->boolean);
    case MGC_VALUE_INT:
        return json_integer(value->integer);
    case MGC_VALUE_DOUBLE:
        return json_real(value->real);
    case MGC_VALUE_STRING:
        return json_string(value->string);
    }
    return json_null();
}

static json_t *fields_json(const struct mgc_fields *fields)
{
    json_t *object = json_object();
    for (size_t i = 0; i < fields->count; i++)
        json_object_set_new(object, fields->items[i].name, value_json(&fields->items[i].value));
    return object;
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

static json_t *evidence_json(const struct mgc_verdict *verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        const struct mgc_evidence *item = &verdict->evidence[i];
        json_t *row = json_object();
        json_object_set_new(row, "check", json_string(item->check));
        json_object_set_new(row, "outcome", json_string(mgc_check_outcome_name(item->outcome)));
        json_object_set_new(row, "source", json_string(item->source));
        json_object_set_new(row, "seen", json_string(item->seen));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *verdict_json(const struct mgc_verdict *verdict)
{
    json_t *object = json_object();
    json_object_set_new(object, "verdict", json_string(mgc_verdict_state_name(verdict->state)));
    json_object_set_new(object, "reason", text_or_null(verdict->reason));
    json_object_set_new(object, "text", text_or_null(verdict->text));
    json_object_set_new(object, "next_step", text_or_null(verdict->next_step));
    json_object_set_new(object, "evidence", evidence_json(verdict));
    return object;
}

static void add_cell_identity(json_t *row, const struct mgc_cell *cell)
{
    char rep[32];
    if (cell->mode == MGC_MODE_SSIM)
        snprintf(rep, sizeof(rep), "ssim");
    else
        snprintf(rep, sizeof(rep), "%lld", (long long)cell->rep);
    json_object_set_new(row, "id", json_string(cell->id));
    json_object_set_new(row, "lane", json_string(cell->lane));
    json_object_set_new(row, "workload", json_string(cell->workload));
    json_object_set_new(row, "arm", json_string(cell->arm));
    json_object_set_new(row, "rep", json_string(rep));
    json_object_set_new(row, "mode", json_string(mgc_mode_name(cell->mode)));
}

static json_t *release_json(const struct mgc_release *release)
{
    if (!release->released)
        return json_null();
    json_t *object = json_object();
    bool known = release->reported == release->members;
    json_object_set_new(
        object, "skew_ms", known ? json_real((double)release->skew_ns / 1e6) : json_null());
    json_object_set_new(object, "uncertainty_ms", json_real((double)release->uncertainty_ns / 1e6));
    json_object_set_new(object, "lead_ms", json_real((double)release->lead_ns / 1e6));
    json_object_set_new(object, "members", json_integer((json_int_t)release->members));
    json_object_set_new(object, "reported", json_integer((json_int_t)release->reported));
    return object;
}

/* "finished" is what the old status meant by a run that counts. */
static const char *old_status(const struct mgc_verdict *verdict)
{
    return verdict->state == MGC_VERDICT_MEASURED ? "finished" : verdict->reason;
}

static json_t *cell_json(const struct mgc_cell_result *cell)
{
    json_t *row = fields_json(&cell->verdict.metrics);
    add_cell_identity(row, cell->cell);
    json_object_set_new(row, "status", text_or_null(old_status(&cell->verdict)));
    json_object_set_new(row, "duration_s", json_real((double)cell->duration_ns / 1e9));
    json_object_set_new(row, "attempts", json_integer(cell->attempts));
    json_object_set_new(row, "dir", text_or_null(cell->dir));
    json_object_set_new(row, "release", release_json(&cell->release));
    json_t *verdict = verdict_json(&cell->verdict);
    json_object_update(row, verdict);
    json_decref(verdict);
    return row;
}

static json_t *hosts_json(const struct mgc_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->host_count; i++) {
        const struct mgc_host_record *host = &results->hosts[i];
        json_t *row = json_object();
        json_object_set_new(row, "worker", text_or_null(host->name));
        json_object_set_new(row, "role", text_or_null(host->role));
        json_object_set_new(row, "host", text_or_null(host->host));
        json_object_set_new(row, "os", text_or_null(host->os));
        json_object_set_new(row, "build", text_or_null(host->build));
        json_object_set_new(row, "boot_id", text_or_null(host->boot_id));
        json_object_set_new(row, "sessions", json_integer(host->sessions));
        json_object_set_new(row, "clock_offset_ms",
            host->clock_known ? json_real((double)host->offset_ns / 1e6) : json_null());
        json_object_set_new(row, "clock_uncertainty_ms",
            host->clock_known ? json_real((double)host->uncertainty_ns / 1e6) : json_null());
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *summary_json(const struct mgc_results *results)
{
    json_t *doc = json_object();
    json_object_set_new(doc, "schema", json_string("mgcoord-summary-1"));
    json_object_set_new(doc, "run_id", json_string(results->plan->run_id));
    json_object_set_new(doc, "plan", json_string(results->plan->name));
    json_object_set_new(doc, "build", text_or_null(results->tool_build));
    json_object_set_new(doc, "start_wall_s", json_real((double)results->start_wall_ns / 1e9));
    json_object_set_new(doc, "end_wall_s", json_real((double)results->end_wall_ns / 1e9));
    json_object_set_new(doc, "device", fields_json(&results->device));
    json_object_set_new(doc, "frames_reduced", json_boolean(results->frames_reduced));
    json_object_set_new(doc, "interrupted", json_boolean(results->interrupted));
    json_object_set_new(doc, "stopped", text_or_null(results->stopped_reason));
    json_object_set_new(doc, "exit_code", json_integer(mgc_results_exit_code(results)));
    json_object_set_new(doc, "route", fields_json(&results->route));
    json_object_set_new(doc, "path_before", verdict_json(&results->path_before));
    json_object_set_new(doc, "path_after", verdict_json(&results->path_after));
    json_object_set_new(doc, "hosts", hosts_json(results));
    json_t *notes = json_array();
    for (size_t i = 0; i < results->note_count; i++)
        json_array_append_new(notes, json_string(results->notes[i]));
    json_object_set_new(doc, "notes", notes);
    json_t *runs = json_array();
    for (size_t i = 0; i < results->count; i++)
        json_array_append_new(runs, cell_json(&results->cells[i]));
    json_object_set_new(doc, "runs", runs);
    return doc;
}

static bool dump(json_t *doc, struct mgc_buf *out, struct mgc_error *err)
{
    char *text = json_dumps(doc, JSON_INDENT(2));
    json_decref(doc);
    bool ok = text && mgc_buf_puts(out, text) && mgc_buf_putc(out, '\n');
    free(text);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for JSON");
}

bool mgc_report_summary_json(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    return dump(summary_json(results), out, err);
}

static json_t *step_json(const struct mgc_step *step, const struct mgc_step_outcome *outcome)
{
    json_t *row = json_object();
    json_object_set_new(row, "step", json_string(step->id));
    json_object_set_new(row, "kind", json_string(step->kind));
    json_object_set_new(row, "state", json_string(mgc_step_state_name(outcome->state)));
    json_object_set_new(
        row, "error", outcome->error.code ? json_string(outcome->error.text) : json_null());
    json_object_set_new(row, "duration_s",
        outcome->end_ns && outcome->start_ns
            ? json_real((double)(outcome->end_ns - outcome->start_ns) / 1e9)
            : json_null());
    json_object_set_new(row, "ready", fields_json(&outcome->ready));
    json_object_set_new(row, "facts", fields_json(&outcome->facts));
    json_object_set_new(row, "undo_done", json_integer(outcome->undo_done));
    json_object_set_new(row, "undo_failed", json_integer(outcome->undo_failed));
    json_object_set_new(row, "undo_text", text_or_null(outcome->undo_text));
    return row;
}

bool mgc_report_verdict_json(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict,
    struct mgc_buf *out, struct mgc_error *err)
{
    json_t *doc = verdict_json(verdict);
    json_object_set_new(doc, "id", json_string(attempt->cell->id));
    json_object_set_new(doc, "attempt", json_integer(attempt->number));
    json_object_set_new(doc, "metrics", fields_json(&verdict->metrics));
    json_object_set_new(doc, "release", release_json(&attempt->release));
    json_t *steps = json_array();
    for (size_t i = 0; i < attempt->cell->step_count; i++)
        json_array_append_new(steps, step_json(&attempt->cell->steps[i], &attempt->steps[i]));
    json_object_set_new(doc, "steps", steps);
    return dump(doc, out, err);
}
