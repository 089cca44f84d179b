#include "lab/replay/output.h"

#include <stdio.h>

#include "common/base/clock.h"
#include "lab/replay/write.h"

/* The runner escapes these five and nothing else. */
static void put_string(struct mgc_buf *buf, const char *text)
{
    mgc_buf_putc(buf, '"');
    for (; text && *text; text++) {
        switch (*text) {
        case '\\':
            mgc_buf_puts(buf, "\\\\");
            break;
        case '"':
            mgc_buf_puts(buf, "\\\"");
            break;
        case '\n':
            mgc_buf_puts(buf, "\\n");
            break;
        case '\r':
            mgc_buf_puts(buf, "\\r");
            break;
        case '\t':
            mgc_buf_puts(buf, "\\t");
            break;
        default:
            mgc_buf_putc(buf, *text);
        }
    }
    mgc_buf_putc(buf, '"');
}

static void text_key(struct mgc_buf *buf, const char *key, const char *value)
{
    mgc_buf_printf(buf, ",\n  \"%s\": ", key);
    put_string(buf, value);
}

static void bool_key(struct mgc_buf *buf, const char *key, bool value)
{
    mgc_buf_printf(buf, ",\n  \"%s\": %s", key, value ? "true" : "false");
}

static void int_key(struct mgc_buf *buf, const char *key, int64_t value)
{
    mgc_buf_printf(buf, ",\n  \"%s\": %lld", key, (long long)value);
}

static void real_key(struct mgc_buf *buf, const char *key, double value, int decimals)
{
    mgc_buf_printf(buf, ",\n  \"%s\": %.*f", key, decimals, value);
}

static void put_paths(const struct mgr_outcome *outcome, struct mgc_buf *buf)
{
    const struct mgr_options *options = outcome->options;
    text_key(buf, "message", outcome->message);
    text_key(buf, "tracePath", options->trace);
    text_key(buf, "goldenPath", options->golden);
    mgc_buf_puts(buf, ",\n  \"alternateGoldenPaths\": [");
    for (size_t i = 0; i < options->alternate_goldens.count; i++) {
        mgc_buf_puts(buf, i ? ", " : "");
        put_string(buf, options->alternate_goldens.items[i]);
    }
    mgc_buf_putc(buf, ']');
    text_key(buf, "matchedGoldenPath", outcome->matched_golden);
    text_key(buf, "actualPath", outcome->actual);
    text_key(buf, "diffPath", options->diff);
    text_key(buf, "backend", options->backend);
    text_key(buf, "angleVariant", "");
}

static void put_settings(const struct mgr_outcome *outcome, struct mgc_buf *buf)
{
    const struct mgr_options *options = outcome->options;
    int_key(buf, "targetFrame", options->target_frame);
    int_key(buf, "targetCall", options->target_call);
    int_key(buf, "width", options->width);
    int_key(buf, "height", options->height);
    int_key(buf, "cropX", options->crop_x);
    int_key(buf, "cropY", options->crop_y);
    int_key(buf, "cropWidth", options->crop_width);
    int_key(buf, "cropHeight", options->crop_height);
    int_key(buf, "holdMs", options->hold_ms);
    int_key(buf, "mismatchPixels", outcome->mismatch_pixels);
    real_key(buf, "ssim", outcome->ssim, 9);
    real_key(buf, "ssimThreshold", options->ssim_threshold, 9);
    bool_key(buf, "useAngle", false);
    bool_key(buf, "usePbuffer", !options->window_surface);
    bool_key(buf, "avoidAngleLlvmpipeSamplerMipmapMinFilter", false);
    bool_key(buf, "avoidAngleLlvmpipeExplicitLodBias", false);
    bool_key(buf, "fixIterationRPSubgroupScratch", false);
    bool_key(buf, "deriveNumSubgroups", false);
    bool_key(buf, "iterationRPFixBarrier", false);
}

static size_t tail_of(const struct mgr_options *options, const struct mgr_bench *bench)
{
    size_t tail = (size_t)options->benchmark_tail_frames;
    return tail < bench->count ? tail : bench->count;
}

static double fps_of(double mean_ms)
{
    return mean_ms > 0 ? 1000.0 / mean_ms : -1;
}

static void put_benchmark(const struct mgr_outcome *outcome, struct mgc_buf *buf)
{
    const struct mgr_bench *bench = outcome->bench;
    size_t tail = tail_of(outcome->options, bench);
    struct mgr_figures wall = mgr_bench_figures(bench->frame_ms, bench->count, tail);
    struct mgr_figures cpu = mgr_bench_figures(bench->cpu_ms, bench->count, tail);
    bool_key(buf, "benchmark", true);
    bool_key(buf, "benchmarkFinish", outcome->options->benchmark_finish);
    text_key(buf, "benchmarkResultPath", outcome->benchmark_path);
    int_key(buf, "benchmarkFrames", (int64_t)bench->count);
    int_key(buf, "benchmarkTailFrames", (int64_t)tail);
    real_key(buf, "benchmarkTotalSeconds", bench->total_s, 6);
    real_key(buf, "benchmarkMeanFrameMs", wall.mean, 3);
    real_key(buf, "benchmarkMedianFrameMs", wall.median, 3);
    real_key(buf, "benchmarkP95FrameMs", wall.p95, 3);
    real_key(buf, "benchmarkMeanFrameCpuMs", cpu.mean, 3);
    real_key(buf, "benchmarkMedianFrameCpuMs", cpu.median, 3);
    real_key(buf, "benchmarkP95FrameCpuMs", cpu.p95, 3);
    real_key(buf, "benchmarkFps", fps_of(wall.mean), 3);
}

void mgr_output_result_text(const struct mgr_outcome *outcome, struct mgc_buf *buf)
{
    mgc_buf_printf(buf, "{\n  \"passed\": %s", outcome->passed ? "true" : "false");
    int_key(buf, "statusCode", outcome->status);
    put_paths(outcome, buf);
    put_settings(outcome, buf);
    if (outcome->options->benchmark)
        put_benchmark(outcome, buf);
    mgc_buf_puts(buf, "\n}\n");
}

static void put_series(struct mgc_buf *buf, const char *key, const double *values, size_t count)
{
    mgc_buf_printf(buf, ",\n  \"%s\": [", key);
    for (size_t i = 0; i < count; i++)
        mgc_buf_printf(buf, "%s%.3f", i ? ", " : "", values[i]);
    mgc_buf_putc(buf, ']');
}

void mgr_output_benchmark_text(
    const struct mgr_options *options, const struct mgr_bench *bench, struct mgc_buf *buf)
{
    size_t tail = tail_of(options, bench);
    struct mgr_figures wall = mgr_bench_figures(bench->frame_ms, bench->count, tail);
    struct mgr_figures cpu = mgr_bench_figures(bench->cpu_ms, bench->count, tail);
    mgc_buf_puts(buf, "{\n  \"tracePath\": ");
    put_string(buf, options->trace);
    text_key(buf, "backend", options->backend);
    bool_key(buf, "benchmarkFinish", options->benchmark_finish);
    int_key(buf, "width", options->width);
    int_key(buf, "height", options->height);
    int_key(buf, "totalFrames", (int64_t)bench->count);
    int_key(buf, "tailFrames", (int64_t)tail);
    real_key(buf, "totalSeconds", bench->total_s, 6);
    real_key(buf, "meanFrameMs", wall.mean, 3);
    real_key(buf, "medianFrameMs", wall.median, 3);
    real_key(buf, "p95FrameMs", wall.p95, 3);
    real_key(buf, "fps", fps_of(wall.mean), 3);
    real_key(buf, "meanFrameCpuMs", cpu.mean, 3);
    real_key(buf, "medianFrameCpuMs", cpu.median, 3);
    real_key(buf, "p95FrameCpuMs", cpu.p95, 3);
    put_series(buf, "frameTimesMs", bench->frame_ms, bench->count);
    put_series(buf, "frameCpuTimesMs", bench->cpu_ms, bench->count);
    mgc_buf_puts(buf, "\n}\n");
}

bool mgr_output_write(
    const char *path, const struct mgc_buf *text, enum mgr_cut cut, struct mgc_error *err)
{
    if (!mgc_buf_ok(text))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: no memory", path);
    return mgr_write(path, text->data, cut == MGR_CUT_HALF ? text->len / 2 : text->len, err);
}

bool mgr_output_write_paused(
    const char *path, const struct mgc_buf *text, int64_t pause_ms, struct mgc_error *err)
{
    if (!mgr_output_write(path, text, MGR_CUT_HALF, err))
        return false;
    mgc_sleep_ms(pause_ms);
    size_t half = text->len / 2;
    return mgr_write_more(path, text->data + half, text->len - half, err);
}
