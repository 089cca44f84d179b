#include "lab/replay/metrics.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"

int64_t mgr_thread_cpu_ns(void)
{
    struct timespec cpu;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return cpu.tv_sec * MGC_NS_PER_S + cpu.tv_nsec;
}

void mgr_metrics_next(struct mgr_metrics *metrics)
{
    metrics->frame =
        (struct mgr_span){.start_wall_ns = mgc_mono_ns(), .start_cpu_ns = mgr_thread_cpu_ns()};
}

void mgr_metrics_start(struct mgr_metrics *metrics)
{
    mgr_metrics_next(metrics);
    metrics->total = metrics->frame;
}

static void add_reply(struct mgr_span *span, int64_t took_ns)
{
    uint64_t us = (uint64_t)took_ns / 1000;
    int bin = 0;
    while (bin < MGR_HIST_BINS - 1 && us > UINT64_C(1) << bin)
        bin++;
    span->wait_replies++;
    span->rtt_samples++;
    span->rtt_sum_ns += (uint64_t)took_ns;
    span->hist[bin]++;
}

void mgr_metrics_reply(struct mgr_metrics *metrics, int64_t took_ns)
{
    add_reply(&metrics->frame, took_ns);
    add_reply(&metrics->total, took_ns);
    mgr_metrics_wait(metrics, took_ns);
}

void mgr_metrics_wait(struct mgr_metrics *metrics, int64_t took_ns)
{
    metrics->frame.transport_wait_ns += (uint64_t)took_ns;
    metrics->total.transport_wait_ns += (uint64_t)took_ns;
}

void mgr_metrics_stage(struct mgr_metrics *metrics, uint64_t bytes)
{
    metrics->frame.stage_bytes += bytes;
    metrics->total.stage_bytes += bytes;
}

/* Upper bound, in us, of the bin that holds the given share of the samples; 0 without samples. */
static uint64_t upper_bound(const struct mgr_span *span, unsigned percent)
{
    uint64_t need = (span->rtt_samples * percent + 99) / 100, seen = 0;
    for (int bin = 0; bin < MGR_HIST_BINS && need; bin++) {
        seen += span->hist[bin];
        if (seen >= need)
            return UINT64_C(1) << bin;
    }
    return 0;
}

void mgr_metrics_line(const struct mgr_span *span, const char *kind, uint32_t number,
    int64_t now_wall_ns, int64_t now_cpu_ns, char ret_text[MGR_METRICS_LINE_MAX])
{
    double mean_us =
        span->rtt_samples ? (double)span->rtt_sum_ns / (double)span->rtt_samples / 1000.0 : 0;
    int len = snprintf(ret_text, MGR_METRICS_LINE_MAX,
        "P65LinkMetrics kind=%s frame=%u wait_replies=%llu rtt_samples=%llu rtt_mean_us=%.3f "
        "rtt_p50_upper_us=%llu rtt_p99_upper_us=%llu stage_bytes=%llu wall_ns=%lld "
        "client_thread_cpu_ns=%lld transport_wait_ns=%llu rtt_hist_us_pow2=",
        kind, number, (unsigned long long)span->wait_replies, (unsigned long long)span->rtt_samples,
        mean_us, (unsigned long long)upper_bound(span, 50),
        (unsigned long long)upper_bound(span, 99), (unsigned long long)span->stage_bytes,
        (long long)(now_wall_ns - span->start_wall_ns),
        (long long)(now_cpu_ns - span->start_cpu_ns), (unsigned long long)span->transport_wait_ns);
    for (int bin = 0; bin < MGR_HIST_BINS; bin++)
        len += snprintf(ret_text + len, (size_t)(MGR_METRICS_LINE_MAX - len), "%s%llu",
            bin ? "," : "", (unsigned long long)span->hist[bin]);
}
