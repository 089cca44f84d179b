#include "worker-host/tasks/replay_seen.h"

#include <string.h>

#include "tests/lib/check.h"

static struct mgc_host_files files;
static struct mgc_replay_seen seen;

static int setup(void **state)
{
    (void)state;
    assert_true(mgc_host_files_parse("trace-replay/output/result.json=result.json,"
                                     "trace-replay/output/benchmark.json=b,"
                                     "trace-replay/output/mobilegl.client.log=log,"
                                     "trace-replay/output/sub/x.json=x,mgl.client.log=mgl",
        &files, NULL));
    mgc_replay_seen_init(&seen, "a.b", NULL, &files);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mgc_replay_seen_destroy(&seen);
    return 0;
}

static void proc(enum mgc_device_proc_what what, uint32_t pid, const char *cmdline, int64_t mono_ns)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_PROC,
        .proc = {.what = (uint16_t)what,
            .pid = pid,
            .start_ticks = pid * 10,
            .mono_ns = mono_ns,
            .comm = "",
            .cmdline = cmdline}};
    mgc_replay_seen_event(&seen, &msg);
}

static void file(enum mgc_device_file_what what, const char *name, int64_t mono_ns)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_FILE,
        .file = {.what = (uint16_t)what, .name = name, .inode = mono_ns, .mono_ns = mono_ns}};
    mgc_replay_seen_event(&seen, &msg);
}

static void test_only_the_main_process_counts(void **state)
{
    proc(MGC_DEVICE_PROC_FOUND, 7, "a.b:mglsrv", 1);
    proc(MGC_DEVICE_PROC_STARTED, 8, "/data/app/a.b-1/lib/libMobileGLServer.so tcp://x --serve", 2);
    proc(MGC_DEVICE_PROC_STARTED, 9, "a.bc", 3);
    assert_false(seen.has_pid);
    proc(MGC_DEVICE_PROC_STARTED, 10, "a.b", 4);
    assert_true(seen.has_pid);
    assert_int_equal(seen.pid, 10);
    assert_int_equal(seen.start_ns, 4);
    proc(MGC_DEVICE_PROC_ENDED, 8, "", 5);
    assert_false(seen.ended);
    proc(MGC_DEVICE_PROC_ENDED, 10, "", 6);
    proc(MGC_DEVICE_PROC_ENDED, 10, "", 7);
    assert_true(seen.ended);
    assert_int_equal(seen.end_ns, 6);
}

static void test_a_process_that_was_found_has_no_start(void **state)
{
    proc(MGC_DEVICE_PROC_FOUND, 10, "a.b", 4);
    assert_int_equal(seen.start_ns, 0);
    /* Watched again: the same one, or another with its number. */
    seen.alive_again = false;
    struct mgc_device_msg other = {.type = MGC_DEVICE_PROC,
        .proc = {.what = MGC_DEVICE_PROC_FOUND,
            .pid = 10,
            .start_ticks = 1,
            .comm = "",
            .cmdline = "sh"}};
    mgc_replay_seen_event(&seen, &other);
    assert_false(seen.alive_again);
    proc(MGC_DEVICE_PROC_FOUND, 10, "a.b", 9);
    assert_true(seen.alive_again);
}

static void test_result_counts_when_it_is_closed(void **state)
{
    file(MGC_DEVICE_FILE_CREATED, "result.json", 1);
    assert_int_equal(seen.closes, 0);
    file(MGC_DEVICE_FILE_WRITTEN, "result.json", 2);
    file(MGC_DEVICE_FILE_WRITTEN, "benchmark.json", 3);
    assert_int_equal(seen.closes, 1);
    assert_int_equal(seen.closed_ns, 2);
    file(MGC_DEVICE_FILE_REPLACED, "result.json", 4);
    assert_int_equal(seen.closes, 2);
    assert_int_equal(seen.closed_ns, 4);
    file(MGC_DEVICE_FILE_FOUND, "result.json", 5); /* nobody saw when */
    assert_int_equal(seen.closes, 3);
    assert_int_equal(seen.closed_ns, 0);
}

static void test_settled_without_logs(void **state)
{
    file(MGC_DEVICE_FILE_CREATED, "mobilegl.client.log", 1);
    file(MGC_DEVICE_FILE_WRITTEN, "result.json", 1);
    assert_true(mgc_replay_seen_settled(&seen));
    file(MGC_DEVICE_FILE_CREATED, "benchmark.json", 1);
    assert_false(mgc_replay_seen_settled(&seen));
    file(MGC_DEVICE_FILE_WRITTEN, "benchmark.json", 1);
    assert_true(mgc_replay_seen_settled(&seen));
}

static void test_a_forked_server_has_counters_to_come(void **state)
{
    struct mgc_host_files list;
    mgc_replay_seen_destroy(&seen);
    assert_true(mgc_host_files_parse(
        "trace-replay/output/pipestats.server.json=pipestats.server.json", &list, NULL));
    mgc_replay_seen_init(&seen, "a.b", "MOBILEGL_PIPE_STATS=1", &list);
    assert_true(mgc_replay_seen_settled(&seen));
    mgc_replay_seen_init(&seen, "a.b", "MOBILEGL_PIPE_STATS=1;MOBILEGL_IPC_CONTROL=forks", &list);
    assert_true(mgc_replay_seen_settled(&seen));
    mgc_replay_seen_init(&seen, "a.b", "A;MOBILEGL_IPC_CONTROL=fork;MOBILEGL_PIPE_STATS=1", &list);
    assert_false(mgc_replay_seen_settled(&seen));
    file(MGC_DEVICE_FILE_CREATED, "pipestats.server.json", 1);
    assert_false(mgc_replay_seen_settled(&seen));
    file(MGC_DEVICE_FILE_WRITTEN, "pipestats.server.json", 1);
    assert_true(mgc_replay_seen_settled(&seen));
}

static void out(const char *text)
{
    mgc_replay_seen_out(&seen, text, strlen(text));
}

static void err_bytes(const char *text)
{
    mgc_replay_seen_err(&seen, text, strlen(text));
}

static void test_what_am_says(void **state)
{
    err_bytes("Starting: Inte");
    err_bytes("nt { act=x }\r\nmgc-am");
    assert_false(seen.am_done);
    err_bytes(" 0\nlater words\n");
    assert_true(seen.am_done);
    assert_int_equal(seen.am_code, 0);
    assert_string_equal(mgc_buf_text(&seen.said), "Starting: Intent { act=x }\n");
}

#define LOG(tag, level) "11-30 12:00:01.123  4711  4720 " level " " tag ": "

static void test_fatal_and_crash(void **state)
{
    out(LOG("MobileGL", "I") "Accepted env variable X=Fatal{A}\n");
    out("Fatal{ outside of a log line\n");
    assert_string_equal(seen.fatal_line, "");
    out(LOG("MobileGL", "E") "[12:00:01] [Android x/ERROR]: Fatal{Barrier");
    out("Timeout, \"Clear\"}\n" LOG("MobileGL", "E") "Fatal{Second}\n");
    assert_non_null(strstr(seen.fatal_line, "Fatal{BarrierTimeout"));
    assert_null(strstr(seen.fatal_line, "Second"));
    out(LOG("libc", "F") "Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR)\n");
    out(LOG("libc", "F") "Fatal signal 6 (SIGABRT)\n");
    assert_int_equal(seen.died_signal, 11);
}

static void test_the_check_is_read_whole(void **state)
{
    err_bytes("mgc-am 0\nwords\nmgc:check\nmgc:app_st");
    assert_true(seen.check_begun && !seen.check_done);
    mgc_replay_seen_broken(&seen);
    assert_false(seen.check_begun);
    err_bytes("mgc:knob 1\nmgc:end\n"); /* of no report */
    assert_false(seen.check_done);
    err_bytes("mgc:check\nmgc:app_stamp x\nmgc-am 5\nmgc:end\nmore\n");
    assert_true(seen.check_done);
    assert_string_equal(mgc_buf_text(&seen.check), "mgc:app_stamp x\nmgc-am 5\nmgc:end\n");
    assert_int_equal(seen.am_code, 0);
    mgc_replay_seen_broken(&seen);
    assert_true(seen.check_done); /* it has come */
}

static void test_long_and_strange_lines(void **state)
{
    for (int i = 0; i < 20000; i++)
        out("x");
    out("\n" LOG("libc", "F") "Fatal signal x\n" LOG("libc", "F") "Fatal signal 999\n");
    assert_int_equal(seen.died_signal, 0);
    for (int i = 0; i < 2000; i++)
        err_bytes("word word\n");
    err_bytes("mgc-am 300\nmgc-am x\nmgc-am 1\n");
    assert_true(seen.am_done);
    assert_int_equal(seen.am_code, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_only_the_main_process_counts),
        TEST(test_a_process_that_was_found_has_no_start),
        TEST(test_result_counts_when_it_is_closed), TEST(test_settled_without_logs),
        TEST(test_a_forked_server_has_counters_to_come), TEST(test_what_am_says),
        TEST(test_fatal_and_crash), TEST(test_the_check_is_read_whole),
        TEST(test_long_and_strange_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
