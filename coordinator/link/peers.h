/* The workers that ever joined, and which of them serves a seat (link.h): the one that is named, or
 * the first of its role that joins; a further one stands by until that one is lost. No sockets. One
 * thread. Internal to link/.
 */
#ifndef MGC_LINK_PEERS_H
#define MGC_LINK_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bus/server.h"
#include "common/wire/msg.h"
#include "coordinator/merge/results.h"

struct mgc_peer {
    char name[MGC_NAME_SIZE];
    enum mgc_role role;
    bool joined;
    int64_t lease_epoch;           /* of its session, from the hello; goes into its tasks */
    struct mgc_host_record record; /* owned strings, none of them NULL */
    struct mgc_fields facts;       /* owned; of its last hello */
    bool looks;                    /* was asked who holds what, and has not answered */
    bool leases_known;             /* it has answered the latest question */
    struct mgc_fields leases;      /* owned; its answer */
    struct mgc_peer *next;
};

struct mgc_peers {          /* zeroed: nobody */
    struct mgc_peer *first; /* owned */
};

void mgc_peers_destroy(struct mgc_peers *peers); /* takes NULL and zeroed */

/* NULL: it never joined. */
struct mgc_peer *mgc_peers_find(const struct mgc_peers *peers, const char *name);

/* A session of that worker began; it serves nobody yet. NULL: no such role (MGC_E_UNSUPPORTED), or
 * no memory. */
struct mgc_peer *mgc_peers_joined(struct mgc_peers *peers, const char *name,
    const struct mgc_msg_hello *hello, struct mgc_error *err);
/* Its session ended. */
void mgc_peers_lost(struct mgc_peer *peer);

/* Could it serve in that role? `name`: only the worker of that name; empty: anyone. */
bool mgc_peer_fits(const struct mgc_peer *peer, enum mgc_role role, const char *name);
/* Who serves, of those that are there: the one that has stood by longest since it first joined;
 * NULL: nobody. */
struct mgc_peer *mgc_peers_pick(
    const struct mgc_peers *peers, enum mgc_role role, const char *name);

/* Copies of what they said of themselves, into results->hosts; clocks are not known. Of all that
 * fit `names` (MGC_ROLE_COUNT of them, as above). */
bool mgc_peers_records(const struct mgc_peers *peers, const char (*names)[MGC_NAME_SIZE],
    struct mgc_results *results, struct mgc_error *err);

#endif
