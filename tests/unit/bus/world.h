/* A coordinator and workers on one loop over loopback, with short times, and a log of what their
 * callbacks said. One thread: a test waits by running the loop until something is true. */
#ifndef MGC_TESTS_BUS_WORLD_H
#define MGC_TESTS_BUS_WORLD_H

#include "tests/lib/check.h"

#include "common/bus/client.h"
#include "common/bus/keyfile.h"
#include "common/bus/server.h"
#include "common/plat/net.h"

enum { WORLD_DEADLINE_MS = 120000, WORLD_HEARTBEAT_MS = 100, WORLD_SILENCE_MS = 1500 };

/* What one end saw. */
struct seen {
    struct world *world;
    int joined, lost, not_joined, refused;
    uint64_t epoch;           /* of the last join */
    struct mgc_error why;     /* last of lost, not_joined, refused */
    char name[MGC_NAME_SIZE]; /* worker of the last join or loss */
    uint64_t messages;        /* reliable ones, numbered 1, 2, 3... by task id */
    int errors, chunks;       /* unreliable ones */
    size_t chunk_bytes;
    int64_t greetings;       /* client: hellos said; server: which one joined last */
    bool lost_before_joined; /* the last join came after a loss had been reported */
    bool resume;             /* client: call resume at once (default) */
};

struct worker {
    struct mgc_enrolment enrolment;
    struct mgc_msg_hello hello;
    struct mgc_bus_client *client;
    struct seen seen;
};

struct world {
    struct mgc_loop *loop;
    struct mgc_worker_key keys[2];
    struct mgc_keyring ring;
    struct mgc_bus_server *server;
    struct seen seen;            /* the server's */
    struct worker worker, other; /* keys 0 and 1 */
    int64_t protocol_min, protocol_max;
};

int world_setup(void **state);
int world_teardown(void **state);

/* Port nobody listens on, most likely. */
unsigned world_free_port(void);
/* port 0: any; every worker's enrolment then has this address. */
void world_start_server(struct world *world, unsigned port);
void world_stop_server(struct world *world);
unsigned world_port(const struct world *world);
void world_set_address(struct worker *worker, size_t index, unsigned port);
void world_start_worker(struct world *world, struct worker *worker);
void world_stop_worker(struct worker *worker);

/* Run the loop until *value >= wanted; fails the test after the deadline. */
void world_wait(struct world *world, const int *value, int wanted, const char *what);
void world_wait_messages(struct world *world, const uint64_t *value, uint64_t wanted);
/* Run the loop for about so long, whatever happens. */
void world_run_for(struct world *world, int64_t ms);

void world_join(struct world *world); /* server, worker, joined on both sides */
/* Reliable messages numbered first..last by task id. */
void world_send_events(struct worker *worker, uint64_t first, uint64_t last);
void world_send_cancels(struct world *world, uint64_t first, uint64_t last);

#endif
