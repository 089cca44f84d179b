/* The server's parts: endpoint (server.c), admission (server_zap.c), hello (server_hello.c) and
 * the table of sessions (server_peer.c). Internal to bus/.
 */
#ifndef MGC_BUS_SERVER_INTERNAL_H
#define MGC_BUS_SERVER_INTERNAL_H

#include <stddef.h>

#include "common/bus/frames.h"
#include "common/bus/server.h"
#include "common/bus/session.h"

/* Where a connection's messages go: the routing id that the ROUTER gave it. Changes when libzmq
 * reconnects; who it belongs to is told by the key alone. */
struct mgc_route {
    unsigned char id[255];
    size_t len;
};

/* A worker with a live session. */
struct mgc_peer {
    struct mgc_peer *next;
    struct mgc_bus_server *server; /* borrowed */
    char name[MGC_NAME_SIZE];
    char public_key[MGC_KEY_SIZE];
    struct mgc_route route;
    struct mgc_session session;
    uint64_t timer;
    int64_t timer_ns;
};

struct mgc_bus_server {
    struct mgc_loop *loop; /* borrowed */
    struct mgc_bus_server_ops ops;
    void *user;
    const struct mgc_keyring *keys; /* borrowed */
    char run_id[128];
    char build[128];
    char coordinator[128]; /* empty: untold */
    int64_t heartbeat_ms, silence_ms;
    int64_t protocol_min, protocol_max;
    char endpoint[256];
    void *context; /* owned, as the sockets are */
    void *router;
    void *zap;
    struct mgc_peer *peers; /* owned list */
    int64_t refused_ns;     /* when `refused` was called last; 0: never */
    uint64_t refused_more;  /* how many were not reported since */
};

/* server_zap.c: admission. Before the router binds: without a handler everybody is let in. */
bool mgc_server_zap_start(struct mgc_bus_server *server, struct mgc_error *err);
void mgc_server_zap_stop(struct mgc_bus_server *server);

/* server.c: report somebody turned away, at most once a second. */
void mgc_server_refused(
    struct mgc_bus_server *server, const char *who, const struct mgc_error *why);
/* Send to a route; false when it is gone or its queue is full. */
bool mgc_server_put(struct mgc_bus_server *server, const struct mgc_route *route,
    const void *header, size_t len, const void *body, size_t body_len);
/* Say REFUSE, REJOIN or ERROR to a route, outside a session. */
void mgc_server_say(struct mgc_bus_server *server, const struct mgc_route *route, uint64_t epoch,
    enum mgc_msg_kind kind, const struct mgc_error *why);

/* server_hello.c */
void mgc_server_hello(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, const struct mgc_msg *hello);
/* A message that was not understood: true if it is a hello of a version that we do not speak, which
 * is then refused. What is wrong with its other keys is of no interest. */
bool mgc_server_hello_is_foreign(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, const struct mgc_msg *msg);
/* The highest version both know; false names both ranges. Pure. */
bool mgc_protocol_pick(int64_t our_min, int64_t our_max, int64_t their_min, int64_t their_max,
    int64_t *ret_protocol, struct mgc_error *err);

/* server_peer.c */
struct mgc_peer *mgc_server_find(const struct mgc_bus_server *server, const char *name);
struct mgc_peer *mgc_peer_new(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, uint64_t epoch, struct mgc_error *err);
/* Set the peer's timer to what its session needs next. */
void mgc_peer_arm(struct mgc_peer *peer);
/* Take the peer out of the table, free it, then report it lost. */
void mgc_peer_lose(struct mgc_peer *peer, const struct mgc_error *why);
void mgc_peer_free(struct mgc_peer *peer); /* without a report */
/* A decoded message of the peer's epoch. */
void mgc_peer_take(struct mgc_peer *peer, const struct mgc_msg *msg);

#endif
