#include "lab/replay/pipestats.h"

#include <stdio.h>
#include <string.h>

#include "lab/replay/record.h"
#include "lab/replay/write.h"

typedef unsigned long long ull;

void mgr_pipestats_bin(uint64_t hist[MGR_PIPESTATS_BINS], uint64_t value)
{
    int bin = 0;
    while (value >> bin && bin < MGR_PIPESTATS_BINS - 1)
        bin++;
    hist[bin]++;
}

/* "1.50", or "n/a" when there is nothing to divide by. */
static const char *ratio(char buf[32], uint64_t value, uint64_t by)
{
    if (by)
        snprintf(buf, 32, "%.2f", (double)value / (double)by);
    else
        snprintf(buf, 32, "n/a");
    return buf;
}

void mgr_pipestats_line(const struct mgr_pipestats *now, const struct mgr_pipestats *last,
    char ret_text[MGR_PIPESTATS_LINE_MAX])
{
    uint64_t window = now->frames - last->frames;
    uint64_t draws = now->draws - last->draws, records = now->records - last->records;
    uint64_t buffers = now->buffer_bytes - last->buffer_bytes;
    uint64_t textures = now->texture_bytes - last->texture_bytes;
    uint64_t segment = now->segment_bytes - last->segment_bytes;
    ull uploads = now->texture_uploads - last->texture_uploads;
    char per_frame[32], buf[32], tex[32], seg[32], wrec[32];
    const char *zero = window ? "0.00" : "n/a";
    snprintf(ret_text, MGR_PIPESTATS_LINE_MAX,
        "MGPipe stats: frames=%llu window=%llu draws=%llu draws/f=%s acc=0 acc/draw=%s "
        "%s[buf=%s tex=%s ubog=%s ubon=%s vtxc=%s idxc=%s icmd=%s pmap=%s resid=%s csob-blob=%s "
        "seg=%s] tex[emit=%llu box=0 rect=0 jobs=0] cso[csom=0 csob=0 mpr=0] emit[fbe=0 sve=0 "
        "sse=0 sie=0 ctu=0 trp=0 rsp=0 vbs=%llu wrec=%llu wrec/f=%s maxrec=%llu maxcap=%d "
        "ringwraps=%llu ringpads=%llu ringwaits=%llu] wait[srv=%llu srvpark=%llu cli=%llu "
        "clipark=%llu] gates[ers=0/0 etl=0/0 eub=0/0 mfp=0/0 mpm=0/0 mdt=0/0]",
        (ull)now->frames, (ull)window, (ull)draws, ratio(per_frame, draws, window),
        draws ? "0.00" : "n/a", window ? "bytes/f" : "bytes", ratio(buf, buffers, window),
        ratio(tex, textures, window), zero, zero, zero, zero, zero, zero, zero, zero,
        ratio(seg, segment, window), uploads, (ull)(now->verbs - last->verbs), (ull)records,
        ratio(wrec, records, window), (ull)now->max_record, MGR_RECORD_MAX, (ull)now->ring_wraps,
        (ull)now->ring_pads, (ull)now->ring_waits, (ull)now->server_waits, (ull)now->server_parks,
        (ull)now->client_waits, (ull)now->client_parks);
}

/* A key of a dump; offset of its uint64_t, or -1 where the miniature has no such counter. */
struct key {
    const char *name;
    ptrdiff_t offset;
};
#define HAS(field) ((ptrdiff_t)offsetof(struct mgr_pipestats, field))

static const struct key byte_keys[] = {{"stage-buffer", HAS(buffer_bytes)},
    {"stage-texture", HAS(texture_bytes)}, {"stage-ubo-global", -1}, {"stage-ubo-named", -1},
    {"stage-vertex-client", -1}, {"stage-index-client", -1}, {"stage-indirect-cmd", -1},
    {"persistent-map-push", -1}, {"residual-value-block", -1}, {"cso-blob-bytes", -1},
    {"stage-segment-bytes", HAS(segment_bytes)}, {NULL, 0}};

static const struct key call_keys[] = {{"draws", HAS(draws)}, {"accessor-calls", -1},
    {"tex-upload-emissions", HAS(texture_uploads)}, {"tex-upload-box", -1}, {"tex-upload-rect", -1},
    {"tex-upload-jobs", -1}, {"render-state-cso-mints", -1}, {"render-state-cso-binds", -1},
    {"map-persistent-roundtrips", -1}, {"framebuffer-emissions", -1},
    {"sampler-view-emissions", -1}, {"sampler-state-emissions", -1}, {"shader-image-emissions", -1},
    {"client-tex-upload-emissions", -1}, {"tex-remint-pulls", -1}, {"residual-pulls", -1},
    {"server-verb-boundaries", HAS(verbs)}, {"wire-records", HAS(records)}, {NULL, 0}};

static const struct key wire_keys[] = {{"ring-wraps", HAS(ring_wraps)},
    {"ring-wrap-pads", HAS(ring_pads)}, {"ring-waits", HAS(ring_waits)},
    {"server-waits", HAS(server_waits)}, {"server-parks", HAS(server_parks)},
    {"client-waits", HAS(client_waits)}, {"client-parks", HAS(client_parks)}, {NULL, 0}};

static const char *const gates[] = {"espryt-render-state", "espryt-texture-sync-list",
    "espryt-unit-bindings-epoch", "magma-draw-fastpath", "magma-pipeline-memo",
    "magma-dynamic-tail"};

static void put_keys(
    struct mgc_buf *buf, const struct mgr_pipestats *stats, const struct key *keys, bool first)
{
    for (; keys->name; keys++, first = false) {
        uint64_t value = 0;
        if (keys->offset >= 0)
            memcpy(&value, (const char *)stats + keys->offset, sizeof(value));
        mgc_buf_printf(buf, "%s\n    \"%s\": %llu", first ? "" : ",", keys->name, (ull)value);
    }
}

static void put_hist(struct mgc_buf *buf, const char *name, const uint64_t *hist)
{
    mgc_buf_printf(buf, ",\n  \"%s\": [", name);
    for (int bin = 0; bin < MGR_PIPESTATS_BINS; bin++)
        mgc_buf_printf(buf, "%s%llu", bin ? ", " : "", (ull)hist[bin]);
    mgc_buf_putc(buf, ']');
}

void mgr_pipestats_json(const struct mgr_pipestats *stats, struct mgc_buf *buf)
{
    mgc_buf_printf(buf, "{\n  \"frames\": %llu,\n  \"bytes\": {", (ull)stats->frames);
    put_keys(buf, stats, byte_keys, true);
    mgc_buf_puts(buf, "\n  },\n  \"calls\": {");
    put_keys(buf, stats, call_keys, true);
    mgc_buf_puts(buf, "\n  },\n  \"gates\": {");
    for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++)
        mgc_buf_printf(buf, "%s\n    \"%s\": {\"hit\": 0, \"miss\": 0}", i ? "," : "", gates[i]);
    mgc_buf_printf(buf,
        "\n  },\n  \"wire\": {\n    \"max-record-bytes\": %llu,\n    \"max-record-bytes-cap\": %d",
        (ull)stats->max_record, MGR_RECORD_MAX);
    put_keys(buf, stats, wire_keys, false);
    mgc_buf_puts(buf, "\n  }");
    put_hist(buf, "cmd-bytes-per-draw-histogram", stats->draw_hist);
    put_hist(buf, "staged-blob-bytes-histogram", stats->blob_hist);
    mgc_buf_puts(buf, "\n}\n");
}

bool mgr_pipestats_path(
    const char *base, const char *role, char *ret_path, size_t size, struct mgc_error *err)
{
    const char *slash = strrchr(base, '/'), *dot = strrchr(base, '.');
    if (!dot || (slash && dot < slash))
        dot = base + strlen(base);
    int len = snprintf(ret_path, size, "%.*s.%s%s", (int)(dot - base), base, role, dot);
    return (len >= 0 && (size_t)len < size) ||
           mgc_error_set(err, MGC_E_USAGE, "%s: path too long", base);
}

bool mgr_pipestats_dump(const struct mgr_pipestats *stats, const char *path, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    mgr_pipestats_json(stats, &text);
    bool ok = mgc_buf_ok(&text) ? mgr_write(path, text.data, text.len, err)
                                : mgc_error_set(err, MGC_E_NO_MEMORY, "%s: no memory", path);
    mgc_buf_destroy(&text);
    return ok;
}
