/* The workers that ever joined, and which of them has each role: the first that joins; a further
 * one of the same role stands by until that one is lost. No sockets. One thread. Internal to link/.
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
    bool announced;                /* the run knows; not before what is late has been collected */
    int64_t lease_epoch;           /* of its session, from the hello; goes into its tasks */
    struct mgc_host_record record; /* owned strings, none of them NULL */
    struct mgc_fields facts;       /* owned; of its last hello */
    struct mgc_peer *next;
};

struct mgc_peers {                            /* zeroed: nobody */
    struct mgc_peer *first;                   /* owned */
    struct mgc_peer *serving[MGC_ROLE_COUNT]; /* borrowed from the list; NULL: nobody */
};

void mgc_peers_destroy(struct mgc_peers *peers); /* takes NULL and zeroed */

/* NULL: it never joined. */
struct mgc_peer *mgc_peers_find(const struct mgc_peers *peers, const char *name);

/* A session of that worker began; it has no role yet. NULL: no such role (MGC_E_UNSUPPORTED), or no
 * memory. */
struct mgc_peer *mgc_peers_joined(struct mgc_peers *peers, const char *name,
    const struct mgc_msg_hello *hello, struct mgc_error *err);
/* Its session ended. True when it had its role, which is free now. */
bool mgc_peers_lost(struct mgc_peers *peers, struct mgc_peer *peer);
/* Who gets a free role: the one that has stood by longest since it first joined; NULL: nobody. It
 * has the role from now on. */
struct mgc_peer *mgc_peers_serve(struct mgc_peers *peers, enum mgc_role role);

/* Copies of what all of them said of themselves, into results->hosts; clocks are not known. */
bool mgc_peers_records(
    const struct mgc_peers *peers, struct mgc_results *results, struct mgc_error *err);

#endif
