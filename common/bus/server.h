/* The coordinator's end of the bus: one ROUTER endpoint with CURVE, an allow-list (ZAP, RFC 27),
 * sessions, heartbeats and reliable delivery.
 *
 * A worker is its ZAP user id. Calls and callbacks happen on the loop's thread; a callback may call
 * everything here but mgc_bus_server_free. One server at a time on an endpoint: a second bind is
 * MGC_E_BUSY and says who may hold it.
 */
#ifndef MGC_BUS_SERVER_H
#define MGC_BUS_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/bus/keys.h"
#include "common/bus/loop.h"
#include "common/wire/msg.h"

struct mgc_bus_server; /* opaque */

struct mgc_bus_server_config {
    const char *endpoint;               /* "tcp://127.0.0.1:40700"; port 0 or '*' picks one */
    const struct mgc_keyring *keys;     /* borrowed: lives as long as the server */
    const char *run_id;                 /* borrowed; "" outside a run */
    const char *build;                  /* borrowed */
    const char *coordinator;            /* where it runs, for people; borrowed; NULL: untold */
    int64_t heartbeat_ms, silence_ms;   /* 0: 2000 and 10000 */
    int64_t protocol_min, protocol_max; /* 0: those of this build; for tests */
};

/* Estimate of a worker's clock: worker_ns = coordinator_ns + offset_ns, from the sharpest ping of
 * the last 60 s (NTP's formula, RFC 5905 section 8); the truth lies within +- uncertainty_ns (half
 * that ping's round trip, plus 100 ppm of its age). */
struct mgc_clock_offset {
    bool known;
    int64_t offset_ns;
    int64_t uncertainty_ns;
    int64_t round_trip_ns; /* of the sample used */
    int64_t slept_ns;      /* growth of boot minus mono clock since hello: the host slept */
    int64_t stepped_ns;    /* sum of the jumps seen since hello, without their signs */
};

struct mgc_bus_server_ops {
    /* A session began; the old one of that worker, if any, was reported lost before. */
    void (*joined)(
        void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello);
    /* It ended: silence, bye, new hello, revoked key. No message of that epoch comes any more. */
    void (*lost)(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why);
    /* A message of a live session, in order, exactly once. Borrowed for the call. */
    void (*message)(void *user, const char *worker, const struct mgc_msg *msg);
    /* Somebody was turned away (unknown or revoked key, role, version), or a worker sent what
     * cannot be understood (MGC_E_PROTOCOL, MGC_E_UNSUPPORTED: its session goes on); at most one
     * call a second. */
    void (*refused)(void *user, const char *who, const struct mgc_error *why);
};

struct mgc_bus_server *mgc_bus_server_new(struct mgc_loop *loop,
    const struct mgc_bus_server_config *config, const struct mgc_bus_server_ops *ops, void *user,
    struct mgc_error *err);
void mgc_bus_server_free(struct mgc_bus_server *server); /* says bye to all; takes NULL */

/* Endpoint really bound. */
const char *mgc_bus_server_endpoint(const struct mgc_bus_server *server);

/* Send to a worker's live session; epoch and mid of msg are filled in. MGC_E_LOST when it has
 * none, MGC_E_NO_MEMORY when too much waits to be acknowledged. A reliable kind is then delivered
 * exactly once unless the session ends; another kind may get lost when the connection breaks, and
 * is MGC_E_BUSY when it is broken now. */
bool mgc_bus_server_send(
    struct mgc_bus_server *server, const char *worker, struct mgc_msg *msg, struct mgc_error *err);

struct mgc_clock_offset mgc_bus_server_offset(
    const struct mgc_bus_server *server, const char *worker);

/* After the key directory changed: sessions of revoked keys end, new keys are accepted. */
void mgc_bus_server_set_keys(struct mgc_bus_server *server, const struct mgc_keyring *keys);

#endif
