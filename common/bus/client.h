/* A worker's end of the bus: dials the coordinator's addresses in turn, keeps the one that answers
 * hello, holds the session, and says why when it has none.
 *
 * States, and the moves between them:
 *   WAITING  -> DIALLING                  back-off over (1 s doubling to 10 s, jitter)
 *   DIALLING -> JOINED | WAITING          welcome | key refused, refused, silent, unreachable
 *   JOINED   -> DIALLING                  silence, rejoin or bye: `lost` is called first (fence)
 *   WAITING, DIALLING before hello -> fenced -> WAITING    pause, resume
 * Every session has a new random epoch and a fresh socket (the name is resolved again). Calls and
 * callbacks happen on the loop's thread.
 */
#ifndef MGC_BUS_CLIENT_H
#define MGC_BUS_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/bus/keys.h"
#include "common/bus/loop.h"
#include "common/wire/msg.h"

struct mgc_bus_client; /* opaque */

struct mgc_bus_client_config {
    const struct mgc_enrolment *enrolment; /* borrowed: lives as long as the client */
    const struct mgc_msg_hello *hello;     /* borrowed likewise */
    int64_t retry_min_ms, retry_max_ms;    /* 0: 1000 and 10000 */
    int64_t dial_ms;                       /* limit of each step of an attempt; 0: 5000 */
};

struct mgc_bus_client_ops {
    void (*joined)(void *user, const struct mgc_msg_welcome *welcome, uint64_t epoch);
    /* The session is over: cancel and undo everything before the next one begins. MGC_E_TIMEOUT is
     * silence, MGC_E_STALE a rejoin, MGC_E_LOST a bye, anything else what a refusal says. */
    void (*lost)(void *user, const struct mgc_error *why);
    void (*message)(void *user, const struct mgc_msg *msg); /* in order, exactly once; borrowed */
    /* No session came about on this address: one sentence per change of reason, not per try. */
    void (*not_joined)(void *user, const char *address, const struct mgc_error *why);
    /* Hello is said next: the last moment to bring config.hello up to date. May be NULL. */
    void (*greeting)(void *user);
};

struct mgc_bus_client *mgc_bus_client_new(struct mgc_loop *loop,
    const struct mgc_bus_client_config *config, const struct mgc_bus_client_ops *ops, void *user,
    struct mgc_error *err);
void mgc_bus_client_free(struct mgc_bus_client *client); /* says bye; takes NULL */

bool mgc_bus_client_joined(const struct mgc_bus_client *client);

/* Send in the live session; MGC_E_LOST when there is none (nothing is kept for later: what must
 * survive is kept by task/). */
bool mgc_bus_client_send(struct mgc_bus_client *client, struct mgc_msg *msg, struct mgc_error *err);

/* Do not dial until resume, to be able to undo in peace; an attempt that has not said hello is
 * given up. False when hello is out or a session lives: nothing changes then. */
bool mgc_bus_client_pause(struct mgc_bus_client *client);

/* After `lost`: do not join again before this is called (the fence: undo comes first). Also ends a
 * pause: the wait that it came into goes on. */
void mgc_bus_client_resume(struct mgc_bus_client *client);

#endif
