#include "lab/world/status.h"

#include <string.h>

#include "tests/lib/check.h"

static const struct mgc_lab_status two = {
    .rows = {{"mgphone", MGC_LAB_PHONE, 20, 0}, {"mgworker-wsl", MGC_LAB_WSL, 0, 3}}, .count = 2};

static void lines_are_read_back(void **state)
{
    struct mgc_buf out = {0};
    struct mgc_lab_status read;
    for (size_t i = 0; i < two.count; i++)
        assert_true(mgc_lab_status_line(&two.rows[i], two.rows[i].name, &out));
    assert_string_equal(mgc_buf_text(&out), "mgphone phone 20 0\nmgworker-wsl wsl 0 3\n");
    assert_true(mgc_lab_status_parse(mgc_buf_text(&out), &read, NULL));
    assert_int_equal(read.count, 2);
    assert_string_equal(read.rows[1].name, "mgworker-wsl");
    assert_int_equal(read.rows[1].host, MGC_LAB_WSL);
    assert_int_equal(read.rows[1].pid, 0);
    assert_int_equal(read.rows[1].restarts, 3);
    mgc_buf_destroy(&out);
}

static void bad_lines_are_named(void **state)
{
    static const char *const bad[] = {"x\n", "a phone 1\n", "a moon 1 0\n", "a phone -1 0\n",
        "a phone 1 0 extra\n", "\n", "a phone one 0\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mgc_lab_status status = {.count = 9};
        struct mgc_error err = {0};
        assert_false(mgc_lab_status_parse(bad[i], &status, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        assert_int_equal(status.count, 9);
    }
}

static void too_many_lines_are_refused(void **state)
{
    struct mgc_buf text = {0};
    struct mgc_lab_status status;
    for (int i = 0; i <= MGC_LAB_STATUS_MAX; i++)
        mgc_buf_puts(&text, "a phone 1 0\n");
    assert_false(mgc_lab_status_parse(mgc_buf_text(&text), &status, NULL));
    mgc_buf_destroy(&text);
}

static void a_member_that_is_not_there_has_no_pid(void **state)
{
    struct mgc_buf json = {0}, table = {0};
    assert_true(mgc_lab_status_json(99, &two, &json));
    assert_string_equal(mgc_buf_text(&json),
        "{\"pid\": 99, \"members\": ["
        "{\"name\": \"mgphone\", \"host\": \"phone\", \"pid\": 20, \"restarts\": 0}, "
        "{\"name\": \"mgworker-wsl\", \"host\": \"wsl\", \"pid\": null, \"restarts\": 3}]}\n");
    assert_true(mgc_lab_status_table(&two, &table));
    assert_non_null(strstr(mgc_buf_text(&table), "mgworker-wsl     wsl             - 3\n"));
    mgc_buf_destroy(&json);
    mgc_buf_destroy(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_back),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(too_many_lines_are_refused),
        cmocka_unit_test(a_member_that_is_not_there_has_no_pid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
