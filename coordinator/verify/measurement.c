/* Was it the measurement that the plan asked for? */
#include "coordinator/verify/judge.h"

static void check_int(struct judge *judge, const struct mgc_fields *fields, const char *key,
    const char *source, const char *reason, int64_t expected)
{
    int64_t value;
    if (!mgc_fields_get_int(fields, key, &value)) {
        mgc_verdict_add(judge->verdict, key, MGC_CHECK_ABSENT, source, "%s", "");
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, reason, "check the client's build",
            "%s does not say %s, %lld was expected", source, key, (long long)expected);
        return;
    }
    mgc_verdict_add(judge->verdict, key, value == expected ? MGC_CHECK_OK : MGC_CHECK_BAD, source,
        "%lld (expected %lld)", (long long)value, (long long)expected);
    if (value != expected)
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, reason,
            "check that trace and workload belong together", "%s says %s=%lld, expected %lld",
            source, key, (long long)value, (long long)expected);
}

static void check_finish(struct judge *judge)
{
    bool finish;
    bool expected = judge->cell->expect.benchmark_finish;
    const char *source = "benchmark.json";
    if (!mgc_fields_get_bool(&judge->docs.benchmark.fields, "benchmarkFinish", &finish)) {
        mgc_verdict_add(judge->verdict, "benchmarkFinish", MGC_CHECK_ABSENT, source, "%s", "");
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "benchmark-finish",
            "check the client's build", "benchmark.json does not say benchmarkFinish");
        return;
    }
    mgc_verdict_add(judge->verdict, "benchmarkFinish",
        finish == expected ? MGC_CHECK_OK : MGC_CHECK_BAD, source, "%s", finish ? "true" : "false");
    if (finish != expected)
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "benchmark-finish",
            "runs with and without glFinish per frame never compare",
            "benchmark.json says benchmarkFinish=%s, the plan asked for %s",
            finish ? "true" : "false", expected ? "true" : "false");
}

static void check_frames(struct judge *judge)
{
    const struct mgc_frame_series *series = &judge->docs.benchmark.frame_times_ms;
    int64_t expected = judge->cell->expect.frames;
    check_int(judge, &judge->docs.benchmark.fields, "totalFrames", "benchmark.json", "frame-count",
        expected);
    bool good = series->present && (int64_t)series->count == expected;
    mgc_verdict_add(judge->verdict, "frameTimesMs",
        good              ? MGC_CHECK_OK
        : series->present ? MGC_CHECK_BAD
                          : MGC_CHECK_ABSENT,
        "benchmark.json", "%zu values (expected %lld)", series->count, (long long)expected);
    if (!good)
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "frame-count",
            "check that trace and workload belong together",
            "benchmark.json has %zu frame times, expected %lld", series->count,
            (long long)expected);
}

static void check_mean(struct judge *judge)
{
    double mean;
    bool good = mgc_fields_get_double(&judge->docs.benchmark.fields, "meanFrameMs", &mean);
    if (good && mean > 0) {
        mgc_verdict_add(
            judge->verdict, "meanFrameMs", MGC_CHECK_OK, "benchmark.json", "%.3f", mean);
        return;
    }
    mgc_verdict_add(judge->verdict, "meanFrameMs", MGC_CHECK_ABSENT, "benchmark.json", "%s", "");
    mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "no-frame-times",
        "see mobilegl.client.log", "benchmark.json has no mean frame time");
}

void mgc_judge_measurement(struct judge *judge)
{
    const struct mgc_expect *expect = &judge->cell->expect;
    if (judge->cell->mode == MGC_MODE_SSIM) {
        check_int(
            judge, &judge->docs.result.fields, "width", "result.json", "geometry", expect->width);
        check_int(
            judge, &judge->docs.result.fields, "height", "result.json", "geometry", expect->height);
        return;
    }
    if (!mgc_judge_document(
            judge, "benchmark.json", judge->docs.benchmark_present, &judge->docs.benchmark_error))
        return;
    check_frames(judge);
    check_int(
        judge, &judge->docs.benchmark.fields, "width", "benchmark.json", "geometry", expect->width);
    check_int(judge, &judge->docs.benchmark.fields, "height", "benchmark.json", "geometry",
        expect->height);
    check_finish(judge);
    check_mean(judge);
}
