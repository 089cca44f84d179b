#include "coordinator/link/link.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "coordinator/link/collect.h"
#include "coordinator/link/peers.h"

enum { TEXT_MAX = 768 };

struct mgc_link {
    struct mgc_loop *loop;         /* borrowed */
    struct mgc_bus_server *server; /* owned */
    struct mgc_link_ops ops;
    void *user;
    struct mgc_run *run; /* borrowed; NULL before attach */
    struct mgc_peers peers;
    struct mgc_collect *collect; /* owned */
    uint64_t timer;
    char refused[TEXT_MAX]; /* who was turned away last, and why */
    int64_t refused_ns;     /* and when; 0: nobody yet */
};

static void note(struct mgc_link *link, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note(struct mgc_link *link, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    link->ops.note(link->user, text);
}

/* ---- artifacts ---- */

/* False: the role has nobody, or the bus did not take it (`err` is set only then). */
static bool send_to(
    struct mgc_link *link, enum mgc_role role, struct mgc_msg *msg, struct mgc_error *err)
{
    const struct mgc_peer *peer = link->peers.serving[role];
    if (!peer)
        return false;
    if (msg->kind == MGC_MSG_TASK)
        msg->task.lease_epoch = peer->lease_epoch;
    return mgc_bus_server_send(link->server, peer->name, msg, err) ||
           mgc_error_prefix(
               err, "%s to worker '%s' was not sent", mgc_msg_kind_name(msg->kind), peer->name);
}

/* Credits and acknowledgements that get lost are said again. */
static bool collect_send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct mgc_error err = {0};
    bool ok = send_to(user, role, msg, &err);
    if (err.code)
        mgc_debug("%s", err.text);
    return ok;
}

static void collect_stored(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const struct mgc_error *storage, bool late)
{
    struct mgc_link *link = user;
    link->ops.stored(link->user, step, dir, result, storage, late);
    if (link->run && !late)
        mgc_run_result(link->run, step->role, result, storage, mgc_mono_ns());
}

static void collect_missing(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const char *why)
{
    struct mgc_link *link = user;
    link->ops.missing(link->user, step, dir, result, why);
}

static const struct mgc_collect_ops collect_ops = {
    .send = collect_send, .stored = collect_stored, .missing = collect_missing};

/* Tell the run of workers that are there and have nothing of earlier on the way. */
static void announce(struct mgc_link *link)
{
    for (int role = 0; link->run && role < MGC_ROLE_COUNT; role++) {
        struct mgc_peer *peer = link->peers.serving[role];
        if (!peer || peer->announced || mgc_collect_is_catching_up(link->collect, peer->role))
            continue;
        peer->announced = true;
        mgc_run_worker_joined(link->run, peer->role, mgc_mono_ns());
    }
}

/* ---- what the bus tells ---- */

/* That worker has its role from now on. */
static void begin_serving(struct mgc_link *link, const struct mgc_peer *peer)
{
    const struct mgc_host_record *record = &peer->record;
    int64_t results = 0;
    note(link, "worker '%s' (%s) joined from %s, %s, build %s", peer->name, record->role,
        record->host, record->os, record->build);
    if (peer->lease_epoch == 0)
        note(link, "worker '%s' knows no leases: nothing keeps an older session's tasks out",
            peer->name);
    mgc_fields_get_int(&peer->facts, "results_waiting", &results);
    mgc_collect_worker_joined(link->collect, peer->role, results, mgc_mono_ns());
    if (mgc_collect_is_catching_up(link->collect, peer->role))
        note(link, "worker '%s': collecting what its broken tasks left", peer->name);
}

static void on_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    struct mgc_link *link = user;
    struct mgc_error err = {0};
    const struct mgc_peer *peer = mgc_peers_joined(&link->peers, worker, hello, &err);
    if (!peer) {
        note(link, "%s", err.text);
        return;
    }
    if (link->peers.serving[peer->role]) {
        note(link, "worker '%s' joined, but '%s' already has the role '%s'; it stands by", worker,
            link->peers.serving[peer->role]->name, hello->role);
        return;
    }
    begin_serving(link, mgc_peers_serve(&link->peers, peer->role));
    mgc_link_rearm(link);
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct mgc_link *link = user;
    struct mgc_peer *peer = mgc_peers_find(&link->peers, worker);
    if (!peer || !mgc_peers_lost(&link->peers, peer))
        return;
    mgc_collect_worker_lost(link->collect, peer->role, mgc_mono_ns());
    note(link, "worker '%s' (%s) lost: %s", worker, mgc_role_name(peer->role), why->text);
    if (link->run)
        mgc_run_worker_lost(link->run, peer->role, why, mgc_mono_ns());
    const struct mgc_peer *next = mgc_peers_serve(&link->peers, peer->role);
    if (next)
        begin_serving(link, next);
    mgc_link_rearm(link);
}

static void on_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    struct mgc_link *link = user;
    struct mgc_peer *peer = mgc_peers_find(&link->peers, worker);
    if (!peer || link->peers.serving[peer->role] != peer)
        return;
    switch (msg->kind) {
    case MGC_MSG_RESULT:
        mgc_collect_result(link->collect, peer->role, msg, mgc_mono_ns());
        break;
    case MGC_MSG_CHUNK:
        mgc_collect_chunk(link->collect, peer->role, msg, mgc_mono_ns());
        break;
    case MGC_MSG_EVENT:
    case MGC_MSG_ARRIVE:
    case MGC_MSG_RELEASED:
        if (link->run)
            mgc_run_message(link->run, peer->role, msg, mgc_mono_ns());
        break;
    case MGC_MSG_ERROR:
        note(link, "worker '%s' did not understand a message: %s", worker, msg->text.text);
        break;
    default:
        mgc_debug("worker '%s' sent %s, which a worker does not send", worker,
            mgc_msg_kind_name(msg->kind));
        break;
    }
    mgc_link_rearm(link);
}

static void on_refused(void *user, const char *who, const struct mgc_error *why)
{
    struct mgc_link *link = user;
    snprintf(link->refused, sizeof(link->refused), "%s: %s", who, why->text);
    link->refused_ns = mgc_mono_ns();
    note(link, "turned away %s", link->refused);
}

static const struct mgc_bus_server_ops bus_ops = {
    .joined = on_joined,
    .lost = on_lost,
    .message = on_message,
    .refused = on_refused,
};

/* ---- time ---- */

static void on_timer(void *user)
{
    struct mgc_link *link = user;
    int64_t now_ns = mgc_mono_ns();
    link->timer = 0;
    mgc_collect_tick(link->collect, now_ns);
    if (link->run && now_ns >= mgc_run_due(link->run))
        mgc_run_tick(link->run, now_ns);
    mgc_link_rearm(link);
}

void mgc_link_rearm(struct mgc_link *link)
{
    announce(link);
    if (link->run && mgc_run_over(link->run) && mgc_collect_may_end(link->collect, mgc_mono_ns())) {
        mgc_collect_abandon(link->collect);
        link->ops.over(link->user);
    }
    int64_t due_ns = mgc_collect_due(link->collect);
    if (link->run)
        due_ns = mgc_deadline_min(due_ns, mgc_run_due(link->run));
    mgc_loop_remove_timer(link->loop, link->timer);
    link->timer = due_ns == MGC_NEVER ? 0 : mgc_loop_add_timer(link->loop, due_ns, on_timer, link);
}

/* ---- public ---- */

bool mgc_link_turned_away(
    const struct mgc_link *link, int64_t since_ns, char *ret_text, size_t size)
{
    if (!link->refused_ns || link->refused_ns < since_ns)
        return false;
    snprintf(ret_text, size, "%s", link->refused);
    return true;
}

struct mgc_link *mgc_link_new(struct mgc_loop *loop, const struct mgc_bus_server_config *config,
    const struct mgc_link_ops *ops, void *user, struct mgc_error *err)
{
    struct mgc_link *link = calloc(1, sizeof(*link));
    if (!link) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the link");
        return NULL;
    }
    link->loop = loop;
    link->ops = *ops;
    link->user = user;
    link->collect = mgc_collect_new(&collect_ops, link);
    if (!link->collect)
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the link");
    else
        link->server = mgc_bus_server_new(loop, config, &bus_ops, link, err);
    if (link->server)
        return link;
    mgc_link_free(link);
    return NULL;
}

void mgc_link_free(struct mgc_link *link)
{
    if (!link)
        return;
    link->run = NULL;
    mgc_bus_server_free(link->server);
    mgc_loop_remove_timer(link->loop, link->timer);
    mgc_collect_free(link->collect);
    mgc_peers_destroy(&link->peers);
    free(link);
}

void mgc_link_attach(struct mgc_link *link, struct mgc_run *run)
{
    link->run = run;
    mgc_link_rearm(link);
}

bool mgc_link_send(struct mgc_link *link, enum mgc_role role, struct mgc_msg *msg)
{
    struct mgc_error err = {0};
    bool ok = send_to(link, role, msg, &err);
    if (err.code)
        note(link, "%s", err.text);
    return ok;
}

bool mgc_link_clock(struct mgc_link *link, enum mgc_role role, struct mgc_clock_offset *ret_offset)
{
    const struct mgc_peer *peer = link->peers.serving[role];
    if (!peer)
        return false;
    *ret_offset = mgc_bus_server_offset(link->server, peer->name);
    return ret_offset->known;
}

bool mgc_link_offset(struct mgc_link *link, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct mgc_clock_offset offset;
    if (!mgc_link_clock(link, role, &offset))
        return false;
    *ret_offset_ns = offset.offset_ns;
    *ret_uncertainty_ns = offset.uncertainty_ns;
    *ret_round_trip_ns = offset.round_trip_ns;
    return true;
}

bool mgc_link_expect(
    struct mgc_link *link, uint64_t task_id, const struct mgc_step *step, const char *dir)
{
    return mgc_collect_expect(link->collect, task_id, step, dir);
}

void mgc_link_step_over(struct mgc_link *link, const struct mgc_step *step)
{
    mgc_collect_step_over(link->collect, step);
}

void mgc_link_moved(struct mgc_link *link, const char *from, const char *to)
{
    mgc_collect_moved(link->collect, from, to);
}

void mgc_link_visit(const struct mgc_link *link,
    void (*fn)(void *user, const struct mgc_link_worker *worker), void *user)
{
    for (const struct mgc_peer *peer = link->peers.first; peer; peer = peer->next) {
        struct mgc_link_worker worker = {
            .name = peer->name,
            .joined = peer->joined,
            .record = &peer->record,
            .facts = &peer->facts,
            .offset = mgc_bus_server_offset(link->server, peer->name),
        };
        fn(user, &worker);
    }
}

void mgc_link_set_keys(struct mgc_link *link, const struct mgc_keyring *keys)
{
    mgc_bus_server_set_keys(link->server, keys);
    mgc_link_rearm(link);
}

bool mgc_link_hosts(const struct mgc_link *link, struct mgc_results *results, struct mgc_error *err)
{
    if (!mgc_peers_records(&link->peers, results, err))
        return false;
    for (size_t i = 0; i < results->host_count; i++) {
        struct mgc_host_record *host = &results->hosts[i];
        struct mgc_clock_offset offset = mgc_bus_server_offset(link->server, host->name);
        host->clock_known = offset.known;
        host->offset_ns = offset.offset_ns;
        host->uncertainty_ns = offset.uncertainty_ns;
    }
    return true;
}
