/* Replays a trace through the loaded library: the loop, its clock, and the faults that belong to
 * the client itself (client-crash, client-hang, client-frames-short). */
#ifndef MGC_LAB_REPLAY_PLAYER_H
#define MGC_LAB_REPLAY_PLAYER_H

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/replay/abi.h"
#include "lab/replay/bench.h"
#include "lab/replay/cli.h"
#include "lab/replay/raster.h"
#include "lab/replay/trace.h"

struct mgr_player {
    const struct mgr_options *options; /* borrowed */
    FILE *log;                         /* borrowed: retrace.log */
    void *module;                      /* owned; dlopen's */
    const struct mgr_api *api;         /* borrowed from the module */
    struct mgc_buf trace;              /* owned bytes of the file */
    struct mgr_trace_head head;
    uint32_t width, height; /* of the surface */
    struct mgr_context *context;
    struct mgr_bench bench;
    struct mgr_image picture; /* ssim mode: of the target */
    uint64_t picture_call;    /* the call it belongs to */
    bool has_picture;
    uint64_t parse_digest; /* of the trace bytes that were parsed; for retrace.log */
    bool cut_short;        /* by the fault client-frames-short */
};

/* Load the library; false means MOBILEGL_LOAD_ERROR. */
bool mgr_player_load(struct mgr_player *player, struct mgc_error *err);
/* Read and check the trace; false means IO_ERROR. */
bool mgr_player_read(struct mgr_player *player, struct mgc_error *err);
/* Replay; false means RETRACE_FAILED. bench and picture are filled as far as it came. */
bool mgr_player_run(struct mgr_player *player, int64_t start_ns, struct mgc_error *err);
void mgr_player_destroy(struct mgr_player *player); /* takes half-built */

#endif
