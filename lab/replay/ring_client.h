/* The client's side of a ring, shared by the transports inproc and shm: everything between opening
 * and closing. The functions have the shapes of struct mgr_transport_ops; `state` is a struct whose
 * first member is a struct mgr_ring_client. */
#ifndef MGC_LAB_REPLAY_RING_CLIENT_H
#define MGC_LAB_REPLAY_RING_CLIENT_H

#include "lab/replay/ring.h"
#include "lab/replay/transport.h"

struct mgr_ring_client {
    const struct mgr_env *env; /* borrowed */
    struct mgr_ring ring;
    struct mgr_bell bell;
    uint32_t presents; /* sent */
    bool shared;       /* with another process: what it moves counts as shared memory */
};

bool mgr_ring_client_run_ahead(void *state);
bool mgr_ring_client_send(void *state, const void *records, size_t len, struct mgc_error *err);
bool mgr_ring_client_await(void *state, uint32_t in_flight, struct mgc_error *err);
void mgr_ring_client_presented(void *state);
bool mgr_ring_client_sync(void *state, struct mgc_error *err);
bool mgr_ring_client_read(void *state, uint32_t *pixels, size_t count, struct mgc_error *err);
void mgr_ring_client_stats(void *state, struct mgr_pipestats *stats, struct mgr_moved *ret_moved);
/* The last entry; complete: and wait until it was applied. */
bool mgr_ring_client_bye(struct mgr_ring_client *client, bool complete, struct mgc_error *err);

#endif
