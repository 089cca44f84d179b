/* MGPipe counters of a process: the "MGPipe stats:" lines and the JSON dump at shutdown (contract
 * sections 4.3 and 5). Counters that a miniature does not have are printed as 0, as a real build
 * prints what it did not count. Counting, lines and text are pure; writing is the last function.
 *
 * Who counts what: a process that is client and renderer at once (monolith, inproc) counts all. Of
 * two processes, the client counts what it stages and publishes and its own waits, the server
 * frames, draws and its own waits; both know the largest record. Thus a reader may add the two
 * dumps up, the gauge excepted.
 */
#ifndef MGC_LAB_REPLAY_PIPESTATS_H
#define MGC_LAB_REPLAY_PIPESTATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

enum { MGR_PIPESTATS_LINE_MAX = 1024, MGR_PIPESTATS_BINS = 32 };

struct mgr_pipestats {
    uint64_t frames, draws, records; /* records: that crossed to another thread or process */
    uint64_t buffer_bytes, texture_bytes, texture_uploads;
    uint64_t segment_bytes; /* of these, through a stage segment */
    uint64_t verbs;         /* draws that a server applied */
    uint64_t max_record;    /* gauge, bytes */
    uint64_t ring_wraps, ring_pads, ring_waits;
    uint64_t server_waits, server_parks, client_waits, client_parks;
    uint64_t draw_hist[MGR_PIPESTATS_BINS]; /* bytes of a draw's record; bin 0: 0 bytes, bin n:
                                               [2^(n-1), 2^n) */
    uint64_t blob_hist[MGR_PIPESTATS_BINS]; /* bytes of a staged buffer or texture */
};

/* One more value in a histogram. */
void mgr_pipestats_bin(uint64_t hist[MGR_PIPESTATS_BINS], uint64_t value);

/* Totals so far and the totals at the last line; the window is the difference. */
void mgr_pipestats_line(const struct mgr_pipestats *now, const struct mgr_pipestats *last,
    char ret_text[MGR_PIPESTATS_LINE_MAX]);

/* The document of a dump. */
void mgr_pipestats_json(const struct mgr_pipestats *stats, struct mgc_buf *buf);
/* "/o/p.json" and "client" to "/o/p.client.json". */
bool mgr_pipestats_path(
    const char *base, const char *role, char *ret_path, size_t size, struct mgc_error *err);
/* Truncate and write. */
bool mgr_pipestats_dump(const struct mgr_pipestats *stats, const char *path, struct mgc_error *err);

#endif
