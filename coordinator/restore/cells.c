/* The verdicts of a run directory: of the attempt that counts, else of the last one there is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/merge/bad_look.h"
#include "coordinator/merge/path_proof.h"
#include "coordinator/merge/replacement.h"
#include "coordinator/restore/parts.h"
#include "coordinator/verify/reasons.h"

enum { ATTEMPTS_MAX = 1000 };

static int64_t ns_of(const json_t *object, const char *key, double unit_ns)
{
    double value = mgc_restore_real(object, key, 0);
    return isfinite(value) && fabs(value * unit_ns) < 9e18 ? llround(value * unit_ns) : 0;
}

static size_t count_of(const json_t *object, const char *key)
{
    int64_t value = mgc_restore_int(object, key, 0);
    return value > 0 ? (size_t)value : 0;
}

static void restore_release(const json_t *json, struct mgc_release *release)
{
    if (!json_is_object(json))
        return;
    *release = (struct mgc_release){
        .released = true,
        .skew_ns = ns_of(json, "skew_ms", 1e6),
        .uncertainty_ns = ns_of(json, "uncertainty_ms", 1e6),
        .lead_ns = ns_of(json, "lead_ms", 1e6),
        .members = count_of(json, "members"),
        .reported = count_of(json, "reported"),
    };
}

/* Directories attempts/CELL/a1, a2, ...: the number of the last one. */
static int last_attempt(const char *dir, const char *id, char ret_path[MGC_PATH_MAX])
{
    char path[MGC_PATH_MAX];
    int last = 0;
    for (int n = 1; n <= ATTEMPTS_MAX; n++) {
        int len = snprintf(path, sizeof(path), "%s/attempts/%s/a%d", dir, id, n);
        if (len < 0 || len >= (int)sizeof(path))
            break;
        if (!mgc_file_exists(path))
            continue; /* the one that counts was moved away; others may follow in another session */
        last = n;
        memcpy(ret_path, path, sizeof(path));
    }
    return last;
}

static void note_error(struct mgc_restored *restored, const struct mgc_error *err)
{
    if (err->code != MGC_E_NOT_FOUND)
        mgc_restore_note(restored, "%s", err->text);
}

static int number_of(const json_t *doc)
{
    int64_t number = mgc_restore_int(doc, "attempt", 1);
    return number > 0 && number <= MGC_RESTORE_ATTEMPTS_MAX ? (int)number : 0;
}

static bool take_document(struct mgc_cell_result *cell, const json_t *doc)
{
    if (!mgc_restore_believe(doc, cell->cell, &cell->verdict))
        return false;
    restore_release(json_object_get(doc, "release"), &cell->release);
    cell->duration_ns = ns_of(doc, "duration_s", 1e9);
    cell->start_wall_ns = ns_of(doc, "start_wall_s", 1e9);
    cell->end_wall_ns = ns_of(doc, "end_wall_s", 1e9);
    cell->session = mgc_restore_int(doc, "session", 0);
    return true;
}

/* No attempt counts: the run ended while one was on, or before there was any of its own. */
static void restore_unsettled(
    struct mgc_restored *restored, const char *dir, struct mgc_cell_result *cell)
{
    char path[MGC_PATH_MAX];
    struct mgc_error err = {0};
    struct mgc_tries tries;
    mgc_restore_tries(dir, cell->cell->id, 0, &tries);
    int len = snprintf(path, sizeof(path), "%s/attempts/%s/a%d", dir, cell->cell->id, tries.own);
    if (tries.own == 0 || len < 0 || len >= (int)sizeof(path)) {
        mgc_results_not_begun(&restored->results, cell);
        return;
    }
    json_t *doc = mgc_restore_json(path, "verdict.json", &err);
    cell->attempts = tries.made;
    cell->replaced = tries.replaced;
    if (doc)
        take_document(cell, doc);
    else if (err.code == MGC_E_NOT_FOUND && !restored->finished)
        mgc_reason_set(&cell->verdict, MGC_REASON_RUN_ENDED,
            "the coordinator ended while attempt %d was on", tries.own);
    else
        mgc_reason_set(&cell->verdict, MGC_REASON_RECORD_DAMAGED, "%s", err.text);
    if (!doc)
        note_error(restored, &err);
    json_decref(doc);
    cell->dir = strdup(path + strlen(dir) + 1);
}

/* ---- what a cell that was measured again is held against ---- */

static const struct mgc_cell *cell_called(const struct mgc_plan *plan, const char *id)
{
    for (size_t i = 0; id && i < plan->cell_count; i++) {
        if (strcmp(plan->cells[i].id, id) == 0)
            return &plan->cells[i];
    }
    return NULL;
}

static void restore_beside(struct mgc_restored *restored, const char *dir, const json_t *beside,
    struct mgc_cell_result *cell)
{
    const char *id = mgc_restore_text(beside, "id");
    const struct mgc_cell *reference = cell_called(&restored->plan, id);
    int64_t attempt = mgc_restore_int(beside, "attempt", 0);
    struct mgc_verdict verdict = {0};
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    if (!beside)
        return;
    int len =
        snprintf(path, sizeof(path), "%s/attempts/%s/a%d", dir, reference ? id : "", (int)attempt);
    bool there = reference && attempt > 0 && len > 0 && (size_t)len < sizeof(path);
    json_t *doc = there ? mgc_restore_json(path, "verdict.json", &err) : NULL;
    if (!doc || !mgc_restore_believe(doc, reference, &verdict) ||
        !mgc_replacement_stand(cell, reference, (int)attempt, &verdict)) {
        mgc_restore_note(restored, "%s: the attempt that it is held against cannot be read: %s",
            cell->cell->id, doc ? verdict.text : err.text);
        mgc_replacement_stand(cell, reference, (int)attempt, &verdict); /* no number: no pair */
    }
    json_decref(doc);
    mgc_verdict_destroy(&verdict);
}

/* ---- one cell ---- */

/* One whose number cannot be read gets the next that is free. */
static void count_settled(const char *dir, struct mgc_cell_result *cell)
{
    struct mgc_tries tries;
    int number = cell->settled;
    mgc_restore_tries(dir, cell->cell->id, number, &tries);
    if (!number)
        mgc_restore_tries(dir, cell->cell->id, tries.last + 1, &tries);
    cell->attempts = tries.made;
    cell->replaced = cell->replaced > tries.replaced ? cell->replaced : tries.replaced;
}

static void restore_cell(
    struct mgc_restored *restored, const char *dir, struct mgc_cell_result *cell)
{
    char path[MGC_PATH_MAX];
    struct mgc_error err = {0};
    if (!mgc_path_join(path, sizeof(path), dir, cell->cell->id) || !mgc_file_exists(path)) {
        restore_unsettled(restored, dir, cell);
        return;
    }
    json_t *doc = mgc_restore_json(path, "verdict.json", &err);
    cell->dir = strdup(cell->cell->id);
    if (doc) {
        if (take_document(cell, doc))
            cell->settled = number_of(doc);
        cell->replaced = mgc_restore_replaced(doc);
        restore_beside(restored, dir, json_object_get(doc, "beside"), cell);
    } else {
        mgc_reason_set(&cell->verdict,
            err.code == MGC_E_NOT_FOUND && !restored->finished ? MGC_REASON_RUN_ENDED
                                                               : MGC_REASON_RECORD_DAMAGED,
            "%s", err.text);
        note_error(restored, &err);
    }
    json_decref(doc);
    count_settled(dir, cell);
    mgc_restore_check_files(restored, path, cell->cell);
}

/* ---- setup, brackets and close ---- */

static void take_facts(const json_t *doc, const char *step_id, bool ready, struct mgc_fields *facts)
{
    const json_t *steps = json_object_get(doc, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const char *id = mgc_restore_text(step, "step");
        if (!id || strcmp(id, step_id) != 0)
            continue;
        if (ready)
            mgc_restore_fields(json_object_get(step, "ready"), facts);
        mgc_restore_fields(json_object_get(step, "facts"), facts);
    }
}

/* As mgc_results_keep_setup() kept them when the setup was settled. */
static void keep_setup(struct mgc_results *results, const json_t *doc)
{
    const json_t *steps = json_object_get(doc, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *from = json_array_get(steps, i);
        const char *id = mgc_restore_text(from, "step"), *kind = mgc_restore_text(from, "kind");
        struct mgc_step step = {.id = (char *)id, .kind = (char *)kind};
        struct mgc_step_outcome outcome = {0};
        if (!id || !kind)
            continue;
        mgc_restore_fields(json_object_get(from, "ready"), &outcome.ready);
        mgc_restore_fields(json_object_get(from, "facts"), &outcome.facts);
        mgc_results_keep_setup(results, &step, &outcome);
        mgc_fields_destroy(&outcome.ready);
        mgc_fields_destroy(&outcome.facts);
    }
}

/* Returns when it ended, a label; 0: nobody looked, or it is not known. */
static int64_t restore_path(struct mgc_restored *restored, const char *dir,
    const struct mgc_cell *cell, struct mgc_verdict *verdict)
{
    char path[MGC_PATH_MAX];
    struct mgc_error err = {0};
    int last = last_attempt(dir, cell->id, path);
    if (last == 0)
        return 0;
    json_t *doc = mgc_restore_json(path, "verdict.json", &err);
    if (!doc) {
        note_error(restored, &err);
        return 0;
    }
    int64_t end_wall_ns = ns_of(doc, "end_wall_s", 1e9);
    bool good = mgc_restore_believe(doc, cell, verdict);
    if (!good)
        mgc_restore_note(restored, "attempts/%s/a%d: %s", cell->id, last, verdict->text);
    if (good && cell->kind == MGC_CELL_SETUP) {
        take_facts(doc, "device", false, &restored->results.device);
        take_facts(doc, "route", true, &restored->results.route);
        keep_setup(&restored->results, doc);
    }
    json_decref(doc);
    return end_wall_ns;
}

void mgc_restore_cells(struct mgc_restored *restored, const char *dir)
{
    struct mgc_results *results = &restored->results;
    for (size_t i = 0; i < restored->plan.cell_count; i++) {
        const struct mgc_cell *cell = &restored->plan.cells[i];
        if (cell->kind == MGC_CELL_SETUP)
            restore_path(restored, dir, cell, &results->path_before);
        else if (cell->kind == MGC_CELL_CLOSE)
            restore_path(restored, dir, cell, &results->path_after);
    }
    if (!mgc_plan_checks_path(&restored->plan)) { /* these were verdicts on the steps */
        mgc_verdict_destroy(&results->path_before);
        mgc_verdict_destroy(&results->path_after);
    }
    for (size_t i = 0; i < results->bracket_count; i++)
        results->brackets[i].wall_ns =
            restore_path(restored, dir, results->brackets[i].cell, &results->brackets[i].verdict);
    for (size_t i = 0; i < results->count; i++) {
        restore_cell(restored, dir, &results->cells[i]);
        results->replaced += results->cells[i].replaced;
    }
    mgc_results_restore_bad_looks(results);
    mgc_path_restored(results);
}

/* ---- a run that is on ---- */

static bool is_named(const struct mgc_verdict *verdict, enum mgc_reason reason)
{
    return strcmp(verdict->reason, mgc_reason_words(reason)->name) == 0;
}

/* The number of the attempt whose directory is the cell's, "attempts/CELL/a2". */
static const char *number_on(const struct mgc_cell_result *cell)
{
    const char *slash = cell->dir ? strrchr(cell->dir, '/') : NULL;
    return slash && slash[1] == 'a' ? slash + 2 : "1";
}

void mgc_restored_is_on(struct mgc_restored *restored)
{
    struct mgc_results *results = &restored->results;
    free(results->stopped_reason);
    results->stopped_reason = NULL;
    for (size_t i = 0; i < results->count; i++) {
        struct mgc_cell_result *cell = &results->cells[i];
        struct mgc_verdict *verdict = &cell->verdict;
        if (is_named(verdict, MGC_REASON_RUN_ENDED)) {
            mgc_verdict_destroy(verdict);
            mgc_reason_set(verdict, MGC_REASON_STILL_RUNNING, "attempt %s is on", number_on(cell));
        } else if (is_named(verdict, MGC_REASON_RUN_STOPPED)) {
            mgc_verdict_destroy(verdict);
            mgc_reason_set(verdict, MGC_REASON_NOT_YET, "not yet begun");
        } else if (is_named(verdict, MGC_REASON_PATH_UNPROVED)) {
            snprintf(verdict->text, sizeof(verdict->text),
                "all else is proved; it waits for the path check at the end of the run");
        }
    }
}
