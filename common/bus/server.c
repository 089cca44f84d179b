#include "common/bus/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/bus/address.h"
#include "common/bus/loop_internal.h"
#include "common/bus/server_internal.h"
#include "common/bus/zap.h"

enum {
    HEARTBEAT_MS = 2000,
    SILENCE_MS = 10000,
    GOODBYE_MS = 200, /* for the last messages to leave */
    BATCH = 256,      /* messages in one round of the loop, */
    BATCH_US = 200,   /* and how long it may take */
};

/* --- sending --- */

bool mgc_server_put(struct mgc_bus_server *server, const struct mgc_route *route,
    const void *header, size_t len, const void *body, size_t body_len)
{
    struct mgc_part parts[] = {{route->id, route->len}, {header, len}, {body, body_len}};
    return mgc_frames_send(server->router, parts, body ? 3 : 2);
}

struct said_to {
    struct mgc_bus_server *server;
    const struct mgc_route *route;
};

static bool put_said(void *user, const void *header, size_t len, const void *body, size_t body_len)
{
    struct said_to *to = user;
    return mgc_server_put(to->server, to->route, header, len, body, body_len);
}

void mgc_server_say(struct mgc_bus_server *server, const struct mgc_route *route, uint64_t epoch,
    enum mgc_msg_kind kind, const struct mgc_error *why)
{
    struct said_to to = {server, route};
    struct mgc_session_config config = {.epoch = epoch, .send = put_said, .user = &to};
    mgc_session_say(&config, kind, why->code, why->text);
}

void mgc_server_refused(struct mgc_bus_server *server, const char *who, const struct mgc_error *why)
{
    int64_t now_ns = mgc_mono_ns();
    mgc_debug("refused %s: %s", who, why->text);
    if (server->refused_ns && now_ns - server->refused_ns < MGC_NS_PER_S) {
        server->refused_more++;
        return;
    }
    struct mgc_error told = *why;
    if (server->refused_more)
        mgc_error_set(&told, why->code, "%s (and %" PRIu64 " more since the last report)",
            why->text, server->refused_more);
    server->refused_ns = now_ns;
    server->refused_more = 0;
    if (server->ops.refused)
        server->ops.refused(server->user, who, &told);
}

/* --- receiving --- */

/* The sender of a message: its route, and its key as the ZAP handler vouched for it. */
static const struct mgc_worker_key *sender(
    struct mgc_bus_server *server, struct mgc_frames *frames, struct mgc_route *route)
{
    if (frames->count < 2 || mgc_frames_len(frames, 0) > sizeof(route->id))
        return NULL;
    route->len = mgc_frames_len(frames, 0);
    memcpy(route->id, mgc_frames_data(frames, 0), route->len);
    const char *user_id = zmq_msg_gets(&frames->parts[1], "User-Id");
    const struct mgc_worker_key *key = user_id ? mgc_keyring_find(server->keys, user_id) : NULL;
    return key && !key->revoked ? key : NULL;
}

static bool attach_body(struct mgc_frames *frames, struct mgc_msg *msg, struct mgc_error *err)
{
    size_t wanted = mgc_msg_has_body(msg->kind) ? 3 : 2;
    if (frames->too_many || frames->count != wanted)
        return mgc_error_set(err, MGC_E_PROTOCOL, "%s message of %s%zu frames, expected %zu",
            mgc_msg_kind_name(msg->kind), frames->too_many ? "more than " : "", frames->count - 1,
            wanted - 1);
    if (wanted == 3) {
        msg->body = mgc_frames_data(frames, 2);
        msg->body_len = mgc_frames_len(frames, 2);
        if (msg->body_len > MGC_WIRE_BODY_MAX)
            return mgc_error_set(err, MGC_E_PROTOCOL,
                "body frame of %zu bytes, expected at most %d", msg->body_len, MGC_WIRE_BODY_MAX);
    }
    return true;
}

static void take_malformed(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, const struct mgc_msg *envelope, const struct mgc_error *why)
{
    struct mgc_peer *peer = mgc_server_find(server, key->name);
    char who[MGC_NAME_SIZE + 16];
    if (mgc_server_hello_is_foreign(server, key, route, envelope))
        return;
    snprintf(who, sizeof(who), "worker '%s'", key->name);
    if (peer && envelope->epoch == peer->session.config.epoch)
        mgc_session_skip(&peer->session, envelope, mgc_mono_ns(), why);
    else if (envelope->kind != MGC_MSG_ERROR)
        mgc_server_say(server, route, envelope->epoch, MGC_MSG_ERROR, why);
    mgc_server_refused(server, who, why);
}

static void take_message(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, const struct mgc_msg *msg)
{
    if (msg->kind == MGC_MSG_HELLO) {
        mgc_server_hello(server, key, route, msg);
        return;
    }
    struct mgc_peer *peer = mgc_server_find(server, key->name);
    if (!peer || peer->session.config.epoch != msg->epoch) {
        struct mgc_error why = {0};
        mgc_error_set(&why, MGC_E_STALE, "this session is not known here, say hello again");
        if (msg->kind != MGC_MSG_BYE && msg->kind != MGC_MSG_ERROR)
            mgc_server_say(server, route, msg->epoch, MGC_MSG_REJOIN, &why);
        return;
    }
    peer->route = *route; /* another one after libzmq reconnected */
    mgc_peer_take(peer, msg);
}

static void take_frames(struct mgc_bus_server *server, struct mgc_frames *frames)
{
    struct mgc_route route;
    struct mgc_msg msg;
    struct mgc_error why = {0};
    const struct mgc_worker_key *key = sender(server, frames, &route);
    if (!key)
        return; /* revoked since it connected: ignored, its session was ended by set_keys */
    bool understood =
        mgc_msg_decode(mgc_frames_data(frames, 1), mgc_frames_len(frames, 1), &msg, &why);
    if (understood && attach_body(frames, &msg, &why))
        take_message(server, key, &route, &msg);
    else
        take_malformed(server, key, &route, &msg, &why);
    if (understood)
        mgc_msg_destroy(&msg);
}

static void on_router(void *user)
{
    struct mgc_bus_server *server = user;
    struct mgc_frames frames;
    /* While there is always one more message of somebody who streams, libzmq looks for other
     * senders only every 100 messages, or when it is polled: so that must come before long. */
    int64_t end_ns = mgc_mono_ns() + BATCH_US * MGC_NS_PER_US;
    for (int i = 0; i < BATCH && mgc_mono_ns() < end_ns; i++) {
        if (!mgc_frames_receive(server->router, &frames))
            break;
        take_frames(server, &frames);
        mgc_frames_destroy(&frames);
    }
}

/* --- life --- */

static bool set_options(struct mgc_bus_server *server, struct mgc_error *err)
{
    void *router = server->router;
    return mgc_socket_prepare(router, err) &&
           mgc_socket_set_int(router, ZMQ_ROUTER_MANDATORY, 1, err) &&
           mgc_socket_set_int(router, ZMQ_ROUTER_HANDOVER, 0, err) &&
           mgc_socket_set_int(router, ZMQ_CURVE_SERVER, 1, err) &&
           mgc_socket_set_text(router, ZMQ_ZAP_DOMAIN, MGC_ZAP_DOMAIN, err) &&
           mgc_socket_set_text(
               router, ZMQ_CURVE_SECRETKEY, server->keys->coordinator.secret_key, err);
}

static bool bind_router(struct mgc_bus_server *server, const char *endpoint, struct mgc_error *err)
{
    if (mgc_address_is_ipv6(endpoint) && !mgc_socket_set_int(server->router, ZMQ_IPV6, 1, err))
        return false;
    if (zmq_bind(server->router, endpoint) != 0) {
        if (zmq_errno() == EADDRINUSE)
            return mgc_error_set(err, MGC_E_BUSY,
                "'%s' is in use: another coordinator may be running there", endpoint);
        return mgc_error_errno(err, zmq_errno(), "listen on '%s'", endpoint);
    }
    size_t size = sizeof(server->endpoint);
    if (zmq_getsockopt(server->router, ZMQ_LAST_ENDPOINT, server->endpoint, &size) != 0)
        return mgc_error_set(
            err, MGC_E_IO, "endpoint of '%s': %s", endpoint, zmq_strerror(zmq_errno()));
    return true;
}

static bool start(struct mgc_bus_server *server, const char *endpoint, struct mgc_error *err)
{
    server->context = zmq_ctx_new();
    if (!server->context || !mgc_server_zap_start(server, err))
        return server->context || mgc_error_set(err, MGC_E_NO_MEMORY, "no ZeroMQ context");
    server->router = zmq_socket(server->context, ZMQ_ROUTER);
    if (!server->router)
        return mgc_error_set(err, MGC_E_IO, "make a socket: %s", zmq_strerror(zmq_errno()));
    return set_options(server, err) && bind_router(server, endpoint, err) &&
           mgc_loop_add_socket(server->loop, server->router, on_router, server, err);
}

static int64_t or_default(int64_t value, int64_t fallback)
{
    return value ? value : fallback;
}

struct mgc_bus_server *mgc_bus_server_new(struct mgc_loop *loop,
    const struct mgc_bus_server_config *config, const struct mgc_bus_server_ops *ops, void *user,
    struct mgc_error *err)
{
    struct mgc_bus_server *server = calloc(1, sizeof(*server));
    if (!server) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the server");
        return NULL;
    }
    server->loop = loop;
    server->ops = *ops;
    server->user = user;
    server->keys = config->keys;
    snprintf(server->run_id, sizeof(server->run_id), "%s", config->run_id ? config->run_id : "");
    snprintf(server->coordinator, sizeof(server->coordinator), "%s",
        config->coordinator ? config->coordinator : "");
    snprintf(server->build, sizeof(server->build), "%s", config->build ? config->build : "");
    server->heartbeat_ms = or_default(config->heartbeat_ms, HEARTBEAT_MS);
    server->silence_ms = or_default(config->silence_ms, SILENCE_MS);
    server->protocol_min = or_default(config->protocol_min, MGC_PROTOCOL_MIN);
    server->protocol_max = or_default(config->protocol_max, MGC_PROTOCOL_MAX);
    if (start(server, config->endpoint, err))
        return server;
    mgc_bus_server_free(server);
    return NULL;
}

static void close_router(struct mgc_bus_server *server)
{
    if (!server->router)
        return;
    mgc_loop_remove_socket(server->loop, server->router);
    if (server->endpoint[0]) /* nobody new while we say goodbye */
        zmq_unbind(server->router, server->endpoint);
    bool any = server->peers != NULL;
    while (server->peers) {
        mgc_session_say(&server->peers->session.config, MGC_MSG_BYE, MGC_E_CANCELLED,
            "the coordinator is done");
        mgc_peer_free(server->peers);
    }
    mgc_socket_close(server->router, any ? GOODBYE_MS : 0);
}

void mgc_bus_server_free(struct mgc_bus_server *server)
{
    if (!server)
        return;
    close_router(server);
    mgc_server_zap_stop(server);
    if (server->context)
        zmq_ctx_term(server->context);
    free(server);
}

const char *mgc_bus_server_endpoint(const struct mgc_bus_server *server)
{
    return server->endpoint;
}

/* --- what the owner asks --- */

bool mgc_bus_server_send(
    struct mgc_bus_server *server, const char *worker, struct mgc_msg *msg, struct mgc_error *err)
{
    struct mgc_peer *peer = mgc_server_find(server, worker);
    if (!peer)
        return mgc_error_set(err, MGC_E_LOST, "worker '%s' is not connected", worker);
    if (!mgc_session_send(&peer->session, msg, mgc_mono_ns(), err))
        return mgc_error_prefix(err, "send to worker '%s'", worker);
    mgc_peer_arm(peer);
    return true;
}

struct mgc_clock_offset mgc_bus_server_offset(
    const struct mgc_bus_server *server, const char *worker)
{
    const struct mgc_peer *peer = mgc_server_find(server, worker);
    if (!peer)
        return (struct mgc_clock_offset){.known = false};
    return mgc_offset_estimate(&peer->session.offsets, mgc_mono_ns());
}

static struct mgc_peer *first_without_key(struct mgc_bus_server *server)
{
    for (struct mgc_peer *peer = server->peers; peer; peer = peer->next) {
        const struct mgc_worker_key *key = mgc_keyring_find(server->keys, peer->public_key);
        if (!key || key->revoked || strcmp(key->name, peer->name) != 0)
            return peer;
    }
    return NULL;
}

void mgc_bus_server_set_keys(struct mgc_bus_server *server, const struct mgc_keyring *keys)
{
    struct mgc_error why = {0};
    struct mgc_peer *peer;
    server->keys = keys;
    /* From the start each time: the report may change the table. */
    while ((peer = first_without_key(server))) {
        mgc_error_set(
            &why, MGC_E_DENIED, "the key of worker '%s' is no longer accepted", peer->name);
        mgc_session_say(&peer->session.config, MGC_MSG_REFUSE, why.code, why.text);
        mgc_peer_lose(peer, &why);
    }
}
