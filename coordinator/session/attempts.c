/* What the scheduler asks the session for: places for attempts, and what follows when one ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/plat/file.h"
#include "coordinator/legacy/legacy.h"
#include "coordinator/merge/path_proof.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/merge/replacement.h"
#include "coordinator/report/report.h"
#include "coordinator/session/record.h"
#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

static struct place *place_of(struct session *session, const struct mgc_cell *cell)
{
    return cell->kind == MGC_CELL_SETUP ? &session->setup : &session->current;
}

/* ---- what the scheduler asks for ---- */

static bool run_send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct session *session = user;
    return mgc_link_send(session->link, role, msg);
}

static bool run_offset(void *user, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct session *session = user;
    return mgc_link_offset(
        session->link, role, ret_offset_ns, ret_uncertainty_ns, ret_round_trip_ns);
}

/* Those that were not known yet. */
static void note_clocks(struct session *session, struct place *place)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        struct mgc_clock_offset *clock = &place->clocks[role];
        if (!clock->known && !mgc_link_clock(session->link, (enum mgc_role)role, clock))
            *clock = (struct mgc_clock_offset){0};
    }
}

static bool run_attempt_begin(
    void *user, const struct mgc_cell *cell, int number, struct mgc_error *err)
{
    struct session *session = user;
    struct place *place = place_of(session, cell);
    struct mgc_error failure = {0};
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    mgc_manifest_free(place->manifest);
    place->manifest = mgc_manifest_new();
    memset(place->clocks, 0, sizeof(place->clocks));
    note_clocks(session, place);
    if (!place->manifest)
        mgc_error_set(&failure, MGC_E_NO_MEMORY, "no memory for a manifest");
    else if (mgc_run_dir_attempt(&session->dir, cell->id, number, place->dir, &failure)) {
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
    if (!mgc_link_expect(session->link, task_id, step, place->dir))
        mgc_err("no memory to expect the files of step '%s'", step->id);
}

static void write_verdict(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict)
{
    struct place *place = place_of(session, attempt->cell);
    const struct mgc_cell_result *result = mgc_results_find(session->results, attempt->cell);
    struct mgc_buf text = {0};
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    if (!mgc_report_verdict_json(attempt, verdict, attempt->sake ? NULL : result, &text, &err) ||
        !mgc_path_join(path, sizeof(path), place->dir, "verdict.json") ||
        !mgc_file_write(path, text.data, text.len, 0644, &err) ||
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

static void stop_because(struct session *session, const char *text)
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
    write_verdict(session, attempt, verdict);
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
    stop_because(session, text);
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
        stop_because(session, session->refused.text);
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
    stop_because(session, results->path_before.text);
    return MGC_AFTER_STOP;
}

/* An attempt that counted until now makes room for the one that replaces it. */
static bool make_room(
    struct session *session, struct mgc_cell_result *result, struct mgc_error *err)
{
    char superseded[MGC_PATH_MAX];
    if (!result->settled)
        return true;
    mgc_results_note(session->results, "%s: attempt %d is superseded: it was measured again",
        result->cell->id, result->settled);
    return mgc_run_dir_unsettle(&session->dir, result->cell->id, result->settled, superseded, err);
}

static void settle_cell(
    struct session *session, const struct mgc_attempt *attempt, struct mgc_cell_result *result)
{
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    if (!make_room(session, result, &err) ||
        !mgc_run_dir_settle(&session->dir, attempt->cell->id, attempt->number, path, &err)) {
        mgc_session_disk_failed(session, &err);
        mgc_results_note(session->results, "%s: %s", attempt->cell->id, err.text);
        return;
    }
    mgc_link_moved(session->link, session->current.dir, path);
    snprintf(session->current.dir, sizeof(session->current.dir), "%s", path);
    result->settled = attempt->number;
    free(result->dir);
    result->dir = strdup(attempt->cell->id);
}

/* Cells that were void through no fault of theirs go again. */
static void replace_void(struct session *session, const struct mgc_cell *judged)
{
    struct mgc_turn turns[MGC_REPLACEMENT_TURNS_MAX];
    size_t count = mgc_replace(session->results, judged, turns);
    if (count && !mgc_run_repeat(session->run, turns, count))
        mgc_results_note(session->results, "%s: no memory to measure again", judged->id);
}

static bool has_step_on(const struct mgc_cell *cell, enum mgc_role role)
{
    size_t i = 0;
    while (i < cell->step_count && cell->steps[i].role != role)
        i++;
    return i < cell->step_count;
}

static void watch_clocks(
    struct session *session, const struct mgc_cell *cell, struct mgc_verdict *verdict)
{
    struct mgc_clock_watch watches[MGC_ROLE_COUNT];
    size_t count = 0;
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        if (!has_step_on(cell, (enum mgc_role)role))
            continue;
        const struct mgc_clock_offset *before = &session->current.clocks[role];
        struct mgc_clock_offset now = {0};
        bool known = mgc_link_clock(session->link, (enum mgc_role)role, &now) && before->known;
        watches[count++] = (struct mgc_clock_watch){
            .role = mgc_role_name((enum mgc_role)role),
            .known = known && now.stepped_ns >= before->stepped_ns,
            .stepped_ns = now.stepped_ns - before->stepped_ns,
            .slept_ns = now.slept_ns - before->slept_ns,
        };
    }
    mgc_verify_clocks(verdict, watches, count);
}

/* A phone that was started anew has lost clocks, sizes and services that the setup had set on it,
 * while the steps that hold them cannot notice. */
static bool has_rebooted(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict)
{
    const struct mgc_step_outcome *device =
        attempt->setup ? mgc_attempt_step(attempt->setup, "device") : NULL;
    const char *before = device ? mgc_fields_get_str(&device->facts, "boot_id") : NULL;
    const char *rebooted = mgc_reason_words(MGC_REASON_PHONE_REBOOTED)->name;
    if (strcmp(verdict->reason, rebooted) == 0)
        return true;
    for (size_t i = 0; before && i < attempt->cell->step_count; i++) {
        const char *now = mgc_fields_get_str(&attempt->steps[i].facts, "boot_id");
        if (now && strcmp(now, before) != 0)
            return true;
    }
    return false;
}

/* What follows a verdict. True: the attempt is superseded, the same cell has another. */
static bool goes_again(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict,
    bool retry_possible, enum mgc_after *ret_after)
{
    bool rebooted = has_rebooted(attempt, verdict);
    /* It could not have come out well, and that was not this cell's fault. */
    bool uncounted = rebooted && attempt->renewable && mgc_session_found_restarted(attempt);
    if (verdict->infrastructure && (retry_possible || uncounted)) {
        *ret_after = uncounted  ? MGC_AFTER_RENEW_UNCOUNTED
                     : rebooted ? MGC_AFTER_RENEW_AGAIN
                                : MGC_AFTER_AGAIN;
        return true;
    }
    *ret_after = rebooted ? MGC_AFTER_RENEW_NEXT : MGC_AFTER_NEXT;
    return false;
}

/* Of the cell: superseded, or final. */
static enum mgc_after conclude(struct session *session, const struct mgc_attempt *attempt,
    struct mgc_cell_result *result, bool retry_possible)
{
    enum mgc_after after;
    if (goes_again(attempt, &result->verdict, retry_possible, &after)) {
        mgc_results_note(session->results, "%s: attempt %d is superseded: %s", attempt->cell->id,
            attempt->number, result->verdict.text);
        return after;
    }
    settle_cell(session, attempt, result);
    replace_void(session, attempt->cell);
    return after;
}

static void judge_cell(
    struct session *session, const struct mgc_attempt *attempt, struct mgc_verdict *verdict)
{
    mgc_session_boot_seen(session, attempt);
    mgc_verdict_destroy(verdict);
    mgc_verify_cell(attempt, session->current.dir, verdict);
    watch_clocks(session, attempt->cell, verdict);
    mgc_verify_start(verdict, attempt);
}

/* The reference of a round, measured again so that another cell has it beside itself: its own
 * result stays what it was. */
static enum mgc_after after_beside(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible)
{
    struct mgc_verdict verdict = {0};
    enum mgc_after after;
    mgc_results_find(session->results, attempt->cell)->attempts--;
    judge_cell(session, attempt, &verdict);
    mgc_session_tell_verdict(session, attempt, &verdict);
    write_verdict(session, attempt, &verdict);
    if (!goes_again(attempt, &verdict, retry_possible, &after) &&
        !mgc_replacement_beside(
            session->results, attempt->sake, attempt->cell, attempt->number, &verdict))
        mgc_results_note(session->results, "%s: no memory to keep it", attempt->cell->id);
    mgc_verdict_destroy(&verdict);
    if (session->disk.code != MGC_OK) {
        stop_because(session, session->disk.text);
        return MGC_AFTER_STOP;
    }
    return after;
}

static enum mgc_after after_measure(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible)
{
    struct mgc_cell_result *result = mgc_results_find(session->results, attempt->cell);
    if (attempt->sake)
        return after_beside(session, attempt, retry_possible);
    result->again = false;
    judge_cell(session, attempt, &result->verdict);
    result->release = attempt->release;
    result->start_wall_ns = attempt->start_wall_ns;
    result->end_wall_ns = attempt->end_wall_ns;
    result->duration_ns = attempt->end_ns - attempt->start_ns;
    result->session = (int64_t)session->results->resumes;
    if (!mgc_session_take_inputs(session, attempt)) {
        mgc_verdict_destroy(&result->verdict);
        mgc_reason_set(&result->verdict, MGC_REASON_OTHER_INPUTS, "%s", session->refused.text);
    }
    mgc_session_tell_verdict(session, attempt, &result->verdict);
    mgc_path_withhold(result);
    write_verdict(session, attempt, &result->verdict);
    if (session->refused.code != MGC_OK) {
        stop_because(session, session->refused.text);
        return MGC_AFTER_STOP;
    }
    if (session->disk.code != MGC_OK) {
        stop_because(session, session->disk.text);
        return MGC_AFTER_STOP;
    }
    enum mgc_after after = conclude(session, attempt, result, retry_possible);
    mgc_session_phone_lost(session, attempt, &result->verdict);
    return after;
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
    write_verdict(session, attempt, &bracket->verdict);
    bracket->wall_ns = attempt->end_wall_ns;
    if (again)
        return MGC_AFTER_AGAIN;
    if (attempt->cell->after)
        mgc_session_link_looked_at(session, attempt->cell);
    replace_void(session, attempt->cell);
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
            mgc_link_step_over(session->link, &attempt->cell->steps[i]);
    }
}

static enum mgc_after after_attempt(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible)
{
    switch (attempt->cell->kind) {
    case MGC_CELL_SETUP:
        return after_setup(session, attempt, retry_possible);
    case MGC_CELL_MEASURE:
        return after_measure(session, attempt, retry_possible);
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
    mgc_link_step_over(session->link, step);
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
    return mgc_link_turned_away(session->link, since_ns, ret_text, size);
}

static void run_stopped(void *user, const char *why)
{
    stop_because(user, why);
}

/* The block's first bracket was looked at, and was not good. */
static const struct mgc_bracket_result *bad_bracket(
    const struct mgc_results *results, const struct mgc_cell *cell)
{
    for (size_t i = 0; cell->block && i < results->bracket_count; i++) {
        const struct mgc_bracket_result *bracket = &results->brackets[i];
        if (bracket->cell->block == cell->block && !bracket->cell->after &&
            bracket->verdict.state != MGC_VERDICT_MEASURED)
            return bracket;
    }
    return NULL;
}

/* A further turn in a block whose new bracket is bad: the cell stays void as it is. */
static bool leave_void(struct session *session, const struct mgc_turn *turn)
{
    struct mgc_cell_result *result = mgc_results_find(session->results, turn->cell);
    if (!result || turn->sake || !bad_bracket(session->results, turn->cell))
        return false;
    result->again = false;
    return true;
}

static bool run_left_out(void *user, const struct mgc_turn *turn)
{
    struct session *session = user;
    const struct mgc_cell *cell = turn->cell;
    const struct mgc_standing *standing = mgc_session_standing(session, cell);
    const struct mgc_bracket_result *bracket = bad_bracket(session->results, cell);
    if (turn->again)
        return leave_void(session, turn);
    bool confirms = cell->confirm && mgc_session_confirms(session, cell);
    bool look_again = confirms && cell->kind == MGC_CELL_BRACKET;
    if (standing && standing->kept && !look_again) {
        if (cell->kind == MGC_CELL_BRACKET && cell->after)
            mgc_session_link_looked_at(session, cell);
        replace_void(session, cell); /* what was to go again when the run was cut off */
        return true;
    }
    if (cell->confirm && !confirms) {
        mgc_session_leave_unconfirmed(session, cell);
        return true;
    }
    const struct mgc_cell_result *cause;
    const struct mgc_shorten *rule = mgc_results_left_out(session->results, cell, &cause);
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    if (bracket && result)
        mgc_reason_set(&result->verdict, MGC_REASON_PATH_NOT_GOOD, "%s: %s", bracket->cell->id,
            bracket->verdict.text);
    if (bracket && result)
        return true;
    if (!rule || !result)
        return false;
    mgc_reason_set(&result->verdict, MGC_REASON_LEFT_OUT,
        "left out by the plan's rule: %s took the app longer than %g s, so %s has %lld round%s",
        cause->cell->id, (double)rule->above_ms / 1000, rule->workload, (long long)rule->reps,
        rule->reps == 1 ? "" : "s");
    return true;
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
    .left_out = run_left_out,
    .earlier = run_earlier,
};
