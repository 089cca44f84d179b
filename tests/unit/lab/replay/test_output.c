/* Result documents: written here, read back by the product's own parsers. */
#include "tests/lib/check.h"

#include <string.h>

#include "common/contract/benchmark.h"
#include "common/contract/result.h"
#include "lab/replay/output.h"

static const struct mgr_options options = {
    .trace = "/t/\"a\"\\b\n",
    .output = "/o",
    .target_call = -1,
    .target_frame = -1,
    .backend = "DirectGLES",
    .ssim_threshold = 0.99,
    .benchmark = true,
    .benchmark_tail_frames = 200,
};

static struct mgr_bench three_frames(void)
{
    struct mgr_bench bench = {.total_s = 1.5};
    for (int i = 1; i <= 3; i++)
        assert_true(mgr_bench_add(&bench, i * 1000000, i * 250000));
    return bench;
}

static struct mgr_outcome outcome_of(const struct mgr_bench *bench, const struct mgr_options *from)
{
    return (struct mgr_outcome){.options = from,
        .bench = bench,
        .passed = true,
        .message = "fine",
        .matched_golden = "",
        .actual = "",
        .benchmark_path = "/o/benchmark.json",
        .ssim = -1,
        .mismatch_pixels = -1};
}

static void test_benchmark_result(void **state)
{
    struct mgr_bench bench = three_frames();
    struct mgr_outcome outcome = outcome_of(&bench, &options);
    struct mgc_buf text = {0};
    struct mgc_result_doc doc;
    struct mgc_error err = {0};
    mgr_output_result_text(&outcome, &text);
    assert_true(mgc_result_parse(text.data, text.len, &doc, &err));
    assert_int_equal(doc.unknown_keys, 0);
    /* All 42 scalar keys of the contract but the four written as -1. */
    assert_int_equal(doc.fields.count, 42 - 4);
    bool flag;
    int64_t number;
    double real;
    assert_true(mgc_fields_get_bool(&doc.fields, "benchmarkFinish", &flag));
    assert_false(flag);
    assert_string_equal(mgc_fields_get_str(&doc.fields, "tracePath"), options.trace);
    assert_true(mgc_fields_get_int(&doc.fields, "benchmarkFrames", &number));
    assert_int_equal(number, 3);
    assert_true(mgc_fields_get_double(&doc.fields, "benchmarkFps", &real));
    assert_true(real == 500.0);
    assert_null(mgc_fields_get(&doc.fields, "ssim"));
    mgc_result_destroy(&doc);
    mgc_buf_destroy(&text);
    mgr_bench_destroy(&bench);
}

static void test_ssim_result_has_no_benchmark_keys(void **state)
{
    struct mgr_bench bench = {0};
    struct mgr_options ssim = options;
    ssim.benchmark = false;
    ssim.target_call = 31249;
    struct mgr_outcome outcome = outcome_of(&bench, &ssim);
    outcome.passed = false;
    outcome.status = 6;
    outcome.ssim = 0.25;
    struct mgc_buf text = {0};
    struct mgc_result_doc doc;
    struct mgc_error err = {0};
    mgr_output_result_text(&outcome, &text);
    assert_true(mgc_result_parse(text.data, text.len, &doc, &err));
    double real;
    int64_t status;
    assert_true(mgc_fields_get_double(&doc.fields, "ssim", &real));
    assert_true(real == 0.25);
    assert_true(mgc_result_status(&doc, &status));
    assert_int_equal(status, MGC_RESULT_COMPARE_FAILED);
    assert_null(mgc_fields_get(&doc.fields, "benchmark"));
    assert_non_null(strstr(text.data, "\"ssim\": 0.250000000"));
    mgc_result_destroy(&doc);
    mgc_buf_destroy(&text);
}

static void test_benchmark_document(void **state)
{
    struct mgr_bench bench = three_frames(), none = {0};
    struct mgc_buf text = {0};
    struct mgc_benchmark_doc doc;
    struct mgc_error err = {0};
    mgr_output_benchmark_text(&options, &bench, &text);
    assert_true(mgc_benchmark_parse(text.data, text.len, &doc, &err));
    assert_int_equal(doc.unknown_keys, 0);
    assert_int_equal(doc.fields.count, 15);
    assert_int_equal(doc.frame_times_ms.count, 3);
    assert_int_equal(doc.frame_cpu_times_ms.count, 3);
    assert_true(doc.frame_cpu_times_ms.values[2] == 0.75);
    mgc_benchmark_destroy(&doc);

    mgc_buf_clear(&text);
    mgr_output_benchmark_text(&options, &none, &text);
    assert_true(mgc_benchmark_parse(text.data, text.len, &doc, &err));
    assert_null(mgc_fields_get(&doc.fields, "meanFrameMs"));
    assert_null(mgc_fields_get(&doc.fields, "fps"));
    assert_true(doc.frame_times_ms.present);
    mgc_benchmark_destroy(&doc);
    mgc_buf_destroy(&text);
    mgr_bench_destroy(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_benchmark_result),
        cmocka_unit_test(test_ssim_result_has_no_benchmark_keys),
        cmocka_unit_test(test_benchmark_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
