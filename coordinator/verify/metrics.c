#include "coordinator/verify/metrics.h"

#include <string.h>

#include "common/base/clock.h"
#include "coordinator/plan/bench.h"
#include "coordinator/stats/frames.h"
#include "coordinator/stats/percentile.h"

static void copy_double(
    struct mgc_fields *into, const char *name, const struct mgc_fields *from, const char *key)
{
    double value;
    if (mgc_fields_get_double(from, key, &value))
        mgc_fields_set_double(into, name, value);
}

void mgc_metric_copy(
    struct mgc_fields *into, const char *name, const struct mgc_fields *from, const char *key)
{
    const struct mgc_value *value = mgc_fields_get(from, key);
    if (value)
        mgc_fields_set_value(into, name, value);
}

const struct mgc_fields *mgc_facts_of_step(const struct mgc_attempt *attempt, const char *id)
{
    static const struct mgc_fields none;
    const struct mgc_step_outcome *outcome = mgc_attempt_step(attempt, id);
    return outcome ? &outcome->facts : &none;
}

/* Frames per second over the whole time of these frames. With credit above 1 frames come in bursts:
 * then 1000 over the median is the gap inside a burst, and no rate at all. */
static void throughput(struct mgc_fields *metrics, const double *frame_ms, size_t count)
{
    double sum_ms = 0;
    for (size_t i = 0; i < count; i++)
        sum_ms += frame_ms[i];
    if (sum_ms > 0)
        mgc_fields_set_double(metrics, "throughput_fps", 1000 * (double)count / sum_ms);
}

/* Frame 1 carries the load (contract section 8): steady means from frame 2 on. */
static void frame_metrics(struct mgc_fields *metrics, const struct mgc_benchmark_doc *doc)
{
    const struct mgc_frame_series *series = &doc->frame_times_ms;
    double median;
    if (series->count > 0)
        mgc_fields_set_double(metrics, "first_frame_s", series->values[0] / 1000);
    if (series->count > 1)
        throughput(metrics, series->values + 1, series->count - 1);
    if (series->count > 1 && mgc_median(series->values + 1, series->count - 1, &median) &&
        median > 0)
        mgc_fields_set_double(metrics, "steady_fps", 1000 / median);
}

static void benchmark_metrics(struct mgc_fields *metrics, const struct mgc_benchmark_doc *doc)
{
    copy_double(metrics, "fps", &doc->fields, "fps");
    copy_double(metrics, "mean_ms", &doc->fields, "meanFrameMs");
    copy_double(metrics, "median_ms", &doc->fields, "medianFrameMs");
    copy_double(metrics, "p95_ms", &doc->fields, "p95FrameMs");
    copy_double(metrics, "total_seconds", &doc->fields, "totalSeconds");
    int64_t frames;
    if (mgc_fields_get_int(&doc->fields, "totalFrames", &frames) && frames > 0)
        mgc_fields_set_int(metrics, "total_frames", frames); /* 0: no frame was measured */
    frame_metrics(metrics, doc);
}

/* After the skip window, which is the workload's own: alike on the phone and across hosts. */
static void kept_frames(
    struct mgc_fields *metrics, const struct mgc_cell *cell, const struct mgc_benchmark_doc *doc)
{
    const struct mgc_bench_workload *workload =
        mgc_bench_workload(mgc_bench_built_in(), cell->workload);
    struct mgc_frame_summary kept;
    if (!workload || !mgc_frames_summarize(doc->frame_times_ms.values, doc->frame_times_ms.count,
                         (size_t)workload->skip_frames, &kept))
        return;
    mgc_fields_set_int(metrics, "skip_frames", (int64_t)kept.skipped);
    mgc_fields_set_int(metrics, "kept_frames", (int64_t)kept.n);
    mgc_fields_set_double(metrics, "kept_mean_ms", kept.mean_ms);
    mgc_fields_set_double(metrics, "kept_median_ms", kept.median_ms);
    mgc_fields_set_double(metrics, "kept_p95_ms", kept.p95_ms);
    mgc_fields_set_double(metrics, "kept_p99_ms", kept.p99_ms);
    mgc_fields_set_double(metrics, "kept_max_ms", kept.max_ms);
    mgc_fields_set_double(metrics, "kept_low1_fps", kept.low1_fps);
}

static void result_metrics(struct mgc_fields *metrics, const struct mgc_fields *fields)
{
    copy_double(metrics, "ssim", fields, "ssim");
    mgc_metric_copy(metrics, "mismatch_pixels", fields, "mismatchPixels");
    mgc_metric_copy(metrics, "passed", fields, "passed");
    mgc_metric_copy(metrics, "message", fields, "message");
}

static bool summary_value(const struct mgc_link_log *link, enum mgc_link_key key, double *ret)
{
    if (!link->has_summary || !link->summary.has[key])
        return false;
    *ret = (double)link->summary.values[key];
    return true;
}

static void set_scaled(struct mgc_fields *metrics, const char *name,
    const struct mgc_link_log *link, enum mgc_link_key key, double divisor)
{
    double value;
    if (summary_value(link, key, &value))
        mgc_fields_set_double(metrics, name, value / divisor);
}

/* How many frames there were, by the benchmark's own series; 0: nobody says. */
static int64_t frames_of(const struct mgc_documents *docs)
{
    bool whole = docs->benchmark_present && docs->benchmark_error.code == MGC_OK;
    return whole ? (int64_t)docs->benchmark.frame_times_ms.count : 0;
}

/* A mean over frames 2 up to the last, so every one of them has to be there. */
static bool steady_mean(
    const struct mgc_link_log *link, enum mgc_link_key key, int64_t last, double *ret_mean)
{
    double sum = 0;
    int64_t frames = 0; /* each number comes once */
    for (size_t i = 0; i < link->frame_count; i++) {
        const struct mgc_link_frame *frame = &link->frames[i];
        if (frame->frame < 2 || frame->frame > last || !frame->has[key])
            continue;
        sum += (double)frame->values[key];
        frames++;
    }
    if (link->bad || frames == 0 || frames != last - 1)
        return false;
    *ret_mean = sum / (double)frames;
    return true;
}

/* Without a sample the client prints 0 for all three: that is "not measured", not a fast link. */
static void rtt_metrics(struct mgc_fields *metrics, const struct mgc_link_log *link)
{
    double samples;
    bool known = summary_value(link, MGC_LINK_KEY_RTT_SAMPLES, &samples);
    if (known && samples < 1)
        return;
    if (known)
        mgc_fields_set_int(metrics, "rtt_samples", (int64_t)samples);
    set_scaled(metrics, "rtt_p50_ub_ms", link, MGC_LINK_KEY_RTT_P50_UPPER_US, 1e3);
    set_scaled(metrics, "rtt_p99_ub_ms", link, MGC_LINK_KEY_RTT_P99_UPPER_US, 1e3);
    if (link->has_summary && link->summary.has_rtt_mean)
        mgc_fields_set_double(metrics, "rtt_mean_ms", link->summary.rtt_mean_us / 1e3);
}

static void link_metrics(
    struct mgc_fields *metrics, const struct mgc_link_log *link, int64_t frames)
{
    double value, fps;
    if (link->failed)
        return;
    if (summary_value(link, MGC_LINK_KEY_WAIT_REPLIES, &value))
        mgc_fields_set_int(metrics, "wait_replies", (int64_t)value);
    rtt_metrics(metrics, link);
    set_scaled(metrics, "stage_mb", link, MGC_LINK_KEY_STAGE_BYTES, 1e6);
    set_scaled(metrics, "client_cpu_s", link, MGC_LINK_KEY_CLIENT_THREAD_CPU_NS, 1e9);
    if (steady_mean(link, MGC_LINK_KEY_WAIT_REPLIES, frames, &value))
        mgc_fields_set_double(metrics, "steady_replies_per_frame", value);
    if (!steady_mean(link, MGC_LINK_KEY_STAGE_BYTES, frames, &value))
        return;
    mgc_fields_set_double(metrics, "steady_mb_per_frame", value / 1e6);
    if (mgc_fields_get_double(metrics, "throughput_fps", &fps))
        mgc_fields_set_double(metrics, "steady_mbps", value / 1e6 * fps);
}

static void step_metrics(struct mgc_fields *metrics, const struct mgc_attempt *attempt)
{
    static const char *const copied[] = {
        "rc", "wall_s", "client_sha256", "library_sha256", "trace_sha256", "golden_sha256"};
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].id, "replay") != 0)
            continue;
        for (size_t k = 0; k < sizeof(copied) / sizeof(copied[0]); k++)
            mgc_metric_copy(metrics, copied[k], &attempt->steps[i].facts, copied[k]);
    }
    const struct mgc_release *release = &attempt->release;
    if (release->released && release->reported == release->members) {
        mgc_fields_set_double(
            metrics, "start_skew_ms", (double)release->skew_ns / (double)MGC_NS_PER_MS);
        mgc_fields_set_double(metrics, "start_uncertainty_ms",
            (double)release->uncertainty_ns / (double)MGC_NS_PER_MS);
    }
}

/* Lines over all logs; a line that stands in two logs counts in both. None at all is a statement
 * about every log that has to be there, so without one of them there is no number. */
static void count_lines(struct mgc_fields *metrics, const char *name, const struct mgc_logs *logs,
    enum mgc_marker marker)
{
    uint64_t count = 0;
    for (int i = 0; i < MGC_LOG_FILE_COUNT; i++) {
        const struct mgc_log_scan *log = &logs->files[i];
        if (log->error.code || (log->required && (!log->present || !log->lines)))
            return;
        count += log->markers.hits[marker].count;
    }
    mgc_fields_set_int(metrics, name, (int64_t)count);
}

/* What a split arm renders to, by the client's own configuration line. */
static void surface(struct mgc_fields *metrics, const struct mgc_logs *logs)
{
    const char *line = logs->files[MGC_LOG_CLIENT].markers.hits[MGC_MARKER_CONFIG_IPC].line;
    const char *at = strstr(line, " surface=");
    if (!at)
        return;
    at += strlen(" surface=");
    mgc_fields_setf(metrics, "surface", "%.*s", (int)strcspn(at, " "), at);
}

void mgc_verdict_metrics(struct mgc_verdict *verdict, const struct mgc_attempt *attempt,
    const struct mgc_documents *docs, const struct mgc_logs *logs)
{
    struct mgc_fields *metrics = &verdict->metrics;
    if (docs->result_present && docs->result_error.code == MGC_OK)
        result_metrics(metrics, &docs->result.fields);
    if (docs->benchmark_present && docs->benchmark_error.code == MGC_OK) {
        benchmark_metrics(metrics, &docs->benchmark);
        kept_frames(metrics, attempt->cell, &docs->benchmark);
    }
    link_metrics(metrics, &logs->link, frames_of(docs));
    count_lines(metrics, "fatal_lines", logs, MGC_MARKER_FATAL);
    count_lines(metrics, "pipe_stats_lines", logs, MGC_MARKER_PIPE_STATS);
    step_metrics(metrics, attempt);
    surface(metrics, logs);
}
