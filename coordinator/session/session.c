/* A run from its first file to its last: what it owns, opened, conducted and closed. */
#include "coordinator/session/session_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/control/holder.h"
#include "coordinator/history/history.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/merge/settings.h"
#include "coordinator/plan/plan_json.h"
#include "coordinator/report/report.h"
#include "coordinator/session/record.h"

static void on_stop(void *user)
{
    struct session *session = user;
    mgc_loop_remove_fd(session->loop, session->config->stop->read_fd);
    mgc_session_interrupt(
        session, "interrupted: cancelling and undoing; press Ctrl-C again to give up at once");
}

/* ---- putting it together ---- */

static bool open_bus(struct session *session, struct mgc_error *err)
{
    const struct mgc_site *site = session->config->site;
    struct mgc_bus_server_config bus = {
        .endpoint = site->bind,
        .keys = &session->keys,
        .run_id = session->config->plan->run_id,
        .build = "mgcoord " MGC_VERSION,
        .heartbeat_ms = site->heartbeat_ms,
        .silence_ms = site->silence_ms,
    };
    session->link = mgc_link_new(session->loop, &bus, &mgc_session_link_ops, session, err);
    if (!session->link)
        mgc_holder_explain(site->bind, err);
    return session->link != NULL;
}

static bool take_root(struct session *session, struct mgc_error *err)
{
    const struct mgc_session_config *config = session->config;
    if (!config->resume)
        return mgc_run_dir_open(&session->dir, config->site->results, config->plan->run_id, err);
    session->dir = config->resume->dir;
    config->resume->dir = (struct mgc_run_dir){.lock = MGC_LOCK_INIT};
    return true;
}

static bool begin_new(struct session *session, struct mgc_error *err)
{
    const struct mgc_session_config *config = session->config;
    session->record = mgc_record_new(config->site, config->plan);
    return mgc_run_dir_make(&session->dir, err) &&
           mgc_record_start(&session->dir, config->site, session->record, err);
}

static bool open_all(struct session *session, struct mgc_error *err)
{
    const struct mgc_session_config *config = session->config;
    if (!mgc_keyring_load(config->site->keys, &session->keys, err)) {
        if (err->code == MGC_E_NOT_FOUND) /* nothing was run: the site is wrong */
            err->code = MGC_E_CONFIG;
        return mgc_error_prefix(err, "keys (see 'mgcoord keys init')");
    }
    session->loop = mgc_loop_new(err);
    /* The directory comes last, so that a refused run leaves none, and a resumed one as it was. */
    return session->loop && take_root(session, err) && open_bus(session, err) &&
           (config->resume ? mgc_session_resume(session, err) : begin_new(session, err)) &&
           mgc_session_follow(session, err);
}

static bool conduct(struct session *session, struct mgc_error *err)
{
    session->run =
        mgc_run_new(session->config->plan, &mgc_session_run_ops, session, mgc_mono_ns(), err);
    if (!session->run ||
        !mgc_loop_add_fd(session->loop, session->config->stop->read_fd, on_stop, session, err))
        return false;
    mgc_session_open_control(session);
    mgc_session_tell_kept(session);
    mgc_link_attach(session->link, session->run);
    return mgc_loop_run(session->loop, err);
}

static void close_all(struct session *session)
{
    mgc_session_unfollow(session);
    mgc_run_free(session->run);
    mgc_link_free(session->link);
    mgc_loop_free(session->loop);
    mgc_keyring_destroy(&session->keys);
    mgc_manifest_free(session->setup.manifest);
    mgc_manifest_free(session->current.manifest);
    json_decref(session->record);
    json_decref(session->inputs_before);
    free(session->standings);
    mgc_run_gate_destroy(&session->gate);
    mgc_run_dir_close(&session->dir);
}

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
        mgc_link_visit(session->link, look_for_left, &left);
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

static void keep_settings(struct mgc_results *results, const struct mgc_site *site)
{
    json_t *settings = mgc_settings_to_json(&site->settings);
    mgc_results_take_settings(results, settings);
    json_decref(settings);
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

bool mgc_session_run(const struct mgc_session_config *config, struct mgc_results *ret_results,
    char *ret_dir, size_t dir_size, struct mgc_error *err)
{
    struct session session = {.config = config, .results = ret_results};
    session.dir.lock = (struct mgc_lock)MGC_LOCK_INIT;
    if (!mgc_results_init(ret_results, config->plan, err))
        return false;
    ret_results->tool_build = strdup("mgcoord " MGC_VERSION);
    keep_settings(ret_results, config->site);
    ret_results->start_wall_ns = mgc_wall_ns();
    bool ok = open_all(&session, err) && conduct(&session, err);
    if (ok && session.refused.code != MGC_OK) {
        mgc_session_refuse(&session, err);
        ok = false;
    }
    if (ok) {
        ret_results->end_wall_ns = mgc_wall_ns();
        mgc_results_drop_unconfirmed(ret_results);
        skip_the_rest(ret_results);
        struct mgc_error no_hosts = {0};
        if (!mgc_link_hosts(session.link, ret_results, &no_hosts))
            mgc_results_note(ret_results, "%s", no_hosts.text);
        settle_put_back(&session);
        snprintf(ret_dir, dir_size, "%s", session.dir.path);
        mgc_session_decide(&session);
        bool kept = keep_in_history(&session);
        bool written = mgc_record_end(&session.dir, ret_results, err);
        mgc_session_close_night(&session, kept && written);
    } else {
        mgc_session_beat_end(&session, session.refused.code ? 2 : 3, err->text);
        mgc_results_destroy(ret_results);
    }
    close_all(&session);
    return ok;
}
