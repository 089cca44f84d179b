/* Was it the measurement that the plan asked for? */
#include "coordinator/verify/judge.h"

static void check_int(struct judge *judge, const struct mgc_fields *fields, const char *key,
    const char *source, enum mgc_reason reason, int64_t expected)
{
    int64_t value;
    if (!mgc_fields_get_int(fields, key, &value)) {
        mgc_verdict_add(judge->verdict, key, MGC_CHECK_ABSENT, source, "%s", "");
        mgc_reason_set(judge->verdict, reason, "%s does not say %s, %lld was expected", source, key,
            (long long)expected);
        return;
    }
    mgc_verdict_add(judge->verdict, key, value == expected ? MGC_CHECK_OK : MGC_CHECK_BAD, source,
        "%lld (expected %lld)", (long long)value, (long long)expected);
    if (value != expected)
        mgc_reason_set(judge->verdict, reason, "%s says %s=%lld, expected %lld", source, key,
            (long long)value, (long long)expected);
}

static void check_size(struct judge *judge, const struct mgc_fields *fields, const char *source)
{
    const struct mgc_expect *expect = &judge->cell->expect;
    if (judge->old_layout && !expect->width) {
        mgc_verdict_add(judge->verdict, "geometry", MGC_CHECK_ABSENT, source, "%s", "");
        return;
    }
    check_int(judge, fields, "width", source, MGC_REASON_GEOMETRY, expect->width);
    check_int(judge, fields, "height", source, MGC_REASON_GEOMETRY, expect->height);
}

static void check_finish(struct judge *judge)
{
    bool finish, expected = judge->cell->expect.benchmark_finish;
    const char *source = "benchmark.json", *key = "benchmarkFinish";
    if (!mgc_fields_get_bool(&judge->docs.benchmark.fields, key, &finish)) {
        mgc_verdict_add(judge->verdict, key, MGC_CHECK_ABSENT, source, "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_BENCHMARK_FINISH,
            "benchmark.json does not say benchmarkFinish");
        return;
    }
    if (judge->old_layout) {
        mgc_verdict_add(judge->verdict, key, MGC_CHECK_OK, source, "%s", finish ? "true" : "false");
        return;
    }
    mgc_verdict_add(judge->verdict, key, finish == expected ? MGC_CHECK_OK : MGC_CHECK_BAD, source,
        "%s (expected %s)", finish ? "true" : "false", expected ? "true" : "false");
    if (finish != expected)
        mgc_reason_set(judge->verdict, MGC_REASON_BENCHMARK_FINISH,
            "benchmark.json says benchmarkFinish=%s, the plan asked for %s",
            finish ? "true" : "false", expected ? "true" : "false");
}

static void check_frames(struct judge *judge)
{
    const struct mgc_frame_series *series = &judge->docs.benchmark.frame_times_ms;
    int64_t expected = judge->cell->expect.frames;
    if (judge->old_layout && !expected)
        return;
    check_int(judge, &judge->docs.benchmark.fields, "totalFrames", "benchmark.json",
        MGC_REASON_FRAME_COUNT, expected);
    if (!series->present) {
        mgc_verdict_add(
            judge->verdict, "frameTimesMs", MGC_CHECK_ABSENT, "benchmark.json", "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_FRAME_COUNT,
            "benchmark.json has no frameTimesMs, expected %lld", (long long)expected);
        return;
    }
    bool good = (int64_t)series->count == expected;
    mgc_verdict_add(judge->verdict, "frameTimesMs", good ? MGC_CHECK_OK : MGC_CHECK_BAD,
        "benchmark.json", "%zu value%s (expected %lld)", series->count, plural(series->count),
        (long long)expected);
    if (!good)
        mgc_reason_set(judge->verdict, MGC_REASON_FRAME_COUNT,
            "benchmark.json has %zu frame times, expected %lld", series->count,
            (long long)expected);
}

static void check_mean(struct judge *judge)
{
    double mean = 0;
    bool known = mgc_fields_get_double(&judge->docs.benchmark.fields, "meanFrameMs", &mean);
    enum mgc_check_outcome outcome = !known     ? MGC_CHECK_ABSENT
                                     : mean > 0 ? MGC_CHECK_OK
                                                : MGC_CHECK_BAD;
    if (known)
        mgc_verdict_add(judge->verdict, "meanFrameMs", outcome, "benchmark.json", "%.3f", mean);
    else
        mgc_verdict_add(judge->verdict, "meanFrameMs", outcome, "benchmark.json", "%s", "");
    if (outcome != MGC_CHECK_OK)
        mgc_reason_set(judge->verdict, MGC_REASON_NO_FRAME_TIMES,
            "benchmark.json has no mean frame time above 0");
}

void mgc_judge_measurement(struct judge *judge)
{
    const struct mgc_documents *docs = &judge->docs;
    if (judge->cell->mode == MGC_MODE_SSIM) {
        if (docs->result_present && docs->result_error.code == MGC_OK)
            check_size(judge, &docs->result.fields, "result.json");
        return;
    }
    if (!mgc_judge_document(judge, "benchmark.json", docs->benchmark_present,
            &docs->benchmark_error, MGC_REASON_BENCHMARK_MISSING, MGC_REASON_BENCHMARK_DAMAGED))
        return;
    check_frames(judge);
    check_size(judge, &docs->benchmark.fields, "benchmark.json");
    check_finish(judge);
    check_mean(judge);
    mgc_judge_statistics(judge);
}
