/* How records reach a renderer: one table per arm; library code above it knows no arm.
 *
 *   monolith   the calling thread draws
 *   inproc     a ring in this process's memory and a thread that draws
 *   shm        the same ring in shared memory and a forked server that draws
 *   tcp        a socket and somebody else's server
 *
 * Called by one thread. */
#ifndef MGC_LAB_REPLAY_TRANSPORT_H
#define MGC_LAB_REPLAY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/replay/env.h"
#include "lab/replay/log.h"
#include "lab/replay/pipestats.h"

/* Bytes that an arm moved to its renderer, and by what. */
struct mgr_moved {
    uint64_t ring, shared, socket;
};

struct mgr_terms {
    const struct mgr_env *env; /* borrowed for the life of the transport */
    struct mgr_log *log;       /* borrowed; the client's log */
    const char *backend, *build, *log_base;
    uint32_t width, height;
};

/* Errors after open: MGC_E_LOST, the peer is gone; MGC_E_TIMEOUT, it is silent. */
struct mgr_transport_ops {
    const char *name;
    const char *topology; /* what MOBILEGL_TRANSPORT calls it */
    bool
        split; /* another thread or process draws: run-ahead, credits and link metrics make sense */
    bool one_process; /* client and renderer are one: its counters are all there are */
    /* NULL on failure. */
    void *(*open)(const struct mgr_terms *terms, struct mgc_error *err);
    /* The renderer takes records without waiting (kCapRunAheadApply). */
    bool (*run_ahead)(void *state);
    bool (*send)(void *state, const void *records, size_t len, struct mgc_error *err);
    /* Wait until at most `in_flight` presents are not yet drawn. */
    bool (*await_presents)(void *state, uint32_t in_flight, struct mgc_error *err);
    /* Count a PRESENT that was sent. */
    void (*presented)(void *state);
    /* Wait until everything sent was applied. */
    bool (*sync)(void *state, struct mgc_error *err);
    bool (*read_pixels)(void *state, uint32_t *pixels, size_t count, struct mgc_error *err);
    /* Fill in the counters that are the transport's (waits, parks, segment, ring), leave the rest.
     */
    void (*stats)(void *state, struct mgr_pipestats *stats, struct mgr_moved *ret_moved);
    /* Ends (complete: in an orderly way) and frees; takes what open returned. */
    bool (*close)(void *state, bool complete, struct mgc_error *err);
};

extern const struct mgr_transport_ops mgr_transport_monolith;
extern const struct mgr_transport_ops mgr_transport_inproc;
extern const struct mgr_transport_ops mgr_transport_shm;
extern const struct mgr_transport_ops mgr_transport_tcp;

#endif
