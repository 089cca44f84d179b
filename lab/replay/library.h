/* The inside of libMobileGL.so: what its three files share. One thread, the client's. */
#ifndef MGC_LAB_REPLAY_LIBRARY_H
#define MGC_LAB_REPLAY_LIBRARY_H

#include "lab/replay/abi.h"
#include "lab/replay/metrics.h"
#include "lab/replay/transport.h"

struct mgr_context {
    struct mgr_env env;
    struct mgr_log log;
    const struct mgr_transport_ops *ops;
    void *transport;
    struct mgr_metrics metrics;
    struct mgr_pipestats stats, last_stats;
    uint32_t frames_planned, frames_done;
    bool lockstep, lost, ends_by_exception;
};

/* library_open.c: configuration, its log lines, the transport; the shape of mgr_api.open. */
struct mgr_context *mgr_library_open(const struct mgr_open *open, char *text);

/* library_stats.c: counters and their lines. Count what a batch holds. */
void mgr_library_count(struct mgr_context *context, const void *records, size_t len);
/* After a PRESENT: the frame's lines. */
void mgr_library_frame(struct mgr_context *context);
/* Lines and dump at shutdown, while the transport is still open. */
void mgr_library_end(struct mgr_context *context);

#endif
