/* result.json of contract section 4.1. The documents are invented; the keys are the contract's. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

#include "common/contract/result.h"

static const char bench[] =
    "{\n  \"passed\": true,\n  \"statusCode\": 0,\n  \"message\": \"ok \\\"quoted\\\"\","
    "  \"tracePath\": \"/t/openra.trace\",\n  \"alternateGoldenPaths\": [\"/g/a.png\", "
    "\"/g/b.png\"],\n"
    "  \"targetFrame\": -1, \"targetCall\": 4660351, \"width\": 640, \"height\": 480,\n"
    "  \"mismatchPixels\": -1, \"ssim\": -1.000000000, \"ssimThreshold\": 0.990000000,\n"
    "  \"useAngle\": false, \"benchmark\": true, \"benchmarkFinish\": false,\n"
    "  \"benchmarkFrames\": 128, \"benchmarkMeanFrameMs\": 7.610,\n"
    "  \"benchmarkMeanFrameCpuMs\": -1.000, \"newKey\": {\"x\": [1]}\n}\n";

static bool parse(const char *text, struct mgc_result_doc *doc, struct mgc_error *err)
{
    mgc_error_clear(err);
    return mgc_result_parse(text, strlen(text), doc, err);
}

static void test_keys_and_absence(void **state)
{
    struct mgc_result_doc doc;
    struct mgc_error err;
    assert_true(parse(bench, &doc, &err));

    bool passed;
    int64_t number;
    double real;
    assert_true(mgc_result_passed(&doc, &passed));
    assert_true(passed);
    assert_true(mgc_result_status(&doc, &number));
    assert_int_equal(number, MGC_RESULT_OK);
    assert_true(mgc_fields_get_int(&doc.fields, "targetCall", &number));
    assert_int_equal(number, 4660351);
    assert_string_equal(mgc_fields_get_str(&doc.fields, "message"), "ok \"quoted\"");
    assert_true(mgc_fields_get_double(&doc.fields, "benchmarkMeanFrameMs", &real));
    assert_true(real > 7.609 && real < 7.611);
    assert_true(mgc_fields_get_bool(&doc.fields, "benchmarkFinish", &passed));
    assert_false(passed);

    assert_null(mgc_fields_get(&doc.fields, "ssim"));
    assert_null(mgc_fields_get(&doc.fields, "targetFrame"));
    assert_null(mgc_fields_get(&doc.fields, "mismatchPixels"));
    assert_null(mgc_fields_get(&doc.fields, "benchmarkMeanFrameCpuMs"));
    assert_null(mgc_fields_get(&doc.fields, "backend"));

    assert_int_equal(doc.alternate_golden_count, 2);
    assert_string_equal(doc.alternate_goldens[1], "/g/b.png");
    assert_int_equal(doc.unknown_keys, 1);
    mgc_result_destroy(&doc);
    mgc_result_destroy(&doc);
}

static void test_every_truncation_says_so(void **state)
{
    struct mgc_result_doc doc;
    struct mgc_error err;
    /* The text without its closing brace and newline ends before the document does. */
    for (size_t len = 0; len < strlen(bench) - 2; len++) {
        mgc_error_clear(&err);
        assert_false(mgc_result_parse(bench, len, &doc, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        assert_non_null(strstr(err.text, "result.json"));
        assert_null(doc.fields.items);
    }
    assert_false(mgc_result_parse(bench, strlen(bench) / 2, &doc, &err));
    assert_non_null(strstr(err.text, "half-written"));
}

static void test_wrong_types_are_named(void **state)
{
    static const struct {
        const char *text, *key;
    } cases[] = {
        {"{\"passed\": 1}", "\"passed\""},
        {"{\"statusCode\": \"0\"}", "\"statusCode\""},
        {"{\"statusCode\": 1.5}", "\"statusCode\""},
        {"{\"ssim\": \"1.0\"}", "\"ssim\""},
        {"{\"message\": [1]}", "\"message\""},
        {"{\"alternateGoldenPaths\": \"x\"}", "alternateGoldenPaths"},
        {"{\"alternateGoldenPaths\": [\"a\", 1]}", "alternateGoldenPaths[1]"},
        {"[true]", "not a JSON object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_result_doc doc;
        struct mgc_error err;
        assert_false(parse(cases[i].text, &doc, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        assert_non_null(strstr(err.text, cases[i].key));
    }
}

static void test_null_is_absent_and_status_names(void **state)
{
    struct mgc_result_doc doc;
    struct mgc_error err;
    bool passed = true;
    assert_true(parse("{\"passed\": null}", &doc, &err));
    assert_false(mgc_result_passed(&doc, &passed));
    assert_true(passed);
    mgc_result_destroy(&doc);
    assert_string_equal(mgc_result_status_name(6), "COMPARE_FAILED");
    assert_null(mgc_result_status_name(7));
    assert_null(mgc_result_status_name(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_and_absence),
        cmocka_unit_test(test_every_truncation_says_so),
        cmocka_unit_test(test_wrong_types_are_named),
        cmocka_unit_test(test_null_is_absent_and_status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
