/* How people follow a run and reach into it: progress for the terminal, and the control socket. */
#include "coordinator/session/session_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "coordinator/plan/expand.h"

enum { TICK_MS = 1000 };

/* ---- progress ---- */

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

static void tell_watchers(
    struct session *session, const struct mgc_progress *event, const struct mgc_status *status)
{
    if (!session->control || !mgc_control_server_watched(session->control))
        return;
    json_t *doc = json_object();
    set_text(doc, "event", event ? event_name(event->kind) : "tick");
    json_object_set_new(doc, "status", mgc_status_to_json(status));
    if (event) {
        set_text(doc, "cell", event->cell ? event->cell->id : NULL);
        set_text(doc, "step", event->step ? event->step->id : NULL);
        set_text(doc, "text", event->text);
    }
    mgc_control_server_tell(session->control, doc);
}

static void show(struct session *session, const struct mgc_progress *event)
{
    struct mgc_status status = mgc_progress_view_status(&session->view, mgc_mono_ns());
    if (session->config->progress)
        session->config->progress(session->config->user, event, &status);
    tell_watchers(session, event, &status);
    mgc_session_beat(session, event, &status);
}

void mgc_session_tell(struct session *session, const struct mgc_progress *event)
{
    mgc_progress_view_take(&session->view, event, mgc_mono_ns());
    show(session, event);
}

void mgc_session_note(struct session *session, const char *text)
{
    struct mgc_progress event = {.kind = MGC_PROGRESS_NOTE, .text = text};
    mgc_session_tell(session, &event);
}

static void tell_of(struct session *session, enum mgc_progress_kind kind,
    const struct mgc_attempt *attempt, const char *text)
{
    struct mgc_progress event = {
        .kind = kind,
        .cell = attempt->cell,
        .attempt = attempt->number,
        .state = attempt->completed ? MGC_STEP_DONE : MGC_STEP_FAILED,
        .text = text,
    };
    mgc_session_tell(session, &event);
}

void mgc_session_tell_end(struct session *session, const struct mgc_attempt *attempt)
{
    char line[768];
    snprintf(line, sizeof(line), "%s: %s%s", attempt->cell->id,
        attempt->completed     ? "steps done"
        : attempt->interrupted ? "interrupted: "
                               : "failed: ",
        attempt->error.text);
    tell_of(session, MGC_PROGRESS_END, attempt, line);
}

void mgc_session_tell_verdict(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict)
{
    char line[1024];
    bool measured = verdict->state == MGC_VERDICT_MEASURED;
    snprintf(line, sizeof(line), "%s: %s%s%s%s%s", attempt->cell->id,
        mgc_verdict_state_name(verdict->state), measured ? "" : ": ",
        measured ? "" : verdict->reason, measured ? "" : ": ", measured ? "" : verdict->text);
    tell_of(session, MGC_PROGRESS_VERDICT, attempt, line);
}

static void on_tick(void *user)
{
    struct session *session = user;
    session->tick =
        mgc_loop_add_timer(session->loop, mgc_deadline_in_ms(TICK_MS), on_tick, session);
    show(session, NULL);
}

bool mgc_session_follow(struct session *session, struct mgc_error *err)
{
    const struct mgc_session_config *config = session->config;
    int64_t *typical_ms = calloc(config->plan->cell_count + 1, sizeof(*typical_ms));
    for (size_t i = 0; typical_ms && i < config->plan->cell_count; i++)
        typical_ms[i] = mgc_cell_typical_ms(config->site, &config->plan->cells[i]);
    bool ok = typical_ms ? mgc_progress_view_init(
                               &session->view, config->plan, typical_ms, mgc_mono_ns(), err)
                         : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to follow the run");
    free(typical_ms);
    if (ok)
        session->tick =
            mgc_loop_add_timer(session->loop, mgc_deadline_in_ms(TICK_MS), on_tick, session);
    return ok;
}

/* ---- control ---- */

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
    /* Not what others of its machine held when it joined: that may be over. */
    json_array_append_new(user, row);
}

static void add_if_joined(void *user, const struct mgc_link_worker *worker)
{
    if (worker->joined)
        json_object_set_new(user, worker->name, json_true());
}

/* The ring that is in use must outlive the moment in which the bus lets go of it. */
static bool renew_keys(struct session *session, json_t *body, struct mgc_error *err)
{
    struct mgc_keyring fresh, old = session->keys;
    if (!mgc_keyring_load(session->config->site->keys, &fresh, err))
        return false;
    json_t *before = json_object(), *after = json_object(), *ended = json_array();
    const char *name;
    json_t *value;
    mgc_link_visit(session->link, add_if_joined, before);
    session->keys = fresh;
    mgc_link_set_keys(session->link, &session->keys);
    mgc_keyring_destroy(&old);
    mgc_link_visit(session->link, add_if_joined, after);
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

static bool cancel(struct session *session, struct mgc_error *err)
{
    if (session->results->interrupted)
        return mgc_error_set(
            err, MGC_E_BUSY, "run '%s' is being cancelled already", session->config->plan->run_id);
    mgc_session_interrupt(session, "cancelled from outside: cancelling and undoing");
    return true;
}

static bool on_request(
    void *user, enum mgc_control_request request, json_t *body, struct mgc_error *err)
{
    struct session *session = user;
    set_text(body, "run_id", session->config->plan->run_id);
    json_object_set_new(body, "pid", json_integer(getpid()));
    switch (request) {
    case MGC_CONTROL_HOSTS: {
        json_t *workers = json_array();
        mgc_link_visit(session->link, add_worker, workers);
        return json_object_set_new(body, "workers", workers) == 0;
    }
    case MGC_CONTROL_WATCH: {
        struct mgc_status status = mgc_progress_view_status(&session->view, mgc_mono_ns());
        return json_object_set_new(body, "status", mgc_status_to_json(&status)) == 0;
    }
    case MGC_CONTROL_KEYS:
        return renew_keys(session, body, err);
    case MGC_CONTROL_CANCEL:
        return cancel(session, err);
    }
    return mgc_error_set(err, MGC_E_UNSUPPORTED, "unknown request");
}

void mgc_session_open_control(struct session *session)
{
    struct mgc_error err = {0};
    session->control = mgc_control_server_new(
        session->loop, session->dir.path, session->dir.run_id, on_request, session, &err);
    if (session->control &&
        mgc_run_dir_announce(&session->dir, mgc_control_server_path(session->control), &err))
        return;
    char text[MGC_ERROR_TEXT_MAX + 128];
    snprintf(text, sizeof(text), "mgcoord watch, cancel and keys revoke cannot reach this run: %s",
        err.text);
    mgc_session_note(session, text);
}

void mgc_session_unfollow(struct session *session)
{
    if (session->control) {
        json_t *over = json_object();
        set_text(over, "event", "over");
        set_text(over, "dir", session->dir.path);
        mgc_control_server_tell(session->control, over);
    }
    mgc_control_server_free(session->control);
    session->control = NULL;
    if (session->loop)
        mgc_loop_remove_timer(session->loop, session->tick);
    mgc_progress_view_destroy(&session->view);
}

void mgc_session_interrupt(struct session *session, const char *text)
{
    mgc_session_note(session, text);
    session->results->interrupted = true;
    mgc_run_interrupt(session->run, mgc_mono_ns());
    mgc_link_rearm(session->link);
}
