#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "lab/phone/log_text.h"

static void shows_everything_at_first(void **state)
{
    struct mgl_log_filter filter;
    mgl_log_filter_init(&filter);
    assert_true(mgl_log_filter_shows(&filter, "Any", MGL_LOG_VERBOSE));
}

static void rules_name_tags(void **state)
{
    struct mgl_log_filter filter;
    mgl_log_filter_init(&filter);
    assert_true(mgl_log_filter_add_all(&filter, "MobileGL:I, Quiet:S *:e"));
    assert_true(mgl_log_filter_shows(&filter, "MobileGL", MGL_LOG_INFO));
    assert_false(mgl_log_filter_shows(&filter, "MobileGL", MGL_LOG_DEBUG));
    assert_false(mgl_log_filter_shows(&filter, "MobileGLServer", MGL_LOG_WARN));
    assert_true(mgl_log_filter_shows(&filter, "MobileGLServer", MGL_LOG_ERROR));
    assert_false(mgl_log_filter_shows(&filter, "Quiet", MGL_LOG_FATAL));
    assert_true(mgl_log_filter_add(&filter, "Quiet")); /* the newer rule wins */
    assert_true(mgl_log_filter_shows(&filter, "Quiet", MGL_LOG_VERBOSE));
}

static void a_tag_may_hold_a_colon(void **state)
{
    struct mgl_log_filter filter;
    mgl_log_filter_init(&filter);
    assert_true(mgl_log_filter_add(&filter, "a:b:W"));
    assert_false(mgl_log_filter_shows(&filter, "a:b", MGL_LOG_INFO));
}

static void refuses_bad_filters(void **state)
{
    static const char *const bad[] = {"", ":W", "T:", "T:Q", "T:WW"};
    struct mgl_log_filter filter;
    mgl_log_filter_init(&filter);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(mgl_log_filter_add(&filter, bad[i]));
    for (size_t i = 0; i < MGL_LOG_RULES_MAX; i++)
        assert_true(mgl_log_filter_add(&filter, "T:W"));
    assert_false(mgl_log_filter_add(&filter, "T:W"));
}

/* 2026-01-02 03:04:05.678901 UTC */
static const struct mgl_log_record record = {
    .pid = 12,
    .entry = {.prio = MGL_LOG_WARN,
        .tid = 34,
        .wall_ns = INT64_C(1767323045678901000),
        .tag = "Tag",
        .text = "one\ntwo\n",
        .text_len = 8},
};

static void check_format(const char *names, const char *expected)
{
    struct mgl_log_format format = {0};
    char copy[64], *rest = copy, *name;
    strcpy(copy, names);
    while ((name = strsep(&rest, ",")))
        assert_true(mgl_log_format_set(&format, name));
    struct mgc_buf out = {0};
    assert_true(mgl_log_format_append(&out, &format, &record));
    assert_string_equal(mgc_buf_text(&out), expected);
    mgc_buf_destroy(&out);
}

static void prints_each_layout(void **state)
{
    check_format("threadtime", "01-02 03:04:05.678    12    34 W Tag     : one\n"
                               "01-02 03:04:05.678    12    34 W Tag     : two\n");
    check_format("time", "01-02 03:04:05.678 W/Tag     (   12): one\n"
                         "01-02 03:04:05.678 W/Tag     (   12): two\n");
    check_format("brief", "W/Tag     (   12): one\nW/Tag     (   12): two\n");
    check_format("process", "W(   12) one\nW(   12) two\n");
    check_format("tag", "W/Tag     : one\nW/Tag     : two\n");
    check_format("raw", "one\ntwo\n");
    check_format("long", "[ 01-02 03:04:05.678    12:   34 W/Tag      ]\none\ntwo\n\n");
    check_format("time,epoch,usec",
        "1767323045.678901 W/Tag     (   12): one\n1767323045.678901 W/Tag     (   12): two\n");
    check_format("brief,year,UTC,threadtime",
        "2026-01-02 03:04:05.678    12    34 W Tag     : one\n"
        "2026-01-02 03:04:05.678    12    34 W Tag     : two\n");
}

static void refuses_unknown_formats(void **state)
{
    struct mgl_log_format format = {0};
    assert_false(mgl_log_format_set(&format, "json"));
    assert_false(mgl_log_format_set(&format, ""));
}

static void parses_sizes(void **state)
{
    uint64_t bytes = 7;
    assert_true(mgl_log_size_parse("262144", &bytes));
    assert_int_equal(bytes, 262144);
    assert_true(mgl_log_size_parse("64K", &bytes));
    assert_int_equal(bytes, 65536);
    assert_true(mgl_log_size_parse("2M", &bytes));
    assert_int_equal(bytes, 2 << 20);
    assert_false(mgl_log_size_parse("", &bytes));
    assert_false(mgl_log_size_parse("-1", &bytes));
    assert_false(mgl_log_size_parse("2MB", &bytes));
    assert_false(mgl_log_size_parse("99999999999", &bytes));
    assert_int_equal(bytes, 2 << 20);
}

static void parses_times(void **state)
{
    int64_t ns = 0, now_ns = INT64_C(1767323045) * 1000000000;
    assert_true(mgl_log_time_parse("01-02 03:04:05.678", now_ns, &ns));
    assert_true(ns == INT64_C(1767323045678000000));
    assert_true(mgl_log_time_parse("2026-01-02 03:04:05.678901", now_ns, &ns));
    assert_true(ns == INT64_C(1767323045678901000));
    assert_true(mgl_log_time_parse("1767323045.5", now_ns, &ns));
    assert_true(ns == INT64_C(1767323045500000000));
    assert_false(mgl_log_time_parse("yesterday", now_ns, &ns));
    assert_false(mgl_log_time_parse("01-02 03:04:05.", now_ns, &ns));
    assert_false(mgl_log_time_parse("1767323045.5s", now_ns, &ns));
    assert_false(mgl_log_time_parse("99999999999999999999", now_ns, &ns));
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_everything_at_first),
        cmocka_unit_test(rules_name_tags),
        cmocka_unit_test(a_tag_may_hold_a_colon),
        cmocka_unit_test(refuses_bad_filters),
        cmocka_unit_test(prints_each_layout),
        cmocka_unit_test(refuses_unknown_formats),
        cmocka_unit_test(parses_sizes),
        cmocka_unit_test(parses_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
