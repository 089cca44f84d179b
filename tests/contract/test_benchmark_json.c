/* benchmark.json of contract section 4.2; invented numbers. */
#include "tests/lib/check.h"

#include <string.h>

#include "common/contract/benchmark.h"

static bool parse(const char *text, struct mgc_benchmark_doc *doc, struct mgc_error *err)
{
    mgc_error_clear(err);
    return mgc_benchmark_parse(text, strlen(text), doc, err);
}

static void test_whole_document(void **state)
{
    static const char text[] =
        "{\"tracePath\": \"/t/rd12.trace\", \"backend\": \"DirectGLES\", \"benchmarkFinish\": true,"
        "\"width\": 0, \"height\": 0, \"totalFrames\": 3, \"tailFrames\": 3,"
        "\"totalSeconds\": 1.234567, \"meanFrameMs\": 43.300, \"medianFrameMs\": 41.000,"
        "\"p95FrameMs\": 60.125, \"fps\": 23.095, \"meanFrameCpuMs\": -1.000,"
        "\"medianFrameCpuMs\": -1.000, \"p95FrameCpuMs\": -1.000,"
        "\"frameTimesMs\": [1100.000, 41.000, 43], \"frameCpuTimesMs\": []}";
    struct mgc_benchmark_doc doc;
    struct mgc_error err;
    assert_true(parse(text, &doc, &err));
    int64_t number;
    double real;
    bool finish;
    assert_true(mgc_fields_get_int(&doc.fields, "totalFrames", &number));
    assert_int_equal(number, 3);
    assert_true(mgc_fields_get_int(&doc.fields, "width", &number));
    assert_int_equal(number, 0);
    assert_true(mgc_fields_get_double(&doc.fields, "totalSeconds", &real));
    assert_true(real > 1.2345 && real < 1.2346);
    assert_true(mgc_fields_get_bool(&doc.fields, "benchmarkFinish", &finish));
    assert_true(finish);
    assert_null(mgc_fields_get(&doc.fields, "meanFrameCpuMs"));
    assert_true(doc.frame_times_ms.present);
    assert_int_equal(doc.frame_times_ms.count, 3);
    assert_true(doc.frame_times_ms.values[0] == 1100.0 && doc.frame_times_ms.values[2] == 43.0);
    assert_true(doc.frame_cpu_times_ms.present);
    assert_int_equal(doc.frame_cpu_times_ms.count, 0);
    mgc_benchmark_destroy(&doc);
}

static void test_missing_series_are_absent(void **state)
{
    struct mgc_benchmark_doc doc;
    struct mgc_error err;
    assert_true(parse("{\"fps\": -1, \"frameTimesMs\": null, \"other\": 1}", &doc, &err));
    assert_false(doc.frame_times_ms.present);
    assert_null(mgc_fields_get(&doc.fields, "fps"));
    assert_int_equal(doc.unknown_keys, 1);
    mgc_benchmark_destroy(&doc);
    mgc_benchmark_destroy(NULL);
}

static void test_bad_documents(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{\"frameTimesMs\": [1, -1]}", "frameTimesMs[1]"},
        {"{\"frameTimesMs\": [\"1\"]}", "frameTimesMs[0]"},
        {"{\"frameTimesMs\": {}}", "frameTimesMs"},
        {"{\"frameTimesMs\": [1,2], \"frameCpuTimesMs\": [1]}", "has 1 values"},
        {"{\"totalFrames\": \"3\"}", "totalFrames"},
        {"{\"frameTimesMs\": [1, 2", "half-written"},
        {"{\"frameTimesMs\": [1e999]}", "benchmark.json"},
        {"3", "benchmark.json"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_benchmark_doc doc;
        struct mgc_error err;
        assert_false(parse(cases[i].text, &doc, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        assert_non_null(strstr(err.text, cases[i].words));
        assert_null(doc.frame_times_ms.values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_document),
        cmocka_unit_test(test_missing_series_are_absent),
        cmocka_unit_test(test_bad_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
