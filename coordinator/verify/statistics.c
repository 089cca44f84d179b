/* Do the numbers that the replay printed of its frame times follow from the frame times themselves?
 * Means, percentiles and fps over the last tailFrames frames (contract section 4.2); all of them
 * have three decimals, and so do the times they are made of. */
#include <math.h>

#include "coordinator/stats/percentile.h"
#include "coordinator/verify/judge.h"

static const char source[] = "benchmark.json", check[] = "frame statistics";

/* Half a unit of the last decimal from the times, half from the number itself, and double's own. */
#define ROUNDED_MS 0.001001

static void damaged(struct judge *judge, enum mgc_check_outcome outcome, const char *what,
    double said, double expected)
{
    if (outcome == MGC_CHECK_ABSENT) {
        mgc_verdict_add(judge->verdict, check, outcome, source, "no %s", what);
        mgc_reason_set(
            judge->verdict, MGC_REASON_BENCHMARK_DAMAGED, "benchmark.json does not say %s", what);
        return;
    }
    mgc_verdict_add(judge->verdict, check, outcome, source, "%s %.3f, frameTimesMs makes %.3f",
        what, said, expected);
    mgc_reason_set(judge->verdict, MGC_REASON_BENCHMARK_DAMAGED,
        "benchmark.json says %s=%.3f, but its frameTimesMs makes that %.3f", what, said, expected);
}

static bool agrees(struct judge *judge, const char *key, double expected, double tolerance)
{
    double said;
    if (!mgc_fields_get_double(&judge->docs.benchmark.fields, key, &said)) {
        if (!judge->old_layout)
            damaged(judge, MGC_CHECK_ABSENT, key, 0, 0);
        return false;
    }
    if (fabs(said - expected) <= tolerance)
        return true;
    damaged(judge, MGC_CHECK_BAD, key, said, expected);
    return false;
}

static bool agree(struct judge *judge, const struct mgc_sample *tail)
{
    double mean, median, p95;
    if (!mgc_sample_mean(tail, &mean) || !mgc_sample_median(tail, &median) ||
        !mgc_sample_nearest(tail, 95, &p95))
        return false;
    bool ok = agrees(judge, "meanFrameMs", mean, ROUNDED_MS) &&
              agrees(judge, "medianFrameMs", median, ROUNDED_MS) &&
              agrees(judge, "p95FrameMs", p95, ROUNDED_MS);
    /* A mean that may be 0.001 ms off makes this much of a difference. */
    return ok && (mean <= ROUNDED_MS || agrees(judge, "fps", 1000 / mean,
                                            ROUNDED_MS + 1000 / (mean - ROUNDED_MS) - 1000 / mean));
}

/* What was asked for; 0: not known. */
static int64_t tail_asked(const struct judge *judge)
{
    const struct mgc_cell *cell = judge->cell;
    int64_t asked = 0;
    for (size_t i = 0; i < cell->step_count; i++)
        mgc_fields_get_int(&cell->steps[i].params, "benchmark_tail_frames", &asked);
    return asked;
}

/* False: not known, or not what was asked for. */
static bool check_tail(struct judge *judge, int64_t frames, int64_t *ret_tail)
{
    int64_t asked = tail_asked(judge), tail;
    if (!mgc_fields_get_int(&judge->docs.benchmark.fields, "tailFrames", &tail)) {
        if (!judge->old_layout)
            damaged(judge, MGC_CHECK_ABSENT, "tailFrames", 0, 0);
        return false;
    }
    *ret_tail = tail;
    int64_t expected = asked && asked < frames ? asked : asked ? frames : tail;
    bool good = tail == expected && tail >= 1 && tail <= frames;
    if (!judge->old_layout || !good)
        mgc_verdict_add(judge->verdict, "tailFrames", good ? MGC_CHECK_OK : MGC_CHECK_BAD, source,
            "%lld (expected %lld)", (long long)tail, (long long)expected);
    if (!good)
        mgc_reason_set(judge->verdict, MGC_REASON_FRAME_COUNT,
            "benchmark.json says tailFrames=%lld of %lld, expected %lld", (long long)tail,
            (long long)frames, (long long)expected);
    return good;
}

void mgc_judge_statistics(struct judge *judge)
{
    const struct mgc_frame_series *series = &judge->docs.benchmark.frame_times_ms;
    struct mgc_sample sample;
    int64_t tail;
    if (series->count == 0 || !check_tail(judge, (int64_t)series->count, &tail))
        return;
    if (!mgc_sample_init(&sample, series->values + series->count - tail, (size_t)tail)) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, source, "no memory to make them");
        return;
    }
    if (agree(judge, &sample))
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, source,
            "mean, median, p95 and fps are those of the last %lld frameTimesMs", (long long)tail);
    mgc_sample_destroy(&sample);
}
