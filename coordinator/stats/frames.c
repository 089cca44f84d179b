#include "coordinator/stats/frames.h"

#include <math.h>

#include "coordinator/stats/percentile.h"

/* Sorted by time, so those that are no measurement come first. */
static struct mgc_sample above_zero(const struct mgc_sample *sample)
{
    size_t at = 0;
    while (at < sample->n && sample->values[at] <= 0)
        at++;
    return (struct mgc_sample){sample->values + at, sample->n - at};
}

static double low1_fps(const struct mgc_sample *sample)
{
    size_t slowest = (sample->n + 99) / 100;
    struct mgc_sample tail = {sample->values + sample->n - slowest, slowest};
    double mean_ms = NAN;
    mgc_sample_mean(&tail, &mean_ms);
    return 1000 / mean_ms;
}

bool mgc_frames_summarize(
    const double *frame_times_ms, size_t count, size_t skip, struct mgc_frame_summary *ret_summary)
{
    struct mgc_sample sample;
    struct mgc_frame_summary summary = {.total = count, .skipped = skip < count ? skip : count};
    if (summary.skipped == count ||
        !mgc_sample_init(&sample, frame_times_ms + summary.skipped, count - summary.skipped))
        return false;
    struct mgc_sample frames = above_zero(&sample);
    bool ok = mgc_sample_mean(&frames, &summary.mean_ms) &&
              mgc_sample_median(&frames, &summary.median_ms) &&
              mgc_sample_nearest(&frames, 95, &summary.p95_ms) &&
              mgc_sample_nearest(&frames, 99, &summary.p99_ms);
    if (ok) {
        summary.n = frames.n;
        summary.max_ms = frames.values[frames.n - 1];
        summary.low1_fps = low1_fps(&frames);
        *ret_summary = summary;
    }
    mgc_sample_destroy(&sample);
    return ok;
}
