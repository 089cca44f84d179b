#include "tests/lib/check.h"
#include "tests/lib/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json.h"
#include "common/plat/file.h"

static enum mgc_code refusal(const char *text, size_t max, struct mgc_error *err)
{
    mgc_error_clear(err);
    json_t *doc = mgc_json_parse(text, strlen(text), max, err);
    assert_null(doc);
    return err->code;
}

static void test_error_names_line_and_column(void **state)
{
    struct mgc_error err;
    assert_int_equal(refusal("{\"a\": 1,\n \"b\": x}", 100, &err), MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "line 2"));
    assert_non_null(strstr(err.text, "column"));
}

static void test_truncated_text_is_told_apart(void **state)
{
    struct mgc_error err;
    assert_int_equal(refusal("{\"a\": 1", 100, &err), MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "half-written"));
    assert_int_equal(refusal("", 100, &err), MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "half-written"));
}

static void test_cap_duplicates_and_trailing_text(void **state)
{
    struct mgc_error err;
    assert_int_equal(refusal("[1,2,3]", 3, &err), MGC_E_NO_MEMORY);
    assert_int_equal(refusal("{\"a\":1,\"a\":2}", 100, &err), MGC_E_PROTOCOL);
    assert_int_equal(refusal("[1] x", 100, &err), MGC_E_PROTOCOL);
}

static void test_deep_nesting_is_refused(void **state)
{
    char text[10000];
    memset(text, '[', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    struct mgc_error err;
    assert_int_equal(refusal(text, sizeof(text), &err), MGC_E_PROTOCOL);
}

static void test_written_document_reads_back(void **state)
{
    char path[512];
    temp_name(path, sizeof(path), "json");
    json_t *doc = json_pack("{s:i, s:s}", "b", 1, "a", "x");
    struct mgc_error err = {0};
    assert_true(mgc_json_write_file(path, doc, &err));
    struct mgc_buf text = {0};
    assert_true(mgc_file_read(path, 1000, &text, &err));
    assert_string_equal(mgc_buf_text(&text), "{\n  \"b\": 1,\n  \"a\": \"x\"\n}\n");
    mgc_buf_destroy(&text);
    json_decref(doc);
    assert_true(mgc_file_remove(path, &err));
}

static void test_foreign_text_becomes_a_string(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82"},
        {"cut \xe2\x82", "cut ??"},
        {"\xff\xfe|\xc3", "??|?"},
        {"\xc3(\xa4", "?(?"},
        {"\xc0\x80", "??"},           /* overlong */
        {"\xed\xa0\x80 x", "??? x"},  /* a surrogate */
        {"\xf5\x80\x80\x80", "????"}, /* past U+10FFFF */
        {"\xc3\xa4\xff\xc3\xa4", "\xc3\xa4?\xc3\xa4"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *string = mgc_json_text(cases[i].text);
        assert_string_equal(json_string_value(string), cases[i].expected);
        json_decref(string);
    }
    assert_true(json_is_null(mgc_json_text(NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_names_line_and_column),
        cmocka_unit_test(test_truncated_text_is_told_apart),
        cmocka_unit_test(test_cap_duplicates_and_trailing_text),
        cmocka_unit_test(test_deep_nesting_is_refused),
        cmocka_unit_test(test_written_document_reads_back),
        cmocka_unit_test(test_foreign_text_becomes_a_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
