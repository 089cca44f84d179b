#include "common/base/parse.h"

#include "tests/lib/check.h"

static void test_int(void **state)
{
    static const struct {
        const char *text;
        int64_t min, max;
        bool ok;
        int64_t want;
    } rows[] = {
        {"0", -10, 10, true, 0},
        {"10", -10, 10, true, 10},
        {"-10", -10, 10, true, -10},
        {"+7", -10, 10, true, 7},
        {"007", -10, 10, true, 7},
        {"9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX},
        {"-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN},
        {"11", -10, 10, false, 0},
        {"-11", -10, 10, false, 0},
        {"9223372036854775808", INT64_MIN, INT64_MAX, false, 0},
        {"", -10, 10, false, 0},
        {"-", -10, 10, false, 0},
        {"+-1", -10, 10, false, 0},
        {" 1", -10, 10, false, 0},
        {"1 ", -10, 10, false, 0},
        {"1x", -10, 10, false, 0},
        {"0x1", -10, 10, false, 0},
        {"1.0", -10, 10, false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t got = 4242;
        if (mgc_parse_int(rows[i].text, rows[i].min, rows[i].max, &got) != rows[i].ok)
            fail_msg("'%s'", rows[i].text);
        assert_true(got == (rows[i].ok ? rows[i].want : 4242));
    }
}

static void test_hex64(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t want;
    } rows[] = {
        {"0", true, 0},
        {"1a2B", true, 0x1a2b},
        {"ffffffffffffffff", true, UINT64_MAX},
        {"0ffffffffffffffff", false, 0},
        {"", false, 0},
        {"0x1", false, 0},
        {"-1", false, 0},
        {" 1", false, 0},
        {"g", false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t got = 4242;
        if (mgc_parse_hex64(rows[i].text, &got) != rows[i].ok)
            fail_msg("'%s'", rows[i].text);
        assert_true(got == (rows[i].ok ? rows[i].want : 4242));
    }
}

static void test_double(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        double want;
    } rows[] = {
        {"1.5", true, 1.5},
        {"-0.25", true, -0.25},
        {"3", true, 3},
        {".5", true, 0.5},
        {"1e3", true, 1000},
        {"", false, 0},
        {".", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1,5", false, 0},
        {"1.5x", false, 0},
        {"inf", false, 0},
        {"nan", false, 0},
        {"1e999", false, 0},
        {"0x10", false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double got = 4242;
        if (mgc_parse_double(rows[i].text, &got) != rows[i].ok)
            fail_msg("'%s'", rows[i].text);
        assert_true(got == (rows[i].ok ? rows[i].want : 4242));
    }
}

static void test_bool(void **state)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    static const char *const neither[] = {"", "True", "2", "y", "true ", "onn"};
    for (size_t i = 0; i < 4; i++) {
        bool got = false;
        assert_true(mgc_parse_bool(yes[i], &got) && got);
        assert_true(mgc_parse_bool(no[i], &got) && !got);
    }
    bool got = true;
    for (size_t i = 0; i < sizeof(neither) / sizeof(neither[0]); i++)
        assert_false(mgc_parse_bool(neither[i], &got));
    assert_true(got);
}

static void test_duration(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t want_ms;
    } rows[] = {
        {"250ms", true, 250},
        {"2s", true, 2000},
        {"2", true, 2000},
        {"1.5s", true, 1500},
        {"0.0004s", true, 0},
        {"5m", true, 300000},
        {"1h", true, 3600000},
        {"0", true, 0},
        {"", false, 0},
        {"s", false, 0},
        {"-1s", false, 0},
        {"1 s", false, 0},
        {"1sec", false, 0},
        {"1d", false, 0},
        {"1.2.3s", false, 0},
        {"1e3s", false, 0},
        {"99999999999999999999h", false, 0},
        {"111111111111111111111111111111111111111111", false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t got = 4242;
        if (mgc_parse_duration_ms(rows[i].text, &got) != rows[i].ok)
            fail_msg("'%s'", rows[i].text);
        assert_true(got == (rows[i].ok ? rows[i].want_ms : 4242));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int),
        cmocka_unit_test(test_hex64),
        cmocka_unit_test(test_double),
        cmocka_unit_test(test_bool),
        cmocka_unit_test(test_duration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
