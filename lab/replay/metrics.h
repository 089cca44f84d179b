/* P65LinkMetrics of the client: waits, round trips and bytes per frame and in all, and the two log
 * lines made from them (contract section 5). Pure apart from the thread's CPU clock. */
#ifndef MGC_LAB_REPLAY_METRICS_H
#define MGC_LAB_REPLAY_METRICS_H

#include <stddef.h>
#include <stdint.h>

enum { MGR_HIST_BINS = 32, MGR_METRICS_LINE_MAX = 1024 };

struct mgr_span {
    uint64_t wait_replies, rtt_samples, rtt_sum_ns;
    uint64_t hist[MGR_HIST_BINS]; /* bin n: up to 2^n us */
    uint64_t stage_bytes, transport_wait_ns;
    int64_t start_wall_ns, start_cpu_ns;
};

struct mgr_metrics {
    struct mgr_span frame, total;
};

void mgr_metrics_start(struct mgr_metrics *metrics);
/* A wait for a reply that took this long: also a round trip sample. */
void mgr_metrics_reply(struct mgr_metrics *metrics, int64_t took_ns);
/* Any other wait for the peer: credit, finish. */
void mgr_metrics_wait(struct mgr_metrics *metrics, int64_t took_ns);
void mgr_metrics_stage(struct mgr_metrics *metrics, uint64_t bytes);

/* Text of the line for frame `number` (from 1), or of the summary over `number` frames. */
void mgr_metrics_line(const struct mgr_span *span, const char *kind, uint32_t number,
    int64_t now_wall_ns, int64_t now_cpu_ns, char ret_text[MGR_METRICS_LINE_MAX]);
/* Forget the frame's span and begin the next. */
void mgr_metrics_next(struct mgr_metrics *metrics);

/* CPU time of the calling thread. */
int64_t mgr_thread_cpu_ns(void);

#endif
