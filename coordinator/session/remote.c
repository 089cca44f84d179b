/* How people reach into a run: the control socket. */
#include "coordinator/session/session_private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "coordinator/control/leases.h"

enum { LOOK_MS = 1500 }; /* below what a person takes for a hang */

static const char *event_name(enum mgc_progress_kind kind)
{
    static const char *const names[] = {
        [MGC_PROGRESS_NOTE] = "note",
        [MGC_PROGRESS_WAITING] = "waiting",
        [MGC_PROGRESS_BEGIN] = "begin",
        [MGC_PROGRESS_STEP] = "step",
        [MGC_PROGRESS_ARRIVED] = "arrived",
        [MGC_PROGRESS_RELEASED] = "released",
        [MGC_PROGRESS_END] = "end",
        [MGC_PROGRESS_VERDICT] = "verdict",
    };
    return names[kind];
}

static void set_text(json_t *doc, const char *key, const char *text)
{
    if (text)
        json_object_set_new(doc, key, mgc_json_text(text));
}

/* Of phones with names: how far each of them is. */
static json_t *phones_to_json(const struct fleet *fleet)
{
    json_t *phones = json_object();
    int64_t now_ns = mgc_mono_ns();
    for (size_t i = 0; i < fleet->count; i++) {
        const struct session *session = &fleet->sessions[i];
        struct mgc_status status = mgc_session_status(session, now_ns);
        json_t *one = mgc_status_to_json(&status);
        json_object_set_new(one, "over", json_boolean(session->over));
        json_object_set_new(phones, session->config->plan->phone, one);
    }
    return phones;
}

void mgc_fleet_tell_watchers(struct fleet *fleet, const struct session *session,
    const struct mgc_progress *event, const struct mgc_status *status)
{
    if (!fleet->control || !mgc_control_server_watched(fleet->control))
        return;
    json_t *doc = json_object();
    set_text(doc, "event", event ? event_name(event->kind) : "tick");
    set_text(doc, "phone", session ? session->config->plan->phone : NULL);
    json_object_set_new(doc, "status", mgc_status_to_json(status));
    if (!event && mgc_fleet_is_named(fleet))
        json_object_set_new(doc, "phones", phones_to_json(fleet));
    if (event) {
        set_text(doc, "cell", event->cell ? event->cell->id : NULL);
        set_text(doc, "step", event->step ? event->step->id : NULL);
        set_text(doc, "text", event->text);
    }
    mgc_control_server_tell(fleet->control, doc);
}

static void add_worker(void *user, const struct mgc_link_worker *worker)
{
    const struct mgc_host_record *record = worker->record;
    json_t *row = json_object();
    set_text(row, "worker", worker->name);
    json_object_set_new(row, "joined", json_boolean(worker->joined));
    set_text(row, "role", record->role);
    set_text(row, "host", record->host);
    set_text(row, "os", record->os);
    set_text(row, "build", record->build);
    if (worker->offset.known) {
        json_object_set_new(row, "offset_ns", json_integer(worker->offset.offset_ns));
        json_object_set_new(row, "uncertainty_ns", json_integer(worker->offset.uncertainty_ns));
        json_object_set_new(row, "round_trip_ns", json_integer(worker->offset.round_trip_ns));
    }
    json_t *leases = worker->leases ? mgc_control_leases(worker->leases) : NULL;
    if (leases)
        json_object_set_new(row, "leases", leases);
    json_array_append_new(user, row);
}

/* ---- hosts: who holds what is asked of the workers, so its answer comes a little later ---- */

static void set_run(const struct fleet *fleet, json_t *body)
{
    set_text(body, "run_id", fleet->dir.run_id);
    json_object_set_new(body, "pid", json_integer(getpid()));
}

static void answer_hosts(void *user)
{
    struct fleet *fleet = user;
    json_t *body = json_object(), *workers = json_array();
    mgc_loop_remove_timer(fleet->loop, fleet->look);
    fleet->look = 0;
    set_run(fleet, body);
    mgc_link_visit(fleet->link, add_worker, workers);
    json_object_set_new(body, "workers", workers);
    if (fleet->control)
        mgc_control_server_answer(fleet->control, body);
    else
        json_decref(body);
}

/* On the loop's next turn: the one who asked is noted as waiting when its request is through. */
static void look_done(void *user)
{
    struct fleet *fleet = user;
    mgc_loop_remove_timer(fleet->loop, fleet->look);
    fleet->look = mgc_loop_add_timer(fleet->loop, mgc_mono_ns(), answer_hosts, fleet);
}

/* Of a worker that does not answer in time the rest is told. Whoever asks meanwhile waits too. */
static bool ask_hosts(struct fleet *fleet, struct mgc_error *err)
{
    mgc_control_server_hold(fleet->control);
    if (fleet->look)
        return true;
    fleet->look = mgc_loop_add_timer(fleet->loop, mgc_deadline_in_ms(LOOK_MS), answer_hosts, fleet);
    if (!fleet->look)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a timer");
    mgc_link_look(fleet->link, look_done);
    return true;
}

static void add_if_joined(void *user, const struct mgc_link_worker *worker)
{
    if (worker->joined)
        json_object_set_new(user, worker->name, json_true());
}

/* The ring that is in use must outlive the moment in which the bus lets go of it. */
static bool renew_keys(struct fleet *fleet, json_t *body, struct mgc_error *err)
{
    struct mgc_keyring fresh, old = fleet->keys;
    if (!mgc_keyring_load(mgc_fleet_site(fleet)->keys, &fresh, err))
        return false;
    json_t *before = json_object(), *after = json_object(), *ended = json_array();
    const char *name;
    json_t *value;
    mgc_link_visit(fleet->link, add_if_joined, before);
    fleet->keys = fresh;
    mgc_link_set_keys(fleet->link, &fleet->keys);
    mgc_keyring_destroy(&old);
    mgc_link_visit(fleet->link, add_if_joined, after);
    json_object_foreach(before, name, value)
    {
        if (!json_object_get(after, name))
            json_array_append_new(ended, json_string(name));
    }
    json_decref(before);
    json_decref(after);
    json_object_set_new(body, "ended", ended);
    return true;
}

static bool cancel(struct fleet *fleet, struct mgc_error *err)
{
    if (fleet->interrupted)
        return mgc_error_set(
            err, MGC_E_BUSY, "run '%s' is being cancelled already", fleet->dir.run_id);
    mgc_fleet_interrupt(fleet, "cancelled from outside: cancelling and undoing");
    return true;
}

static bool on_request(
    void *user, enum mgc_control_request request, json_t *body, struct mgc_error *err)
{
    struct fleet *fleet = user;
    set_run(fleet, body);
    switch (request) {
    case MGC_CONTROL_HOSTS:
        return ask_hosts(fleet, err);
    case MGC_CONTROL_WATCH: {
        struct mgc_status status = mgc_fleet_status(fleet);
        if (mgc_fleet_is_named(fleet))
            json_object_set_new(body, "phones", phones_to_json(fleet));
        return json_object_set_new(body, "status", mgc_status_to_json(&status)) == 0;
    }
    case MGC_CONTROL_KEYS:
        return renew_keys(fleet, body, err);
    case MGC_CONTROL_CANCEL:
        return cancel(fleet, err);
    }
    return mgc_error_set(err, MGC_E_UNSUPPORTED, "unknown request");
}

void mgc_fleet_open_control(struct fleet *fleet)
{
    struct mgc_error err = {0};
    fleet->control = mgc_control_server_new(
        fleet->loop, fleet->dir.path, fleet->dir.run_id, on_request, fleet, &err);
    if (fleet->control &&
        mgc_run_dir_announce(&fleet->dir, mgc_control_server_path(fleet->control), &err))
        return;
    char text[MGC_ERROR_TEXT_MAX + 128];
    snprintf(text, sizeof(text), "mgcoord watch, cancel and keys revoke cannot reach this run: %s",
        err.text);
    mgc_fleet_note(fleet, text);
}

void mgc_fleet_close_control(struct fleet *fleet)
{
    if (fleet->control) {
        json_t *over = json_object();
        set_text(over, "event", "over");
        set_text(over, "dir", fleet->dir.path);
        mgc_control_server_tell(fleet->control, over);
    }
    if (fleet->loop)
        mgc_loop_remove_timer(fleet->loop, fleet->look);
    fleet->look = 0;
    mgc_control_server_free(fleet->control);
    fleet->control = NULL;
}
