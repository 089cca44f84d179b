/* MGPipe counters: the JSON dumps at shutdown and the "MGPipe stats:" lines (contract sections 4.3
 * and 5). Pure.
 *
 * A role counts only what it does: a client whose server is another process says frames=0 although
 * it drew them all, and zeros of a role that does not own a counter mean nothing (contract section
 * 9, row 23). Absent is not 0: a build without record arms has no `wire` at all.
 */
#ifndef MGC_CONTRACT_PIPE_STATS_H
#define MGC_CONTRACT_PIPE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/contract/lines.h"

#define MGC_PIPE_STATS_MAX_BYTES ((size_t)4 << 20)

enum mgc_pipe_counter {
    /* bytes */
    MGC_PIPE_STAGE_BUFFER,
    MGC_PIPE_STAGE_TEXTURE,
    MGC_PIPE_STAGE_UBO_GLOBAL,
    MGC_PIPE_STAGE_UBO_NAMED,
    MGC_PIPE_STAGE_VERTEX_CLIENT,
    MGC_PIPE_STAGE_INDEX_CLIENT,
    MGC_PIPE_STAGE_INDIRECT_CMD,
    MGC_PIPE_PERSISTENT_MAP_PUSH, /* in split runs also inside stage-buffer: never add the two */
    MGC_PIPE_RESIDUAL_VALUE_BLOCK,
    MGC_PIPE_CSO_BLOB_BYTES,
    MGC_PIPE_STAGE_SEGMENT_BYTES,
    /* calls */
    MGC_PIPE_DRAWS,
    MGC_PIPE_ACCESSOR_CALLS,
    MGC_PIPE_TEX_UPLOAD_EMISSIONS,
    MGC_PIPE_TEX_UPLOAD_BOX,
    MGC_PIPE_TEX_UPLOAD_RECT,
    MGC_PIPE_TEX_UPLOAD_JOBS,
    MGC_PIPE_RENDER_STATE_CSO_MINTS,
    MGC_PIPE_RENDER_STATE_CSO_BINDS,
    MGC_PIPE_MAP_PERSISTENT_ROUNDTRIPS,
    MGC_PIPE_FRAMEBUFFER_EMISSIONS,
    MGC_PIPE_SAMPLER_VIEW_EMISSIONS,
    MGC_PIPE_SAMPLER_STATE_EMISSIONS,
    MGC_PIPE_SHADER_IMAGE_EMISSIONS,
    MGC_PIPE_CLIENT_TEX_UPLOAD_EMISSIONS,
    MGC_PIPE_TEX_REMINT_PULLS,
    MGC_PIPE_RESIDUAL_PULLS,
    MGC_PIPE_SERVER_VERB_BOUNDARIES,
    MGC_PIPE_WIRE_RECORDS,
    /* wire */
    MGC_PIPE_MAX_RECORD_BYTES,     /* gauge */
    MGC_PIPE_MAX_RECORD_BYTES_CAP, /* gauge */
    MGC_PIPE_RING_WRAPS,
    MGC_PIPE_RING_WRAP_PADS,
    MGC_PIPE_RING_WAITS,
    MGC_PIPE_SERVER_WAITS,
    MGC_PIPE_SERVER_PARKS,
    MGC_PIPE_CLIENT_WAITS,
    MGC_PIPE_CLIENT_PARKS,
    MGC_PIPE_COUNTER_COUNT
};

enum { MGC_PIPE_GATES = 6, MGC_PIPE_HIST_MAX = 65 };

struct mgc_pipe_counter_row {
    const char *group; /* "bytes", "calls", "wire" */
    const char *name;  /* as in the dump: "stage-buffer" */
    bool gauge;        /* a maximum or a limit: two of them are not added */
};
const struct mgc_pipe_counter_row *mgc_pipe_counter_row(enum mgc_pipe_counter counter);

struct mgc_pipe_gate {
    bool present;
    int64_t hit, miss;
};

struct mgc_pipe_histogram {
    size_t count; /* 0: absent or empty */
    int64_t bins[MGC_PIPE_HIST_MAX];
};

/* Run totals of one role, or of several put together. Zeroed: nothing known. */
struct mgc_pipe_stats {
    bool has_frames;
    int64_t frames;
    bool has[MGC_PIPE_COUNTER_COUNT];
    int64_t values[MGC_PIPE_COUNTER_COUNT]; /* only where has[] */
    struct mgc_pipe_gate gates[MGC_PIPE_GATES];
    struct mgc_pipe_histogram cmd_bytes_per_draw, staged_blob_bytes;
    size_t unknown_keys; /* of newer builds */
};

const char *mgc_pipe_gate_name(size_t gate); /* "espryt-render-state" */

/* A dump, without anything to destroy. On false *ret is zeroed. Needs jansson. */
bool mgc_pipe_stats_parse(
    const void *data, size_t len, struct mgc_pipe_stats *ret, struct mgc_error *err);

/* Add one role's totals to another's: counters are summed, of gauges and frames the larger stays
 * (adding maxima is what the old report did wrong). */
void mgc_pipe_stats_merge(struct mgc_pipe_stats *into, const struct mgc_pipe_stats *from);

/* ---- lines ---- */

enum mgc_pipe_line_kind {
    MGC_PIPE_LINE_NONE,   /* no "MGPipe stats:" on it */
    MGC_PIPE_LINE_BANNER, /* "counters ON ...", "wrote JSON dump to ..." */
    MGC_PIPE_LINE_STATS,
    MGC_PIPE_LINE_BAD, /* one, but a value breaks its format */
};

enum mgc_pipe_line_key {
    /* of the window since the line before */
    MGC_PIPE_LINE_WINDOW,
    MGC_PIPE_LINE_DRAWS,
    MGC_PIPE_LINE_ACC,
    MGC_PIPE_LINE_WREC,
    /* run totals and gauges */
    MGC_PIPE_LINE_FRAMES,
    MGC_PIPE_LINE_MAXREC,
    MGC_PIPE_LINE_MAXCAP,
    MGC_PIPE_LINE_RINGWRAPS,
    MGC_PIPE_LINE_RINGPADS,
    MGC_PIPE_LINE_RINGWAITS,
    MGC_PIPE_LINE_SRV,
    MGC_PIPE_LINE_SRVPARK,
    MGC_PIPE_LINE_CLI,
    MGC_PIPE_LINE_CLIPARK,
    MGC_PIPE_LINE_KEY_COUNT
};

struct mgc_pipe_line {
    bool has[MGC_PIPE_LINE_KEY_COUNT];
    int64_t values[MGC_PIPE_LINE_KEY_COUNT];
    bool has_draws_per_frame; /* "n/a" is absent */
    double draws_per_frame;
};

/* Any log prefix before the marker is passed over; unknown keys are ignored. err is set only for
 * BAD. */
enum mgc_pipe_line_kind mgc_pipe_line_parse(
    const char *line, struct mgc_pipe_line *ret, struct mgc_error *err);

#endif
