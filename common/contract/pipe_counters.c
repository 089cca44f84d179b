/* Names of MGPipe's counters, and how two roles' totals go together. */
#include "common/contract/pipe_stats.h"

static const struct mgc_pipe_counter_row rows[MGC_PIPE_COUNTER_COUNT] = {
    [MGC_PIPE_STAGE_BUFFER] = {"bytes", "stage-buffer", false},
    [MGC_PIPE_STAGE_TEXTURE] = {"bytes", "stage-texture", false},
    [MGC_PIPE_STAGE_UBO_GLOBAL] = {"bytes", "stage-ubo-global", false},
    [MGC_PIPE_STAGE_UBO_NAMED] = {"bytes", "stage-ubo-named", false},
    [MGC_PIPE_STAGE_VERTEX_CLIENT] = {"bytes", "stage-vertex-client", false},
    [MGC_PIPE_STAGE_INDEX_CLIENT] = {"bytes", "stage-index-client", false},
    [MGC_PIPE_STAGE_INDIRECT_CMD] = {"bytes", "stage-indirect-cmd", false},
    [MGC_PIPE_PERSISTENT_MAP_PUSH] = {"bytes", "persistent-map-push", false},
    [MGC_PIPE_RESIDUAL_VALUE_BLOCK] = {"bytes", "residual-value-block", false},
    [MGC_PIPE_CSO_BLOB_BYTES] = {"bytes", "cso-blob-bytes", false},
    [MGC_PIPE_STAGE_SEGMENT_BYTES] = {"bytes", "stage-segment-bytes", false},
    [MGC_PIPE_DRAWS] = {"calls", "draws", false},
    [MGC_PIPE_ACCESSOR_CALLS] = {"calls", "accessor-calls", false},
    [MGC_PIPE_TEX_UPLOAD_EMISSIONS] = {"calls", "tex-upload-emissions", false},
    [MGC_PIPE_TEX_UPLOAD_BOX] = {"calls", "tex-upload-box", false},
    [MGC_PIPE_TEX_UPLOAD_RECT] = {"calls", "tex-upload-rect", false},
    [MGC_PIPE_TEX_UPLOAD_JOBS] = {"calls", "tex-upload-jobs", false},
    [MGC_PIPE_RENDER_STATE_CSO_MINTS] = {"calls", "render-state-cso-mints", false},
    [MGC_PIPE_RENDER_STATE_CSO_BINDS] = {"calls", "render-state-cso-binds", false},
    [MGC_PIPE_MAP_PERSISTENT_ROUNDTRIPS] = {"calls", "map-persistent-roundtrips", false},
    [MGC_PIPE_FRAMEBUFFER_EMISSIONS] = {"calls", "framebuffer-emissions", false},
    [MGC_PIPE_SAMPLER_VIEW_EMISSIONS] = {"calls", "sampler-view-emissions", false},
    [MGC_PIPE_SAMPLER_STATE_EMISSIONS] = {"calls", "sampler-state-emissions", false},
    [MGC_PIPE_SHADER_IMAGE_EMISSIONS] = {"calls", "shader-image-emissions", false},
    [MGC_PIPE_CLIENT_TEX_UPLOAD_EMISSIONS] = {"calls", "client-tex-upload-emissions", false},
    [MGC_PIPE_TEX_REMINT_PULLS] = {"calls", "tex-remint-pulls", false},
    [MGC_PIPE_RESIDUAL_PULLS] = {"calls", "residual-pulls", false},
    [MGC_PIPE_SERVER_VERB_BOUNDARIES] = {"calls", "server-verb-boundaries", false},
    [MGC_PIPE_WIRE_RECORDS] = {"calls", "wire-records", false},
    [MGC_PIPE_MAX_RECORD_BYTES] = {"wire", "max-record-bytes", true},
    [MGC_PIPE_MAX_RECORD_BYTES_CAP] = {"wire", "max-record-bytes-cap", true},
    [MGC_PIPE_RING_WRAPS] = {"wire", "ring-wraps", false},
    [MGC_PIPE_RING_WRAP_PADS] = {"wire", "ring-wrap-pads", false},
    [MGC_PIPE_RING_WAITS] = {"wire", "ring-waits", false},
    [MGC_PIPE_SERVER_WAITS] = {"wire", "server-waits", false},
    [MGC_PIPE_SERVER_PARKS] = {"wire", "server-parks", false},
    [MGC_PIPE_CLIENT_WAITS] = {"wire", "client-waits", false},
    [MGC_PIPE_CLIENT_PARKS] = {"wire", "client-parks", false},
};

const struct mgc_pipe_counter_row *mgc_pipe_counter_row(enum mgc_pipe_counter counter)
{
    return &rows[counter];
}

const char *mgc_pipe_gate_name(size_t gate)
{
    static const char *const names[MGC_PIPE_GATES] = {"espryt-render-state",
        "espryt-texture-sync-list", "espryt-unit-bindings-epoch", "magma-draw-fastpath",
        "magma-pipeline-memo", "magma-dynamic-tail"};
    return names[gate];
}

/* Counts beyond this are damage; a sum then stays where it is. */
static void add(int64_t *into, int64_t value)
{
    *into = *into > INT64_MAX - value ? INT64_MAX : *into + value;
}

static void merge_counter(
    struct mgc_pipe_stats *into, const struct mgc_pipe_stats *from, enum mgc_pipe_counter counter)
{
    int64_t *value = &into->values[counter];
    if (!from->has[counter])
        return;
    if (!into->has[counter])
        *value = from->values[counter];
    else if (!rows[counter].gauge)
        add(value, from->values[counter]);
    else if (from->values[counter] > *value)
        *value = from->values[counter];
    into->has[counter] = true;
}

static void merge_histogram(struct mgc_pipe_histogram *into, const struct mgc_pipe_histogram *from)
{
    for (size_t i = 0; i < from->count; i++)
        add(&into->bins[i], from->bins[i]);
    if (from->count > into->count)
        into->count = from->count;
}

void mgc_pipe_stats_merge(struct mgc_pipe_stats *into, const struct mgc_pipe_stats *from)
{
    if (from->has_frames && (!into->has_frames || from->frames > into->frames))
        into->frames = from->frames;
    into->has_frames |= from->has_frames;
    for (int i = 0; i < MGC_PIPE_COUNTER_COUNT; i++)
        merge_counter(into, from, (enum mgc_pipe_counter)i);
    for (size_t i = 0; i < MGC_PIPE_GATES; i++) {
        if (!from->gates[i].present)
            continue;
        into->gates[i].present = true;
        add(&into->gates[i].hit, from->gates[i].hit);
        add(&into->gates[i].miss, from->gates[i].miss);
    }
    merge_histogram(&into->cmd_bytes_per_draw, &from->cmd_bytes_per_draw);
    merge_histogram(&into->staged_blob_bytes, &from->staged_blob_bytes);
    into->unknown_keys += from->unknown_keys;
}
