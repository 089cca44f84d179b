#include "worker-host/tasks/replay_end.h"

#include <string.h>

#include "common/base/clock.h"
#include "tests/lib/check.h"

static struct mgc_host_files files;
static struct mgc_replay_seen seen;
static struct mgc_replay_end end;

static int setup(void **state)
{
    (void)state;
    end = (struct mgc_replay_end){0};
    assert_true(mgc_host_files_parse("trace-replay/output/result.json=result.json", &files, NULL));
    mgc_replay_seen_init(&seen, "a.b", NULL, &files);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mgc_replay_seen_destroy(&seen);
    return 0;
}

static void file(enum mgc_device_file_what what, int64_t inode, int64_t mtime_ns, int64_t mono_ns)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_FILE,
        .file = {.what = (uint16_t)what,
            .name = "result.json",
            .inode = inode,
            .mtime_ns = mtime_ns,
            .mono_ns = mono_ns}};
    mgc_replay_seen_event(&seen, &msg);
}

static void proc(enum mgc_device_proc_what what, int64_t mono_ns)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_PROC,
        .proc = {.what = (uint16_t)what,
            .pid = 5,
            .start_ticks = 1,
            .mono_ns = mono_ns,
            .comm = "",
            .cmdline = "a.b"}};
    mgc_replay_seen_event(&seen, &msg);
}

static void looked(bool whole)
{
    assert_true(mgc_replay_end_wants_look(&end, &seen));
    mgc_replay_end_looked(&end, seen.closes, seen.ended, whole);
    mgc_replay_end_decide(&end, &seen);
}

static void test_half_a_result_waits_for_another_close(void **state)
{
    proc(MGC_DEVICE_PROC_STARTED, 10);
    assert_false(mgc_replay_end_wants_look(&end, &seen));
    file(MGC_DEVICE_FILE_WRITTEN, 7, 1, 20);
    looked(false);
    assert_null(end.end);
    assert_false(mgc_replay_end_wants_look(&end, &seen));
    file(MGC_DEVICE_FILE_WRITTEN, 7, 2, 30);
    looked(true);
    assert_string_equal(end.end, "result");
    assert_int_equal(mgc_replay_end_moment(&end, &seen), 30);
}

static void test_a_death_is_one_after_a_last_look(void **state)
{
    proc(MGC_DEVICE_PROC_STARTED, 10);
    proc(MGC_DEVICE_PROC_ENDED, 40);
    mgc_replay_end_decide(&end, &seen);
    assert_null(end.end);
    looked(false);
    assert_string_equal(end.end, "died");
    assert_int_equal(mgc_replay_end_moment(&end, &seen), 40);
}

static void test_a_result_is_better_than_a_fatal_line(void **state)
{
    proc(MGC_DEVICE_PROC_STARTED, 10);
    strcpy(seen.fatal_line, "Fatal{X}");
    file(MGC_DEVICE_FILE_WRITTEN, 7, 1, 20);
    looked(true);
    assert_string_equal(end.end, "result");
}

static void test_a_fatal_line_ends_it(void **state)
{
    strcpy(seen.fatal_line, "Fatal{X}");
    mgc_replay_end_decide(&end, &seen);
    assert_string_equal(end.end, "fatal");
    assert_int_equal(mgc_replay_end_moment(&end, &seen), 0);
}

/* The stream broke between the close and the look at the file. */
static void test_the_moment_outlives_a_broken_stream(void **state)
{
    proc(MGC_DEVICE_PROC_STARTED, 10);
    file(MGC_DEVICE_FILE_WRITTEN, 7, 1, 20);
    file(MGC_DEVICE_FILE_FOUND, 7, 1, 90);
    looked(true);
    assert_int_equal(mgc_replay_end_moment(&end, &seen), 20);
}

static void test_another_file_has_no_moment(void **state)
{
    proc(MGC_DEVICE_PROC_STARTED, 10);
    file(MGC_DEVICE_FILE_WRITTEN, 7, 1, 20);
    file(MGC_DEVICE_FILE_FOUND, 7, 2, 90); /* written meanwhile */
    assert_int_equal(seen.closed_ns, 0);
    file(MGC_DEVICE_FILE_REPLACED, 8, 1, 95);
    file(MGC_DEVICE_FILE_FOUND, 9, 1, 99); /* replaced meanwhile */
    looked(true);
    assert_int_equal(mgc_replay_end_moment(&end, &seen), 0);
}

static void test_what_could_not_be_looked_at_is_not_the_same(void **state)
{
    file(MGC_DEVICE_FILE_WRITTEN, -1, -1, 20);
    file(MGC_DEVICE_FILE_FOUND, -1, -1, 90);
    assert_int_equal(seen.closed_ns, 0);
}

enum { DEADLINE_NS = 900 * INT64_C(1000000000), NOW_NS = 5 };

static int64_t limit(int64_t now_ns)
{
    return mgc_replay_end_limit(&end, &seen, now_ns, DEADLINE_NS);
}

static void test_the_start_has_a_limit_from_the_answer_on(void **state)
{
    assert_int_equal(limit(NOW_NS), DEADLINE_NS);
    seen.am_done = true;
    int64_t expected = NOW_NS + MGC_REPLAY_STARTED_MS * MGC_NS_PER_MS;
    assert_int_equal(limit(NOW_NS), expected);
    assert_int_equal(limit(NOW_NS + 100), expected);
    proc(MGC_DEVICE_PROC_STARTED, 10);
    assert_int_equal(limit(NOW_NS + 200), DEADLINE_NS);
}

static void test_an_answer_that_was_lost_starts_it_too(void **state)
{
    mgc_replay_seen_broken(&seen);
    assert_true(seen.am_lost);
    assert_int_equal(limit(NOW_NS), NOW_NS + MGC_REPLAY_STARTED_MS * MGC_NS_PER_MS);
    assert_false(mgc_replay_end_started(&seen));
}

/* Half a file and the app's word: some time for the rest, and anew when it is written again. */
static void test_the_apps_word_gives_the_result_a_grace(void **state)
{
    static const char other[] =
        "01-01 10:00:00.000  5  5 I MobileGL: trace replay result: passed=true\n";
    static const char word[] =
        "01-01 10:00:00.000  5  5 I MobileGLTraceRunner: trace replay result: passed=true\n";
    end.grace_ns = 100;
    proc(MGC_DEVICE_PROC_STARTED, 10);
    file(MGC_DEVICE_FILE_WRITTEN, 7, 1, 20);
    looked(false);
    mgc_replay_seen_out(&seen, other, strlen(other));
    assert_int_equal(limit(NOW_NS), DEADLINE_NS);
    mgc_replay_seen_out(&seen, word, strlen(word));
    assert_int_equal(limit(NOW_NS), NOW_NS + 100);
    assert_int_equal(limit(NOW_NS + 50), NOW_NS + 100);
    file(MGC_DEVICE_FILE_WRITTEN, 7, 2, 30);
    looked(false);
    assert_int_equal(limit(NOW_NS + 60), NOW_NS + 160);
    mgc_replay_end_expire(&end, NOW_NS + 160);
    assert_string_equal(end.end, "no-result");
    assert_int_equal(mgc_replay_end_moment(&end, &seen), 0);
}

static void test_the_runs_limit_is_a_timeout(void **state)
{
    proc(MGC_DEVICE_PROC_STARTED, 10);
    assert_int_equal(limit(NOW_NS), DEADLINE_NS);
    mgc_replay_end_expire(&end, DEADLINE_NS);
    assert_string_equal(end.end, "timeout");
}

/* It ran and ended while the phone was away: nobody saw a process. */
static void test_a_result_without_a_process(void **state)
{
    mgc_replay_seen_broken(&seen);
    file(MGC_DEVICE_FILE_FOUND, 7, 1, 90);
    assert_true(mgc_replay_end_started(&seen));
    assert_int_equal(limit(NOW_NS), DEADLINE_NS);
    looked(true);
    assert_string_equal(end.end, "result");
    assert_int_equal(mgc_replay_end_moment(&end, &seen), 0);
}

static void test_an_answer_that_came_is_not_lost(void **state)
{
    static const char said[] = "mgc-time 1767225600\nmgc-am 0\nhalf a li";
    mgc_replay_seen_err(&seen, said, strlen(said));
    mgc_replay_seen_broken(&seen);
    assert_false(seen.am_lost);
    assert_int_equal(seen.launched_s, 1767225600);
    assert_int_equal(seen.err_line.len, 0);
    assert_int_equal(seen.said.len, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_half_a_result_waits_for_another_close),
        TEST(test_a_death_is_one_after_a_last_look),
        TEST(test_a_result_is_better_than_a_fatal_line), TEST(test_a_fatal_line_ends_it),
        TEST(test_the_moment_outlives_a_broken_stream), TEST(test_another_file_has_no_moment),
        TEST(test_what_could_not_be_looked_at_is_not_the_same),
        TEST(test_the_start_has_a_limit_from_the_answer_on),
        TEST(test_an_answer_that_was_lost_starts_it_too), TEST(test_a_result_without_a_process),
        TEST(test_an_answer_that_came_is_not_lost),
        TEST(test_the_apps_word_gives_the_result_a_grace), TEST(test_the_runs_limit_is_a_timeout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
