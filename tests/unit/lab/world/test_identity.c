#include "lab/world/identity.h"

#include <string.h>

#include "tests/lib/check.h"

static void what_is_printed_is_read_back(void **state)
{
    const struct mgc_lab_identity written = {
        .pid = 4711, .start_ticks = 123456789012, .roster = {.phones = 1, .pairs = 1}};
    struct mgc_lab_identity read = {0};
    char text[128];
    mgc_lab_identity_print(&written, text, sizeof text);
    assert_string_equal(text, "{\"pid\": 4711, \"start_ticks\": 123456789012}\n");
    assert_true(mgc_lab_identity_parse(text, strlen(text), &read, NULL));
    assert_int_equal(read.pid, 4711);
    assert_true(read.start_ticks == 123456789012);
    assert_false(read.roster.loopback);
    assert_int_equal(read.roster.phones, 1);
    assert_int_equal(read.roster.pairs, 1);
    const struct mgc_lab_identity plain = {
        .pid = 4711, .start_ticks = 1, .roster = {.phones = 8, .pairs = 2, .loopback = true}};
    mgc_lab_identity_print(&plain, text, sizeof text);
    assert_true(mgc_lab_identity_parse(text, strlen(text), &read, NULL));
    assert_true(read.roster.loopback);
    assert_int_equal(read.roster.phones, 8);
    assert_int_equal(read.roster.pairs, 2);
}

static void anything_else_is_refused(void **state)
{
    static const char *const bad[] = {"", "{}", "{\"pid\": 4711}", "[1, 2]",
        "{\"pid\": 0, \"start_ticks\": 1}", "{\"pid\": -1, \"start_ticks\": 1}",
        "{\"pid\": 99999999999, \"start_ticks\": 1}", "{\"pid\": \"1\", \"start_ticks\": 1}",
        "{\"pid\": 1, \"start_ticks\": 1",
        "{\"pid\": 1, \"start_ticks\": 1, \"phones\": 2, \"pairs\": 3}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mgc_lab_identity identity = {.pid = 5};
        struct mgc_error err = {0};
        assert_false(mgc_lab_identity_parse(bad[i], strlen(bad[i]), &identity, &err));
        assert_int_not_equal(err.code, MGC_OK);
        assert_int_equal(identity.pid, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
