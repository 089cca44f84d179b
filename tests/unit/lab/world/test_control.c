#include "lab/world/control.h"

#include <string.h>

#include "tests/lib/check.h"

static void words_are_split_at_spaces(void **state)
{
    char line[] = "fault set client-hang 3", empty[] = "", spaces[] = "  status  ";
    char *words[MGC_LAB_CONTROL_WORDS + 1];
    size_t count = 9;
    assert_true(mgc_lab_control_split(line, words, MGC_LAB_CONTROL_WORDS, &count));
    assert_int_equal(count, 4);
    assert_string_equal(words[2], "client-hang");
    assert_null(words[4]);
    assert_true(mgc_lab_control_split(empty, words, MGC_LAB_CONTROL_WORDS, &count));
    assert_int_equal(count, 0);
    assert_true(mgc_lab_control_split(spaces, words, MGC_LAB_CONTROL_WORDS, &count));
    assert_int_equal(count, 1);
    assert_string_equal(words[0], "status");
}

static void too_many_words_are_refused(void **state)
{
    char line[] = "a b c d e f";
    char *words[MGC_LAB_CONTROL_WORDS + 1];
    size_t count = 9;
    assert_false(mgc_lab_control_split(line, words, MGC_LAB_CONTROL_WORDS, &count));
    assert_int_equal(count, 9);
}

static void nobody_to_ask_is_an_error_that_names_the_socket(void **state)
{
    struct mgc_error err = {0};
    struct mgc_buf out = {0};
    char path[200];
    assert_false(mgc_lab_control_ask("/nonexistent/control", "status\n", &out, &err));
    assert_non_null(strstr(err.text, "/nonexistent/control"));
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_false(mgc_lab_control_ask(path, "status\n", &out, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_at_spaces),
        cmocka_unit_test(too_many_words_are_refused),
        cmocka_unit_test(nobody_to_ask_is_an_error_that_names_the_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
