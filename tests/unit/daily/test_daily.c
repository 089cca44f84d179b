/* A time of the day, and the texts that systemd and Windows get. */
#include "coordinator/daily/daily.h"

#include <string.h>

#include "tests/lib/check.h"

static void a_time_has_two_or_three_numbers(void **state)
{
    struct mgc_day_time time;
    struct mgc_error err;
    (void)state;
    assert_true(mgc_day_time_parse("02:00", &time, NULL));
    assert_int_equal(time.hour, 2);
    assert_int_equal(time.second, 0);
    assert_true(mgc_day_time_parse("23:59:58", &time, NULL));
    assert_int_equal(time.minute, 59);
    assert_int_equal(time.second, 58);
    static const char *const bad[] = {"", "2:00", "02.00", "24:00", "02:60", "02:00:60",
        "02:00:", "0200", "+2:00", " 2:00", "02:00 ", "::", "02:0:00", "02:00:00:00"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(mgc_day_time_parse(bad[i], &time, &err));
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_non_null(strstr(err.text, "expected one such as 02:00"));
    }
    assert_int_equal(time.second, 58); /* untouched */
}

static const char *quoted(
    bool (*quote)(const char *, struct mgc_buf *), const char *text, struct mgc_buf *out)
{
    mgc_buf_clear(out);
    assert_true(quote(text, out));
    return mgc_buf_text(out);
}

static void a_unit_keeps_what_it_would_expand(void **state)
{
    struct mgc_buf out = {0};
    (void)state;
    assert_string_equal(quoted(mgc_daily_quote_unit, "/a b/100%", &out), "\"/a b/100%%\"");
    assert_string_equal(quoted(mgc_daily_quote_unit, "$HOME", &out), "\"$$HOME\"");
    assert_string_equal(quoted(mgc_daily_quote_unit, "a\"b\\", &out), "\"a\\\"b\\\\\"");
    assert_string_equal(quoted(mgc_daily_quote_unit, "", &out), "\"\"");
    mgc_buf_destroy(&out);
}

/* The examples of Microsoft's page on CommandLineToArgvW, read backwards. */
static void windows_counts_backslashes_before_quotes(void **state)
{
    struct mgc_buf out = {0};
    (void)state;
    assert_string_equal(quoted(mgc_daily_quote_windows, "plain\\path", &out), "plain\\path");
    assert_string_equal(quoted(mgc_daily_quote_windows, "", &out), "\"\"");
    assert_string_equal(quoted(mgc_daily_quote_windows, "a b\\c", &out), "\"a b\\c\"");
    assert_string_equal(quoted(mgc_daily_quote_windows, "a b\\", &out), "\"a b\\\\\"");
    assert_string_equal(quoted(mgc_daily_quote_windows, "a\"b", &out), "\"a\\\"b\"");
    assert_string_equal(quoted(mgc_daily_quote_windows, "a\\\"b", &out), "\"a\\\\\\\"b\"");
    mgc_buf_destroy(&out);
}

static const char *const argv[] = {"/usr/bin/mgcoord", "run", "/home/me/my plans/night & day.yaml",
    "--site", "/home/me/site.yaml", "--quiet", NULL};

static const struct mgc_daily nightly = {
    .plan = "nightly", .at = {2, 5, 0}, .argv = argv, .dir = "/home/me/50%", .user = "me"};

static void service_runs_the_command_as_the_user(void **state)
{
    struct mgc_buf out = {0};
    (void)state;
    assert_true(mgc_daily_service(&nightly, &out));
    const char *text = mgc_buf_text(&out);
    assert_non_null(strstr(text, "\nType=oneshot\nUser=me\nWorkingDirectory=/home/me/50%%\n"
                                 "ExecStart=\"/usr/bin/mgcoord\" \"run\" "
                                 "\"/home/me/my plans/night & day.yaml\" \"--site\" "
                                 "\"/home/me/site.yaml\" \"--quiet\"\n"));
    assert_non_null(strstr(text, "\nKillSignal=SIGINT\n"));
    struct mgc_daily own = nightly;
    own.user = NULL;
    mgc_buf_clear(&out);
    assert_true(mgc_daily_service(&own, &out));
    assert_null(strstr(mgc_buf_text(&out), "User="));
    mgc_buf_destroy(&out);
}

static void timer_comes_every_day_and_makes_up_for_a_missed_one(void **state)
{
    struct mgc_buf out = {0};
    (void)state;
    assert_true(mgc_daily_timer(&nightly, &out));
    assert_non_null(strstr(mgc_buf_text(&out), "\nOnCalendar=*-*-* 02:05:00\n"));
    assert_non_null(strstr(mgc_buf_text(&out), "\nPersistent=true\n"));
    mgc_buf_destroy(&out);
}

static void task_starts_the_command_in_the_distribution(void **state)
{
    struct mgc_buf out = {0};
    (void)state;
    assert_true(mgc_daily_task(&nightly, "Ubuntu <22>", &out));
    const char *text = mgc_buf_text(&out);
    assert_non_null(strstr(text, "T02:05:00</StartBoundary>"));
    assert_non_null(strstr(text, "<StartWhenAvailable>true</StartWhenAvailable>"));
    assert_non_null(strstr(text, "<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>"));
    assert_non_null(strstr(text,
        "<Arguments>--distribution \"Ubuntu &lt;22&gt;\" --user me --cd /home/me/50% --exec "
        "/usr/bin/mgcoord run \"/home/me/my plans/night &amp; day.yaml\" --site "
        "/home/me/site.yaml --quiet</Arguments>"));
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_has_two_or_three_numbers),
        cmocka_unit_test(a_unit_keeps_what_it_would_expand),
        cmocka_unit_test(windows_counts_backslashes_before_quotes),
        cmocka_unit_test(service_runs_the_command_as_the_user),
        cmocka_unit_test(timer_comes_every_day_and_makes_up_for_a_missed_one),
        cmocka_unit_test(task_starts_the_command_in_the_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
