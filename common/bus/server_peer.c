#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/bus/server_internal.h"

struct mgc_peer *mgc_server_find(const struct mgc_bus_server *server, const char *name)
{
    struct mgc_peer *peer = server->peers;
    while (peer && strcmp(peer->name, name) != 0)
        peer = peer->next;
    return peer;
}

static bool send_to_peer(
    void *user, const void *header, size_t len, const void *body, size_t body_len)
{
    struct mgc_peer *peer = user;
    return mgc_server_put(peer->server, &peer->route, header, len, body, body_len);
}

struct mgc_peer *mgc_peer_new(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, uint64_t epoch, struct mgc_error *err)
{
    struct mgc_peer *peer = calloc(1, sizeof(*peer));
    if (!peer) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for worker '%s'", key->name);
        return NULL;
    }
    peer->server = server;
    peer->route = *route;
    snprintf(peer->name, sizeof(peer->name), "%s", key->name);
    snprintf(peer->public_key, sizeof(peer->public_key), "%s", key->public_key);
    struct mgc_session_config config = {.side = MGC_SIDE_COORDINATOR,
        .epoch = epoch,
        .heartbeat_ms = server->heartbeat_ms,
        .silence_ms = server->silence_ms,
        .send = send_to_peer,
        .user = peer};
    if (!mgc_session_start(&peer->session, &config, mgc_mono_ns(), err)) {
        free(peer);
        return NULL;
    }
    peer->next = server->peers;
    server->peers = peer;
    mgc_peer_arm(peer);
    return peer;
}

static void on_timer(void *user)
{
    struct mgc_peer *peer = user;
    struct mgc_error why = {0};
    peer->timer = 0;
    if (mgc_session_tick(&peer->session, mgc_mono_ns(), &why))
        mgc_peer_arm(peer);
    else
        mgc_peer_lose(peer, &why);
}

void mgc_peer_arm(struct mgc_peer *peer)
{
    int64_t due_ns = mgc_session_due(&peer->session);
    if (peer->timer && peer->timer_ns <= due_ns)
        return; /* it comes early enough, and looks again then */
    mgc_loop_remove_timer(peer->server->loop, peer->timer);
    peer->timer = mgc_loop_add_timer(peer->server->loop, due_ns, on_timer, peer);
    peer->timer_ns = due_ns;
}

void mgc_peer_free(struct mgc_peer *peer)
{
    struct mgc_peer **at = &peer->server->peers;
    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    mgc_loop_remove_timer(peer->server->loop, peer->timer);
    mgc_session_destroy(&peer->session);
    free(peer);
}

void mgc_peer_lose(struct mgc_peer *peer, const struct mgc_error *why)
{
    struct mgc_bus_server *server = peer->server;
    uint64_t epoch = peer->session.config.epoch;
    char name[MGC_NAME_SIZE];
    memcpy(name, peer->name, sizeof(name));
    mgc_peer_free(peer);
    if (server->ops.lost)
        server->ops.lost(server->user, name, epoch, why);
}

static void take_bad(struct mgc_peer *peer, const struct mgc_msg *msg, const struct mgc_error *why)
{
    char who[MGC_NAME_SIZE + 16];
    snprintf(who, sizeof(who), "worker '%s'", peer->name);
    struct mgc_bus_server *server = peer->server;
    mgc_session_skip(&peer->session, msg, mgc_mono_ns(), why);
    mgc_server_refused(server, who, why);
}

/* The callbacks come last: they may end the very session that calls them. */
void mgc_peer_take(struct mgc_peer *peer, const struct mgc_msg *msg)
{
    struct mgc_bus_server *server = peer->server;
    struct mgc_error why = {0};
    char name[MGC_NAME_SIZE];
    memcpy(name, peer->name, sizeof(name));
    switch (mgc_session_take(&peer->session, msg, mgc_mono_ns(), &why)) {
    case MGC_SESSION_DELIVER:
        if (server->ops.message)
            server->ops.message(server->user, name, msg);
        return;
    case MGC_SESSION_DONE:
        mgc_peer_arm(peer);
        return;
    case MGC_SESSION_ENDED:
        mgc_peer_lose(peer, &why);
        return;
    case MGC_SESSION_BAD:
        take_bad(peer, msg, &why);
        return;
    }
}
