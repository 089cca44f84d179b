#include "lab/replay/pipestats.h"

#include <stdio.h>

#include "lab/replay/record.h"

typedef unsigned long long ull;

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
    ull uploads = now->texture_uploads - last->texture_uploads;
    char per_frame[32], buf[32], tex[32], wrec[32];
    const char *zero = window ? "0.00" : "n/a";
    snprintf(ret_text, MGR_PIPESTATS_LINE_MAX,
        "MGPipe stats: frames=%llu window=%llu draws=%llu draws/f=%s acc=0 acc/draw=%s "
        "%s[buf=%s tex=%s ubog=%s ubon=%s vtxc=%s idxc=%s icmd=%s pmap=%s resid=%s csob-blob=%s "
        "seg=%s] tex[emit=%llu box=0 rect=0 jobs=0] cso[csom=0 csob=0 mpr=0] emit[fbe=0 sve=0 "
        "sse=0 sie=0 ctu=0 trp=0 rsp=0 vbs=0 wrec=%llu wrec/f=%s maxrec=%llu maxcap=%d "
        "ringwraps=0 ringpads=0 ringwaits=0] wait[srv=%llu srvpark=0 cli=%llu clipark=0] "
        "gates[ers=0/0 etl=0/0 eub=0/0 mfp=0/0 mpm=0/0 mdt=0/0]",
        (ull)now->frames, (ull)window, (ull)draws, ratio(per_frame, draws, window),
        draws ? "0.00" : "n/a", window ? "bytes/f" : "bytes", ratio(buf, buffers, window),
        ratio(tex, textures, window), zero, zero, zero, zero, zero, zero, zero, zero, zero, uploads,
        (ull)records, ratio(wrec, records, window), (ull)now->max_record, MGR_RECORD_MAX,
        (ull)now->server_waits, (ull)now->client_waits);
}
