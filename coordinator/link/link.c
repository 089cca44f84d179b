#include "coordinator/link/link.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "coordinator/link/seat.h"

enum { TEXT_MAX = 768 };

void mgc_link_say(struct mgc_link *link, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    link->note(link->user, text);
}

/* ---- what the bus tells ---- */

static void tell_joined(struct mgc_link *link, const struct mgc_peer *peer)
{
    const struct mgc_host_record *record = &peer->record;
    mgc_link_say(link, "worker '%s' (%s) joined from %s, %s, build %s", peer->name, record->role,
        record->host, record->os, record->build);
    if (peer->lease_epoch == 0)
        mgc_link_say(link,
            "worker '%s' knows no leases: nothing keeps an older session's tasks out", peer->name);
}

static void tell_catching_up(struct mgc_link *link, const struct mgc_peer *peer)
{
    mgc_link_say(link, "worker '%s': collecting what its broken tasks left", peer->name);
}

/* All seats that want it and have nobody. False: there is none. */
static bool take_seats(struct mgc_link *link, struct mgc_peer *peer)
{
    bool any = false, catching_up = false;
    for (struct mgc_seat *seat = link->seats; seat; seat = seat->next) {
        if (seat->serving[peer->role] || !mgc_peer_fits(peer, peer->role, seat->names[peer->role]))
            continue;
        if (!any)
            tell_joined(link, peer);
        any = true;
        catching_up |= mgc_seat_begin_serving(seat, peer);
    }
    if (catching_up)
        tell_catching_up(link, peer);
    return any;
}

static void tell_idle(struct mgc_link *link, const struct mgc_peer *peer)
{
    for (struct mgc_seat *seat = link->seats; seat; seat = seat->next) {
        const struct mgc_peer *has = seat->serving[peer->role];
        if (!has || *seat->names[peer->role])
            continue;
        mgc_link_say(link, "worker '%s' joined, but '%s' already has the role '%s'; it stands by",
            peer->name, has->name, peer->record.role);
        return;
    }
    mgc_link_say(link, "worker '%s' joined, but no phone of this run is served by it; left idle",
        peer->name);
}

static void on_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    struct mgc_link *link = user;
    struct mgc_error err = {0};
    struct mgc_peer *peer = mgc_peers_joined(&link->peers, worker, hello, &err);
    if (!peer) {
        mgc_link_say(link, "%s", err.text);
        return;
    }
    if (take_seats(link, peer))
        mgc_link_rearm(link);
    else
        tell_idle(link, peer);
}

/* Somebody may have stood by for the place of the one that was lost. */
static void fill_place(struct mgc_seat *seat, enum mgc_role role)
{
    struct mgc_peer *next = mgc_peers_pick(&seat->link->peers, role, seat->names[role]);
    if (!next)
        return;
    tell_joined(seat->link, next);
    if (mgc_seat_begin_serving(seat, next))
        tell_catching_up(seat->link, next);
}

/* A worker that has answered, or is gone: was it the last one that was asked? */
static void end_look(struct mgc_link *link, struct mgc_peer *peer)
{
    bool looked = peer->looks;
    peer->looks = false;
    for (const struct mgc_peer *other = link->peers.first; other; other = other->next)
        looked = looked && !other->looks;
    if (looked && link->looked)
        link->looked(link->user);
}

static void take_held(struct mgc_link *link, struct mgc_peer *peer, const struct mgc_msg_held *held)
{
    mgc_fields_destroy(&peer->leases);
    peer->leases_known = mgc_fields_copy(&peer->leases, &held->leases);
    end_look(link, peer);
}

void mgc_link_look(struct mgc_link *link, void (*looked)(void *user))
{
    link->looked = looked;
    for (struct mgc_peer *peer = link->peers.first; peer; peer = peer->next) {
        struct mgc_msg msg = {.kind = MGC_MSG_LOOK};
        peer->leases_known = false;
        peer->looks = peer->joined && mgc_bus_server_send(link->server, peer->name, &msg, NULL);
    }
    for (const struct mgc_peer *peer = link->peers.first; peer; peer = peer->next) {
        if (peer->looks)
            return;
    }
    if (looked)
        looked(link->user);
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct mgc_link *link = user;
    struct mgc_peer *peer = mgc_peers_find(&link->peers, worker);
    bool told = false;
    if (!peer)
        return;
    mgc_peers_lost(peer);
    end_look(link, peer);
    for (struct mgc_seat *seat = link->seats; seat; seat = seat->next) {
        if (!mgc_seat_has(seat, peer))
            continue;
        mgc_seat_end_serving(seat, peer->role);
        if (!told)
            mgc_link_say(
                link, "worker '%s' (%s) lost: %s", worker, mgc_role_name(peer->role), why->text);
        told = true;
        mgc_seat_tell_lost(seat, peer->role, why);
        fill_place(seat, peer->role);
    }
    if (told)
        mgc_link_rearm(link);
}

static void deliver(struct mgc_link *link, const struct mgc_peer *peer, const struct mgc_msg *msg)
{
    struct mgc_seat *seat = link->seats;
    while (seat && !(mgc_seat_has(seat, peer) && mgc_seat_message(seat, peer->role, msg)))
        seat = seat->next;
}

static bool serves_anybody(const struct mgc_link *link, const struct mgc_peer *peer)
{
    const struct mgc_seat *seat = link->seats;
    while (seat && !mgc_seat_has(seat, peer))
        seat = seat->next;
    return seat;
}

static void on_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    struct mgc_link *link = user;
    struct mgc_peer *peer = mgc_peers_find(&link->peers, worker);
    if (peer && msg->kind == MGC_MSG_HELD) { /* also of one that stands by */
        take_held(link, peer, &msg->held);
        return;
    }
    if (!peer || !serves_anybody(link, peer))
        return;
    switch (msg->kind) {
    case MGC_MSG_RESULT:
    case MGC_MSG_CHUNK:
    case MGC_MSG_EVENT:
    case MGC_MSG_ARRIVE:
    case MGC_MSG_RELEASED:
        deliver(link, peer, msg);
        break;
    case MGC_MSG_ERROR:
        mgc_link_say(link, "worker '%s' did not understand a message: %s", worker, msg->text.text);
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
    mgc_link_say(link, "turned away %s", link->refused);
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
    for (struct mgc_seat *seat = link->seats; seat; seat = seat->next)
        mgc_seat_tick(seat, now_ns);
    mgc_link_rearm(link);
}

void mgc_link_rearm(struct mgc_link *link)
{
    int64_t due_ns = MGC_NEVER;
    for (struct mgc_seat *seat = link->seats; seat; seat = seat->next) {
        mgc_seat_announce(seat);
        mgc_seat_look_for_end(seat);
    }
    for (struct mgc_seat *seat = link->seats; seat; seat = seat->next)
        due_ns = mgc_deadline_min(due_ns, mgc_seat_due(seat));
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
    mgc_link_note *note, void *user, struct mgc_error *err)
{
    struct mgc_link *link = calloc(1, sizeof(*link));
    if (!link) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the link");
        return NULL;
    }
    link->loop = loop;
    link->note = note;
    link->user = user;
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
    for (struct mgc_seat *seat = link->seats; seat; seat = seat->next)
        seat->run = NULL;
    mgc_bus_server_free(link->server);
    mgc_loop_remove_timer(link->loop, link->timer);
    while (link->seats) {
        struct mgc_seat *next = link->seats->next;
        mgc_seat_free(link->seats);
        link->seats = next;
    }
    mgc_peers_destroy(&link->peers);
    free(link);
}

static void visit(
    const struct mgc_link *link, const struct mgc_peer *peer, mgc_link_visitor *fn, void *user)
{
    struct mgc_link_worker worker = {
        .name = peer->name,
        .joined = peer->joined,
        .record = &peer->record,
        .facts = &peer->facts,
        .leases = peer->leases_known ? &peer->leases : NULL,
        .offset = mgc_bus_server_offset(link->server, peer->name),
    };
    fn(user, &worker);
}

void mgc_link_visit(const struct mgc_link *link, mgc_link_visitor *fn, void *user)
{
    for (const struct mgc_peer *peer = link->peers.first; peer; peer = peer->next)
        visit(link, peer, fn, user);
}

void mgc_seat_visit(const struct mgc_seat *seat, mgc_link_visitor *fn, void *user)
{
    for (const struct mgc_peer *peer = seat->link->peers.first; peer; peer = peer->next) {
        if (mgc_peer_fits(peer, peer->role, seat->names[peer->role]))
            visit(seat->link, peer, fn, user);
    }
}

void mgc_link_set_keys(struct mgc_link *link, const struct mgc_keyring *keys)
{
    mgc_bus_server_set_keys(link->server, keys);
    mgc_link_rearm(link);
}
