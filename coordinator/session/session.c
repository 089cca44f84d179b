/* The run on one phone, from its first file to its last. */
#include "coordinator/session/session_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/history/history.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/merge/settings.h"
#include "coordinator/plan/plan_json.h"
#include "coordinator/report/report.h"
#include "coordinator/session/record.h"

/* ---- its begin ---- */

/* Of phones with names each has a directory below that of the run. */
static bool find_dir(struct session *session, struct mgc_error *err)
{
    const struct mgc_plan *plan = session->config->plan;
    const char *whole = session->fleet->dir.path;
    session->dir = (struct mgc_run_dir){.lock = MGC_LOCK_INIT};
    snprintf(session->dir.run_id, sizeof(session->dir.run_id), "%s", plan->run_id);
    int len = snprintf(session->dir.path, sizeof(session->dir.path), "%s%s%s", whole,
        plan->phone ? "/phones/" : "", plan->phone ? plan->phone : "");
    return len < (int)sizeof(session->dir.path) ||
           mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", whole);
}

static bool begin_new(struct session *session, struct mgc_error *err)
{
    const struct mgc_session_phone *config = session->config;
    session->record = mgc_record_new(config->site, config->plan);
    return mgc_run_dir_make(&session->dir, err) &&
           mgc_record_start(&session->dir, config->site, session->record, err);
}

static void keep_settings(struct mgc_results *results, const struct mgc_site *site)
{
    json_t *settings = mgc_settings_to_json(&site->settings);
    mgc_results_take_settings(results, settings);
    json_decref(settings);
}

bool mgc_session_open(struct session *session, struct mgc_error *err)
{
    const struct mgc_session_phone *config = session->config;
    if (!find_dir(session, err) || session->over)
        return session->over;
    snprintf(session->outcome->dir, sizeof(session->outcome->dir), "%s", session->dir.path);
    if (!mgc_results_init(session->results, config->plan, err))
        return false;
    session->outcome->has_results = true;
    session->results->tool_build = strdup("mgcoord " MGC_VERSION);
    keep_settings(session->results, config->site);
    session->results->start_wall_ns = mgc_wall_ns();
    return (config->resume ? mgc_session_resume(session, err) : begin_new(session, err)) &&
           mgc_session_follow(session, err);
}

bool mgc_session_begin(struct session *session, struct mgc_error *err)
{
    const struct mgc_plan *plan = session->config->plan;
    mgc_session_budget_begin(session);
    session->run = mgc_run_new(plan, &mgc_session_run_ops, session, err);
    session->seat = session->run ? mgc_link_seat(session->fleet->link, plan->workers,
                                       &mgc_session_seat_ops, session, err)
                                 : NULL;
    if (session->seat)
        mgc_run_begin(session->run, mgc_mono_ns());
    return session->seat;
}

void mgc_session_close(struct session *session)
{
    mgc_loop_remove_timer(session->fleet->loop, session->ending);
    mgc_progress_view_destroy(&session->view);
    if (session->seat)
        mgc_seat_attach(session->seat, NULL);
    mgc_run_free(session->run);
    mgc_manifest_free(session->setup.manifest);
    mgc_manifest_free(session->current.manifest);
    json_decref(session->record);
    json_decref(session->inputs_before);
    free(session->standings);
    mgc_estimates_free(session->estimates);
    mgc_run_gate_destroy(&session->gate);
    mgc_run_dir_close(&session->dir);
}

/* ---- its end ---- */

struct role_left {
    const char *role;
    bool any, all_clean;
};

static void look_for_left(void *user, const struct mgc_link_worker *worker)
{
    struct role_left *left = user;
    int64_t pending, damaged = 0;
    if (!worker->record->role || strcmp(worker->record->role, left->role) != 0)
        return;
    bool known = mgc_fields_get_int(worker->facts, "undo_pending", &pending);
    mgc_fields_get_int(worker->facts, "undo_damaged", &damaged);
    left->any = true;
    left->all_clean = left->all_clean && worker->joined && known && pending == 0 && damaged == 0;
}

/* What lost workers left has been undone when they are back with an empty journal. */
static void settle_put_back(struct session *session)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        struct role_left left = {.role = mgc_role_name((enum mgc_role)role), .all_clean = true};
        mgc_seat_visit(session->seat, look_for_left, &left);
        if (left.any && left.all_clean)
            mgc_results_put_back_on_rejoin(session->results, left.role);
    }
}

/* Cells whose turn never came say so, instead of standing there without a verdict. */
static void skip_the_rest(struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        struct mgc_cell_result *cell = &results->cells[i];
        if (!mgc_verdict_is_named(&cell->verdict))
            mgc_results_not_begun(results, cell);
    }
}

/* Comes before the files of the end, since these tell its notes; never the run's fault. */
static bool keep_in_history(struct session *session)
{
    char note[MGC_ERROR_TEXT_MAX];
    struct mgc_error err = {0};
    bool kept = mgc_history_keep(
        session->config->site->results, session->results, session->dir.path, note, &err);
    if (!kept)
        mgc_results_note(session->results,
            "this run is not in the history: %s; 'mgcoord history import' brings it there later",
            err.text);
    if (note[0])
        mgc_results_note(session->results, "%s", note);
    return kept;
}

static void make_results(struct session *session)
{
    struct mgc_results *results = session->results;
    struct mgc_error no_hosts = {0};
    results->end_wall_ns = mgc_wall_ns();
    mgc_results_drop_unconfirmed(results);
    skip_the_rest(results);
    if (!mgc_seat_hosts(session->seat, results, &no_hosts))
        mgc_results_note(results, "%s", no_hosts.text);
    settle_put_back(session);
    mgc_session_decide(session);
    bool kept = keep_in_history(session);
    session->safe = mgc_record_end(&session->dir, results, &session->outcome->error) && kept;
}

/* Of phones with names; the only one's results are told of by who prints them. */
static void tell_over(struct session *session)
{
    struct mgc_buf line = {0};
    if (!mgc_fleet_is_named(session->fleet))
        return;
    mgc_buf_puts(&line, "over: ");
    if (session->refused.code != MGC_OK)
        mgc_buf_puts(&line, session->refused.text);
    else
        mgc_report_sentence(session->results, &line, NULL);
    mgc_session_note(session, mgc_buf_text(&line));
    mgc_buf_destroy(&line);
}

/* The loop ends with the last of them. */
static void look_for_others(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        if (!fleet->sessions[i].over)
            return;
    }
    mgc_loop_quit(fleet->loop);
}

void mgc_session_finish(struct session *session)
{
    session->over = true;
    if (session->refused.code != MGC_OK)
        mgc_session_refuse(session);
    else
        make_results(session);
    tell_over(session);
    look_for_others(session->fleet);
}
