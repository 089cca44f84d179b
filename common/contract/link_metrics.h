/* P65LinkMetrics lines of the client's log (contract section 5) and their sums over a log. Pure.
 *
 * They exist only when MOBILEGL_PIPE_STATS was exactly "1"; a log without them has no metrics,
 * which is not a log whose metrics are 0. Keys may come in any order and new keys are ignored.
 */
#ifndef MGC_CONTRACT_LINK_METRICS_H
#define MGC_CONTRACT_LINK_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/contract/lines.h"

/* OTHER: kinds of newer builds, such as frame-op and frame-sent; nothing but the kind is read. */
enum mgc_link_kind { MGC_LINK_FRAME, MGC_LINK_SUMMARY, MGC_LINK_OTHER };

enum mgc_link_key {
    MGC_LINK_KEY_FRAME,
    MGC_LINK_KEY_WAIT_REPLIES,
    MGC_LINK_KEY_RTT_SAMPLES,
    MGC_LINK_KEY_RTT_P50_UPPER_US,
    MGC_LINK_KEY_RTT_P99_UPPER_US,
    MGC_LINK_KEY_STAGE_BYTES,
    MGC_LINK_KEY_WALL_NS,
    MGC_LINK_KEY_CLIENT_THREAD_CPU_NS,
    MGC_LINK_KEY_TRANSPORT_WAIT_NS, /* newer builds only */
    MGC_LINK_KEY_COUNT
};

enum { MGC_LINK_HIST_BINS = 32 };

struct mgc_link_metrics {
    enum mgc_link_kind kind;
    bool has[MGC_LINK_KEY_COUNT];
    int64_t values[MGC_LINK_KEY_COUNT]; /* only where has[] */
    bool has_rtt_mean;
    double rtt_mean_us;
    bool has_hist;
    uint64_t hist[MGC_LINK_HIST_BINS]; /* rtt_hist_us_pow2: bin n ends at 2^n us */
};

enum mgc_link_line {
    MGC_LINK_LINE_NONE, /* no P65LinkMetrics on it */
    MGC_LINK_LINE_OK,
    MGC_LINK_LINE_BAD, /* one, but a value breaks its format */
};

/* Read one line (any log prefix before it is skipped). err is set only for BAD. */
enum mgc_link_line mgc_link_metrics_parse(
    const char *line, struct mgc_link_metrics *ret_metrics, struct mgc_error *err);

/* One frame as logged, in order of first occurrence. */
struct mgc_link_frame {
    int64_t frame;
    bool has[MGC_LINK_KEY_COUNT];
    int64_t values[MGC_LINK_KEY_COUNT];
};

#define MGC_LINK_MAX_FRAMES ((size_t)1000000)

/* The metrics of one log. Zeroed is a valid start. The same frame may stand in several logs; only
 * its first occurrence counts. */
struct mgc_link_log {
    struct mgc_lines lines;
    struct mgc_link_frame *frames; /* owned */
    size_t frame_count, frame_cap;
    unsigned char *seen; /* owned bit set of frame numbers */
    size_t seen_size;
    bool has_sum[MGC_LINK_KEY_COUNT];
    int64_t sums[MGC_LINK_KEY_COUNT]; /* over frames; only where has_sum[] */
    bool has_summary;
    struct mgc_link_metrics summary; /* the last kind=summary line */
    uint64_t repeated, other, bad;   /* lines: frame seen before, other kind, malformed */
    bool failed;                     /* no memory: sums are not to be used */
};

void mgc_link_log_feed(struct mgc_link_log *log, const void *data, size_t len);
/* After the last byte; a last line without newline is not trusted and not read. */
void mgc_link_log_finish(struct mgc_link_log *log);
void mgc_link_log_destroy(struct mgc_link_log *log); /* takes NULL and zeroed */

#endif
