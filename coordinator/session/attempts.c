/* What the scheduler asks the session for: places for attempts, and what follows when one ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/plat/file.h"
#include "coordinator/legacy/legacy.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/report/report.h"
#include "coordinator/restore/restore.h"
#include "coordinator/session/record.h"
#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

struct place *mgc_session_place(struct session *session, const struct mgc_cell *cell)
{
    return cell->kind == MGC_CELL_SETUP ? &session->setup : &session->current;
}

/* ---- what the scheduler asks for ---- */

static bool run_send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct session *session = user;
    return mgc_seat_send(session->seat, role, msg);
}

static bool run_offset(void *user, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct session *session = user;
    return mgc_seat_offset(
        session->seat, role, ret_offset_ns, ret_uncertainty_ns, ret_round_trip_ns);
}

/* Those that were not known yet. */
static void note_clocks(struct session *session, struct place *place)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        struct mgc_clock_offset *clock = &place->clocks[role];
        if (!clock->known && !mgc_seat_clock(session->seat, (enum mgc_role)role, clock))
            *clock = (struct mgc_clock_offset){0};
    }
}

/* Until its verdict says so: one that is cut off has none. */
static bool mark_sake(const struct place *place, const struct mgc_cell *sake, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    return !sake || ((mgc_path_join(path, sizeof(path), place->dir, MGC_SAKE_FILE) ||
                         mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", place->dir)) &&
                        mgc_file_write(path, sake->id, strlen(sake->id), 0644, err));
}

static bool drop_sake_mark(const struct place *place, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    return !mgc_path_join(path, sizeof(path), place->dir, MGC_SAKE_FILE) ||
           mgc_file_remove(path, err);
}

static bool run_attempt_begin(void *user, const struct mgc_cell *cell, const struct mgc_cell *sake,
    int number, struct mgc_error *err)
{
    struct session *session = user;
    struct place *place = mgc_session_place(session, cell);
    struct mgc_error failure = {0};
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    mgc_manifest_free(place->manifest);
    place->manifest = mgc_manifest_new();
    memset(place->clocks, 0, sizeof(place->clocks));
    note_clocks(session, place);
    if (!place->manifest)
        mgc_error_set(&failure, MGC_E_NO_MEMORY, "no memory for a manifest");
    else if (mgc_run_dir_attempt(&session->dir, cell->id, number, place->dir, &failure) &&
             mark_sake(place, sake, &failure)) {
        if (result)
            result->attempts++; /* after_beside takes back what was not for its own sake */
        return true;
    }
    mgc_session_disk_failed(session, &failure);
    if (err)
        *err = failure;
    return false;
}

static void run_step_sent(void *user, const struct mgc_step *step, uint64_t task_id)
{
    struct session *session = user;
    const struct mgc_cell *setup = &session->config->plan->cells[0];
    bool of_setup = setup->kind == MGC_CELL_SETUP && step >= setup->steps &&
                    step < setup->steps + setup->step_count;
    struct place *place = of_setup ? &session->setup : &session->current;
    if (!mgc_seat_expect(session->seat, task_id, step, place->dir))
        mgc_err("no memory to expect the files of step '%s'", step->id);
}

void mgc_session_write_verdict(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict)
{
    struct place *place = mgc_session_place(session, attempt->cell);
    const struct mgc_cell_result *result = mgc_results_find(session->results, attempt->cell);
    struct mgc_buf text = {0};
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    if (!mgc_report_verdict_json(attempt, verdict, attempt->sake ? NULL : result, &text, &err) ||
        !mgc_path_join(path, sizeof(path), place->dir, "verdict.json") ||
        !mgc_file_write(path, text.data, text.len, 0644, &err) ||
        (attempt->sake && !drop_sake_mark(place, &err)) ||
        !mgc_legacy_write(attempt, verdict, place->dir, &err) ||
        !mgc_manifest_write(place->manifest, place->dir, &err)) {
        mgc_session_disk_failed(session, &err);
        mgc_results_note(session->results, "%s: %s", attempt->cell->id, err.text);
    }
    mgc_buf_destroy(&text);
}

static void note_undo(struct session *session, const struct mgc_attempt *attempt)
{
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        const struct mgc_step_outcome *outcome = &attempt->steps[i];
        if (mgc_step_has_ended(outcome->state))
            mgc_results_put_back(session->results, &attempt->cell->steps[i], outcome, false);
        if (outcome->undo_failed)
            mgc_results_note(session->results, "%s, step %s: %lld changes could not be undone: %s",
                attempt->cell->id, attempt->cell->steps[i].id, (long long)outcome->undo_failed,
                outcome->undo_text ? outcome->undo_text : "no reason given");
    }
}

void mgc_session_stop_because(struct session *session, const char *text)
{
    if (!session->results->stopped_reason)
        session->results->stopped_reason = strdup(text);
}

/* Once, although a setup may be tried again. */
static void note_no_route(struct mgc_results *results)
{
    if (mgc_fields_get_str(&results->route, "mode"))
        return;
    mgc_fields_set_str(&results->route, "mode", "none");
    mgc_results_note(results, "routes were not handled (route.mode is none in site.yaml): only the "
                              "path check tells whose numbers these are");
}

/* ---- the kinds of cells ---- */

/* What is true for the whole run. Facts of steps that come several times, one per build or
 * fixture, keep the step's name: "app-1.apk_sha256". */
static void keep_setup_facts(struct mgc_results *results, const struct mgc_attempt *attempt)
{
    const struct mgc_step_outcome *device = mgc_attempt_step(attempt, "device");
    const struct mgc_step_outcome *route = mgc_attempt_step(attempt, "route");
    if (device)
        mgc_fields_copy(&results->device, &device->facts);
    if (!route && mgc_plan_checks_path(results->plan))
        note_no_route(results);
    if (route) {
        mgc_fields_copy(&results->route, &route->ready);
        mgc_fields_copy(&results->route, &route->facts);
    }
    for (size_t i = 0; i < attempt->cell->step_count; i++)
        mgc_results_keep_setup(results, &attempt->cell->steps[i], &attempt->steps[i]);
}

/* Setup and close are judged by their path check, where the plan has one, else by their steps. */
static void judge_frame(
    struct session *session, const struct mgc_attempt *attempt, struct mgc_verdict *path)
{
    struct mgc_verdict steps = {0};
    bool checks_path = mgc_plan_checks_path(session->results->plan);
    struct mgc_verdict *verdict = checks_path ? path : &steps;
    mgc_verdict_destroy(verdict);
    if (checks_path)
        mgc_verify_path(attempt, verdict);
    else
        mgc_verify_steps(attempt, verdict);
    mgc_session_write_verdict(session, attempt, verdict);
    mgc_verdict_destroy(&steps);
}

/* A path check has a place of its own where its next step is said. */
static void stop_at_setup(struct session *session, const struct mgc_attempt *attempt)
{
    char text[MGC_ERROR_TEXT_MAX + 512];
    struct mgc_verdict verdict = {0};
    if (!mgc_plan_checks_path(session->results->plan))
        mgc_verify_steps(attempt, &verdict);
    snprintf(text, sizeof(text), "%s%s%s", attempt->error.text,
        verdict.next_step[0] ? "; next: " : "", verdict.next_step);
    mgc_verdict_destroy(&verdict);
    mgc_session_stop_because(session, text);
}

static enum mgc_after after_setup(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible)
{
    struct mgc_results *results = session->results;
    bool checks_path = mgc_plan_checks_path(results->plan);
    keep_setup_facts(results, attempt);
    mgc_session_boot_seen(session, attempt);
    judge_frame(session, attempt, &results->path_before);
    if (checks_path)
        mgc_session_path_checked(session, &results->path_before);
    if (attempt->interrupted)
        return MGC_AFTER_STOP;
    if (!mgc_session_take_inputs(session, attempt)) {
        mgc_session_stop_because(session, session->refused.text);
        return MGC_AFTER_STOP;
    }
    if (!attempt->completed) {
        if (attempt->infrastructure && retry_possible)
            return MGC_AFTER_AGAIN;
        stop_at_setup(session, attempt);
        return MGC_AFTER_STOP;
    }
    if (!checks_path || results->path_before.state == MGC_VERDICT_MEASURED)
        return MGC_AFTER_NEXT;
    mgc_session_stop_because(session, results->path_before.text);
    return MGC_AFTER_STOP;
}

/* What it says of the path holds for the cells before it, too. */
static enum mgc_after after_bracket(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible)
{
    struct mgc_bracket_result *bracket = mgc_results_bracket(session->results, attempt->cell);
    bool again = attempt->infrastructure && retry_possible;
    mgc_verdict_destroy(&bracket->verdict);
    mgc_verify_path(attempt, &bracket->verdict);
    if (!again)
        mgc_session_path_checked(session, &bracket->verdict);
    mgc_verify_bracket(attempt, &bracket->verdict);
    mgc_session_write_verdict(session, attempt, &bracket->verdict);
    bracket->wall_ns = attempt->end_wall_ns;
    if (again)
        return MGC_AFTER_AGAIN;
    if (attempt->cell->after)
        mgc_session_link_looked_at(session, attempt->cell);
    mgc_session_replace_void(session, attempt->cell);
    bool good = bracket->verdict.state == MGC_VERDICT_MEASURED;
    bool look_again = !good && !attempt->cell->after && !attempt->interrupted;
    return look_again && retry_possible ? MGC_AFTER_AGAIN : MGC_AFTER_NEXT;
}

static enum mgc_after after_close(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible)
{
    judge_frame(session, attempt, &session->results->path_after);
    if (attempt->infrastructure && retry_possible)
        return MGC_AFTER_AGAIN;
    if (mgc_plan_checks_path(session->results->plan))
        mgc_session_path_checked(session, &session->results->path_after);
    return MGC_AFTER_NEXT;
}

/* Steps that hold for the whole run go on after their attempt is settled. */
static void give_up_ended(struct session *session, const struct mgc_attempt *attempt)
{
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (mgc_step_has_ended(attempt->steps[i].state))
            mgc_seat_step_over(session->seat, &attempt->cell->steps[i]);
    }
}

static enum mgc_after after_attempt(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible)
{
    switch (attempt->cell->kind) {
    case MGC_CELL_SETUP:
        return after_setup(session, attempt, retry_possible);
    case MGC_CELL_MEASURE:
        return mgc_session_after_measure(session, attempt, retry_possible);
    case MGC_CELL_BRACKET:
        return after_bracket(session, attempt, retry_possible);
    case MGC_CELL_CLOSE:
        return after_close(session, attempt, retry_possible);
    case MGC_CELL_KIND_COUNT:
        break;
    }
    return MGC_AFTER_STOP;
}

static enum mgc_after run_attempt_end(
    void *user, const struct mgc_attempt *attempt, bool retry_possible)
{
    struct session *session = user;
    give_up_ended(session, attempt);
    note_undo(session, attempt);
    mgc_session_tell_end(session, attempt);
    bool measures =
        attempt->cell->kind == MGC_CELL_MEASURE || attempt->cell->kind == MGC_CELL_SETUP;
    if (measures && mgc_session_time_is_over(session))
        retry_possible = false;
    enum mgc_after after = after_attempt(session, attempt, retry_possible);
    /* When disk space ends, this is not what the run stops for. */
    mgc_record_state(&session->dir, session->results, NULL);
    return after;
}

/* What it found out until its end, beside what was known when the setup was settled. */
static void keep_holder(
    struct session *session, const struct mgc_step *step, const struct mgc_step_outcome *outcome)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf old = {0}, added = {0};
    struct mgc_error err = {0};
    if (!mgc_path_join(path, sizeof(path), session->setup.dir, "verdict.json") ||
        !mgc_file_read(path, MGC_BUF_MAX_DEFAULT, &old, &err) ||
        !mgc_report_verdict_add_holder(old.data, old.len, step, outcome, &added, &err) ||
        !mgc_file_write(path, added.data, added.len, 0644, &err))
        mgc_results_note(session->results, "setup step %s: %s", step->id, err.text);
    mgc_buf_destroy(&added);
    mgc_buf_destroy(&old);
}

static void run_holder_end(
    void *user, const struct mgc_step *step, const struct mgc_step_outcome *outcome)
{
    struct session *session = user;
    mgc_seat_step_over(session->seat, step);
    keep_holder(session, step, outcome);
    mgc_results_put_back(session->results, step, outcome, true);
    if (outcome->state != MGC_STEP_DONE)
        mgc_results_note(
            session->results, "setup step %s ended early: %s", step->id, outcome->error.text);
    if (outcome->undo_failed)
        mgc_results_note(session->results, "setup step %s: %lld changes could not be undone: %s",
            step->id, (long long)outcome->undo_failed,
            outcome->undo_text ? outcome->undo_text : "no reason given");
    mgc_manifest_write(session->setup.manifest, session->setup.dir, NULL);
}

static void run_progress(void *user, const struct mgc_progress *event)
{
    struct session *session = user;
    if (event->kind == MGC_PROGRESS_RELEASED) /* what is measured begins here, at the latest */
        note_clocks(session, &session->current);
    mgc_session_tell(session, event);
}

static bool run_turned_away(void *user, int64_t since_ns, char *ret_text, size_t size)
{
    struct session *session = user;
    return mgc_link_turned_away(session->fleet->link, since_ns, ret_text, size);
}

static void run_stopped(void *user, const char *why)
{
    mgc_session_stop_because(user, why);
}

static struct mgc_earlier run_earlier(void *user, const struct mgc_cell *cell)
{
    const struct mgc_standing *standing = mgc_session_standing(user, cell);
    return standing ? (struct mgc_earlier){standing->last, standing->spent}
                    : (struct mgc_earlier){0};
}

const struct mgc_run_ops mgc_session_run_ops = {
    .send = run_send,
    .offset = run_offset,
    .attempt_begin = run_attempt_begin,
    .step_sent = run_step_sent,
    .attempt_end = run_attempt_end,
    .holder_end = run_holder_end,
    .progress = run_progress,
    .stopped = run_stopped,
    .turned_away = run_turned_away,
    .left_out = mgc_session_left_out,
    .slot_take = mgc_session_slot_take,
    .slot_drop = mgc_session_slot_drop,
    .earlier = run_earlier,
};
