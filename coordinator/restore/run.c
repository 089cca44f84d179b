#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/merge/settings.h"
#include "coordinator/restore/fleet.h"
#include "coordinator/restore/parts.h"

static char *copy_of(const json_t *object, const char *key)
{
    const char *text = mgc_restore_text(object, key);
    return text ? strdup(text) : NULL;
}

static int64_t wall_ns(const json_t *object, const char *key)
{
    double s = mgc_restore_real(object, key, 0);
    return s > 0 && s < 9e9 ? llround(s * 1e9) : 0;
}

static void restore_host(const json_t *json, struct mgc_host_record *host)
{
    double offset_ms = mgc_restore_real(json, "clock_offset_ms", NAN);
    *host = (struct mgc_host_record){
        .name = copy_of(json, "worker"),
        .role = copy_of(json, "role"),
        .host = copy_of(json, "host"),
        .os = copy_of(json, "os"),
        .build = copy_of(json, "build"),
        .boot_id = copy_of(json, "boot_id"),
        .sessions = mgc_restore_int(json, "sessions", 0),
        .clock_known = isfinite(offset_ms) && fabs(offset_ms) < 1e12,
    };
    if (!host->clock_known)
        return;
    host->offset_ns = llround(offset_ms * 1e6);
    host->uncertainty_ns = llround(mgc_restore_real(json, "clock_uncertainty_ms", 0) * 1e6);
}

static void restore_hosts(const json_t *list, struct mgc_results *results)
{
    size_t count = json_array_size(list);
    results->hosts = calloc(count + 1, sizeof(*results->hosts));
    for (size_t i = 0; results->hosts && i < count; i++)
        restore_host(json_array_get(list, i), &results->hosts[results->host_count++]);
}

static void restore_put_back(const json_t *list, struct mgc_results *results)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        const char *step = mgc_restore_text(row, "step"), *kind = mgc_restore_text(row, "kind");
        if (step && kind)
            mgc_results_put_back_row(results, step, kind, mgc_restore_int(row, "done", 0),
                mgc_restore_int(row, "failed", 0), json_is_true(json_object_get(row, "on_rejoin")),
                mgc_restore_text(row, "text"));
    }
}

/* What happened in the course of the run: of summary.json, or of state.json. */
static void restore_course(const json_t *doc, struct mgc_restored *restored)
{
    struct mgc_results *results = &restored->results;
    const json_t *notes = json_object_get(doc, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *note = json_string_value(json_array_get(notes, i));
        if (note)
            mgc_results_note(results, "%s", note);
    }
    restore_put_back(json_object_get(doc, "put_back"), results);
    json_decref(restored->left_out);
    restored->left_out = json_incref(json_object_get(doc, "left_out"));
}

/* What only the end of a run knows. */
static void restore_summary(const json_t *summary, struct mgc_restored *restored)
{
    struct mgc_results *results = &restored->results;
    results->interrupted = json_is_true(json_object_get(summary, "interrupted"));
    results->stopped_reason = copy_of(summary, "stopped");
    results->start_wall_ns = wall_ns(summary, "start_wall_s");
    results->end_wall_ns = wall_ns(summary, "end_wall_s");
    json_t *gate = json_object_get(summary, "gate");
    results->gate = json_is_object(gate) ? json_incref(gate) : NULL;
    restore_hosts(json_object_get(summary, "hosts"), results);
    restore_course(summary, restored);
}

/* Of a run that was killed; one that was killed early has none. */
static void restore_state(struct mgc_restored *restored, const char *dir)
{
    struct mgc_error err = {0};
    json_t *state = mgc_restore_json(dir, "state.json", &err);
    if (state)
        restore_course(state, restored);
    else if (err.code != MGC_E_NOT_FOUND)
        mgc_restore_note(restored, "%s", err.text);
    json_decref(state);
}

/* Those that were refused did nothing. */
static size_t count_resumes(const json_t *run)
{
    const json_t *list = json_object_get(run, "resumes");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        count += !json_object_get(json_array_get(list, i), "refused");
    return count;
}

/* Written by us at the end of this very run? Then err is left alone. */
static bool is_end_of(
    const json_t *summary, const struct mgc_restored *restored, struct mgc_error *err)
{
    const char *schema = mgc_restore_text(summary, "schema");
    const char *run_id = mgc_restore_text(summary, "run_id");
    if (!schema || strcmp(schema, "mgcoord-summary-1") != 0)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "summary.json: schema is '%.60s', expected mgcoord-summary-1", schema ? schema : "");
    if (!run_id || strcmp(run_id, restored->plan.run_id) != 0)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "summary.json: it is of run '%.60s'", run_id ? run_id : "");
    return true;
}

/* One that says unfinished is what an earlier look at the rest made of it: not of the run's end. */
static void restore_end(struct mgc_restored *restored, const char *dir)
{
    struct mgc_error err = {0};
    const char *why = "the coordinator ended without a word";
    json_t *summary = mgc_restore_json(dir, "summary.json", &err);
    bool ours = summary && is_end_of(summary, restored, &err);
    bool unfinished = json_is_true(json_object_get(summary, "unfinished"));
    restored->finished = ours && !unfinished;
    if (restored->finished) {
        restore_summary(summary, restored);
    } else {
        if (ours && mgc_restore_text(summary, "stopped"))
            why = mgc_restore_text(summary, "stopped");
        else if (err.code != MGC_E_NOT_FOUND && err.code != MGC_OK)
            why = "how the run ended is not known, since its summary.json is damaged";
        if (err.code != MGC_E_NOT_FOUND && err.code != MGC_OK)
            mgc_restore_note(restored, "%s", err.text);
        restore_state(restored, dir);
        restored->results.unfinished = true;
        restored->results.stopped_reason = strdup(why);
    }
    json_decref(summary);
}

static bool restore(
    struct mgc_restored *restored, const char *dir, const json_t *run, struct mgc_error *err)
{
    struct mgc_results *results = &restored->results;
    if (!mgc_restore_plan(json_object_get(run, "plan"), &restored->plan, err) ||
        !mgc_results_init(results, &restored->plan, err))
        return false;
    results->tool_build = copy_of(json_object_get(run, "coordinator"), "build");
    mgc_results_take_settings(results, json_object_get(run, "settings"));
    results->start_wall_ns = wall_ns(run, "start_wall_s");
    results->resumes = count_resumes(run);
    restore_end(restored, dir);
    mgc_restore_cells(restored, dir);
    mgc_restore_left_out(restored->left_out, results);
    return true;
}

bool mgc_restore_run(struct mgc_restored *restored, const char *dir, struct mgc_error *err)
{
    json_t *run = mgc_restore_json(dir, "run.json", err);
    const char *schema = mgc_restore_text(run, "schema");
    bool fleet = schema && strcmp(schema, MGC_FLEET_SCHEMA) == 0;
    bool ok = run &&
              (!fleet || mgc_error_set(err, MGC_E_USAGE,
                             "'%s' is a run on several phones: name the directory of one of them, "
                             "%s/phones/NAME",
                             dir, dir)) &&
              restore(restored, dir, run, err);
    json_decref(run);
    return ok;
}

/* Something that only mgcoord leaves. */
static bool is_ours(const char *dir)
{
    static const char *const signs[] = {"attempts", "site.yaml"};
    char path[MGC_PATH_MAX];
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (mgc_path_join(path, sizeof(path), dir, signs[i]) && mgc_file_exists(path))
            return true;
    }
    json_t *summary = mgc_restore_json(dir, "summary.json", NULL);
    const char *schema = mgc_restore_text(summary, "schema");
    bool ours = schema && strncmp(schema, "mgcoord-", strlen("mgcoord-")) == 0;
    json_decref(summary);
    return ours;
}

struct mgc_restored *mgc_restore(const char *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX], old[MGC_PATH_MAX];
    struct mgc_restored *restored = calloc(1, sizeof(*restored));
    struct mgc_dir_names names = {0};
    bool ok;
    if (!restored)
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the results");
    else if (!mgc_dir_list(dir, &names, err) && err->code == MGC_E_DENIED)
        ok = false; /* what cannot be looked into is not "no run" */
    else if (mgc_path_join(path, sizeof(path), dir, "run.json") && mgc_file_exists(path))
        ok = mgc_restore_run(restored, dir, err);
    else if (is_ours(dir))
        ok = mgc_error_set(err, MGC_E_PROTOCOL,
            "'%s' is a run's directory of mgcoord, but its run.json is missing: which cells it was "
            "to have is not known",
            dir);
    else if (mgc_restore_is_old(dir, old))
        ok = mgc_restore_old(restored, old, err);
    else if (mgc_restore_is_old_matrix(dir))
        ok = mgc_restore_old_matrix(restored, dir, err);
    else
        ok = mgc_error_set(err, MGC_E_NOT_FOUND,
            "'%s' is no run's directory: expected run.json, ssim-* and bench-* directories of "
            "crosshost_accept.sh, WORKLOAD/ARM-rREP of run_matrix.sh or WORKLOAD/BACKEND/ARM-rREP "
            "of matrix_p14.sh (its directory TAG)",
            dir);
    mgc_dir_names_destroy(&names);
    if (ok)
        return restored;
    mgc_restored_free(restored);
    return NULL;
}

void mgc_restored_free(struct mgc_restored *restored)
{
    if (!restored)
        return;
    mgc_results_destroy(&restored->results);
    mgc_plan_destroy(&restored->plan);
    json_decref(restored->left_out);
    free(restored);
}
