/* The runs of all phones in one process: what they share, opened, conducted and closed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/control/holder.h"
#include "coordinator/session/fleet_files.h"
#include "coordinator/session/session_private.h"

enum { TICK_MS = 1000 };

bool mgc_fleet_is_named(const struct fleet *fleet)
{
    return fleet->config->phones[0].plan->phone;
}

/* What concerns all of them is the same in each one's; who is done has none. */
const struct mgc_site *mgc_fleet_site(const struct fleet *fleet)
{
    size_t i = 0;
    while (fleet->config->phones[i].done)
        i++;
    return fleet->config->phones[i].site;
}

void mgc_fleet_note(struct fleet *fleet, const char *text)
{
    struct mgc_progress event = {.kind = MGC_PROGRESS_NOTE, .text = text};
    mgc_fleet_show(fleet, NULL, &event);
}

void mgc_fleet_interrupt(struct fleet *fleet, const char *text)
{
    mgc_fleet_note(fleet, text);
    fleet->interrupted = true;
    for (size_t i = 0; i < fleet->count; i++) {
        struct session *session = &fleet->sessions[i];
        if (session->over)
            continue;
        session->results->interrupted = true;
        mgc_run_interrupt(session->run, mgc_mono_ns());
    }
    mgc_link_rearm(fleet->link);
}

static void on_stop(void *user)
{
    struct fleet *fleet = user;
    mgc_loop_remove_fd(fleet->loop, fleet->config->stop->read_fd);
    mgc_fleet_interrupt(
        fleet, "interrupted: cancelling and undoing; press Ctrl-C again to give up at once");
}

static void on_tick(void *user)
{
    struct fleet *fleet = user;
    fleet->tick = mgc_loop_add_timer(fleet->loop, mgc_deadline_in_ms(TICK_MS), on_tick, fleet);
    mgc_fleet_show(fleet, NULL, NULL);
}

/* ---- putting it together ---- */

static void on_worker_note(void *user, const char *text)
{
    mgc_fleet_note(user, text);
}

static bool open_bus(struct fleet *fleet, struct mgc_error *err)
{
    const struct mgc_site *site = mgc_fleet_site(fleet);
    char where[128];
    struct mgc_bus_server_config bus = {
        .endpoint = site->bind,
        .keys = &fleet->keys,
        .run_id = fleet->dir.run_id,
        .build = "mgcoord " MGC_VERSION,
        .heartbeat_ms = site->heartbeat_ms,
        .silence_ms = site->silence_ms,
        .coordinator = where,
    };
    mgc_holder_where(where, sizeof(where));
    fleet->link = mgc_link_new(fleet->loop, &bus, on_worker_note, fleet, err);
    if (!fleet->link)
        mgc_holder_explain(site->bind, err);
    return fleet->link != NULL;
}

static bool take_root(struct fleet *fleet, struct mgc_error *err)
{
    const struct mgc_session_config *config = fleet->config;
    const struct mgc_plan *plan = config->phones[0].plan;
    if (!config->dir)
        return mgc_run_dir_open(&fleet->dir, mgc_fleet_site(fleet)->results,
            plan->part_of ? plan->part_of : plan->run_id, err);
    fleet->dir = *config->dir;
    *config->dir = (struct mgc_run_dir){.lock = MGC_LOCK_INIT};
    return true;
}

static bool load_keys(struct fleet *fleet, struct mgc_error *err)
{
    if (mgc_keyring_load(mgc_fleet_site(fleet)->keys, &fleet->keys, err))
        return true;
    if (err->code == MGC_E_NOT_FOUND) /* nothing was run: the site is wrong */
        err->code = MGC_E_CONFIG;
    return mgc_error_prefix(err, "keys (see 'mgcoord keys init')");
}

static bool open_sessions(struct fleet *fleet, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < fleet->count; i++)
        ok = mgc_session_open(&fleet->sessions[i], err) &&
             (mgc_slots_add(&fleet->slots, &fleet->sessions[i]) ||
                 mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run"));
    return ok;
}

static bool open_all(struct fleet *fleet, struct mgc_error *err)
{
    if (!load_keys(fleet, err))
        return false;
    fleet->loop = mgc_loop_new(err);
    /* Directories come last, so that a refused run leaves none, and a resumed one as it was. */
    return fleet->loop && take_root(fleet, err) && open_bus(fleet, err) &&
           open_sessions(fleet, err) &&
           (!mgc_fleet_is_named(fleet) || mgc_fleet_files_begin(fleet, err));
}

static bool conduct(struct fleet *fleet, struct mgc_error *err)
{
    fleet->tick = mgc_loop_add_timer(fleet->loop, mgc_deadline_in_ms(TICK_MS), on_tick, fleet);
    for (size_t i = 0; i < fleet->count; i++) {
        if (!fleet->sessions[i].over && !mgc_session_begin(&fleet->sessions[i], err))
            return false;
    }
    if (!mgc_loop_add_fd(fleet->loop, fleet->config->stop->read_fd, on_stop, fleet, err))
        return false;
    mgc_fleet_open_control(fleet);
    for (size_t i = 0; i < fleet->count; i++) {
        if (fleet->sessions[i].over)
            continue;
        mgc_session_tell_kept(&fleet->sessions[i]);
        mgc_seat_attach(fleet->sessions[i].seat, fleet->sessions[i].run);
    }
    return mgc_loop_run(fleet->loop, err);
}

/* ---- its end ---- */

void mgc_session_result_destroy(struct mgc_session_result *result)
{
    if (result->has_results)
        mgc_results_destroy(&result->results);
    *result = (struct mgc_session_result){0};
}

static void close_all(struct fleet *fleet)
{
    mgc_fleet_close_control(fleet);
    if (fleet->loop)
        mgc_loop_remove_timer(fleet->loop, fleet->tick);
    for (size_t i = 0; i < fleet->count; i++)
        mgc_session_close(&fleet->sessions[i]);
    mgc_link_free(fleet->link);
    mgc_loop_free(fleet->loop);
    mgc_keyring_destroy(&fleet->keys);
    mgc_slots_destroy(&fleet->slots);
    mgc_run_dir_close(&fleet->dir);
    free(fleet->sessions);
}

/* What has been refused has no results any more; the only phone is the whole run. */
static bool settle_refused(
    struct fleet *fleet, struct mgc_session_result *ret, struct mgc_error *err)
{
    for (size_t i = 0; i < fleet->count; i++) {
        if (fleet->sessions[i].refused.code == MGC_OK)
            continue;
        mgc_results_destroy(&ret[i].results);
        ret[i].has_results = false;
    }
    if (mgc_fleet_is_named(fleet) || ret[0].has_results)
        return true;
    *err = ret[0].error;
    return false;
}

static void end_all(struct fleet *fleet, struct mgc_session_result *ret, struct mgc_error *err)
{
    if (mgc_fleet_is_named(fleet))
        mgc_fleet_files_end(fleet, err);
    else if (err)
        *err = ret[0].error;
    mgc_fleet_close_night(fleet);
}

static bool make_sessions(
    struct fleet *fleet, struct mgc_session_result *ret, struct mgc_error *err)
{
    const struct mgc_session_config *config = fleet->config;
    fleet->dir.lock = (struct mgc_lock)MGC_LOCK_INIT;
    fleet->slots = (struct mgc_slots){.wake = mgc_session_slot_wake};
    fleet->sessions = calloc(config->phone_count, sizeof(*fleet->sessions));
    if (!fleet->sessions)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run");
    fleet->count = config->phone_count;
    for (size_t i = 0; i < fleet->count; i++) {
        ret[i] = (struct mgc_session_result){0};
        fleet->sessions[i] = (struct session){
            .config = &config->phones[i],
            .fleet = fleet,
            .outcome = &ret[i],
            .results = &ret[i].results,
            .over = config->phones[i].done,
            .safe = config->phones[i].done,
        };
    }
    return true;
}

bool mgc_session_run(const struct mgc_session_config *config, struct mgc_session_result *ret,
    char *ret_dir, size_t dir_size, struct mgc_error *err)
{
    struct fleet fleet = {.config = config};
    struct mgc_error own = {0}, *why = err ? err : &own;
    bool ok = make_sessions(&fleet, ret, why) && open_all(&fleet, why) && conduct(&fleet, why) &&
              settle_refused(&fleet, ret, why);
    if (ok) {
        snprintf(ret_dir, dir_size, "%s", fleet.dir.path);
        *why = (struct mgc_error){0};
        end_all(&fleet, ret, why);
    } else {
        mgc_fleet_beat_end(&fleet, why->code == MGC_E_CONFIG ? 2 : 3, why->text);
        for (size_t i = 0; i < fleet.count; i++)
            mgc_session_result_destroy(&ret[i]);
    }
    close_all(&fleet);
    return ok;
}
