/* What follows when an attempt of a measured cell has ended: its verdict, its place in the run's
 * directory, another attempt or turn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/merge/path_proof.h"
#include "coordinator/merge/replacement.h"
#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

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
    mgc_seat_moved(session->seat, session->current.dir, path);
    snprintf(session->current.dir, sizeof(session->current.dir), "%s", path);
    result->settled = attempt->number;
    free(result->dir);
    result->dir = strdup(attempt->cell->id);
}

/* Cells that were void through no fault of theirs go again. */
void mgc_session_replace_void(struct session *session, const struct mgc_cell *judged)
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
        bool known = mgc_seat_clock(session->seat, (enum mgc_role)role, &now) && before->known;
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

/* What follows a verdict. True: the attempt is superseded, the same cell has another at once. Not
 * one that is `replaced`: it has its further turn beside the round's reference. */
static bool goes_again(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict,
    bool retry_possible, bool replaced, enum mgc_after *ret_after)
{
    bool rebooted = has_rebooted(attempt, verdict);
    /* It could not have come out well, and that was not this cell's fault. */
    bool uncounted = rebooted && attempt->renewable && mgc_session_found_restarted(attempt);
    if (verdict->infrastructure && (uncounted || (retry_possible && !replaced))) {
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
    bool replaced = mgc_replacement_due(session->results, result);
    if (goes_again(attempt, &result->verdict, retry_possible, replaced, &after)) {
        mgc_results_note(session->results, "%s: attempt %d is superseded: %s", attempt->cell->id,
            attempt->number, result->verdict.text);
        return after;
    }
    settle_cell(session, attempt, result);
    mgc_session_replace_void(session, attempt->cell);
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
    if (session->config->plan->replacements)
        mgc_verify_transport(verdict, attempt);
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
    mgc_session_write_verdict(session, attempt, &verdict);
    if (!goes_again(attempt, &verdict, retry_possible, false, &after) &&
        !mgc_replacement_beside(
            session->results, attempt->sake, attempt->cell, attempt->number, &verdict))
        mgc_results_note(session->results, "%s: no memory to keep it", attempt->cell->id);
    mgc_verdict_destroy(&verdict);
    if (session->disk.code != MGC_OK) {
        mgc_session_stop_because(session, session->disk.text);
        return MGC_AFTER_STOP;
    }
    return after;
}

enum mgc_after mgc_session_after_measure(
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
    mgc_path_withhold(session->results, result);
    mgc_session_write_verdict(session, attempt, &result->verdict);
    if (session->refused.code != MGC_OK) {
        mgc_session_stop_because(session, session->refused.text);
        return MGC_AFTER_STOP;
    }
    if (session->disk.code != MGC_OK) {
        mgc_session_stop_because(session, session->disk.text);
        return MGC_AFTER_STOP;
    }
    enum mgc_after after = conclude(session, attempt, result, retry_possible);
    mgc_session_phone_lost(session, attempt, &result->verdict);
    return after;
}
