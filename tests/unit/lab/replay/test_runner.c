/* A replay in the calling process, as the trace app runs it. MGR_TEST_LIBRARY names the library. */
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "lab/replay/runner.h"
#include "lab/replay/scene.h"
#include "tests/lib/tmpdir.h"

static void write_trace(const char *path)
{
    struct mgc_buf trace = {0};
    struct mgr_trace_head head;
    mgr_scene_write(&mgr_scenes[0], 64, &trace, &head);
    assert_true(mgc_buf_ok(&trace));
    assert_true(mgc_file_write(path, trace.data, trace.len, 0600, NULL));
    mgc_buf_destroy(&trace);
}

static struct mgr_run run_of(const char *trace, const char *output)
{
    struct mgr_run run = {.thread_name = MGR_RUN_ANDROID_THREAD};
    mgr_options_init(&run.options);
    run.options.trace = trace;
    run.options.output = output;
    run.options.library = getenv("MGR_TEST_LIBRARY");
    run.options.benchmark = true;
    assert_non_null(run.options.library);
    return run;
}

static void test_run_in_this_process(void **state)
{
    struct mgc_buf log = {0};
    struct mgr_run_result result;
    const char *trace = tmpdir_file("t.trace"), *output = tmpdir_file("out");
    write_trace(trace);
    setenv("MOBILEGL_IPC_SPIN_US", "7", 1);
    setenv("MOBILEGL_IPC_RING_MB", "2", 1);
    struct mgr_run run = run_of(trace, output);
    run.server_path = "/from/the/app";
    run.mobilegl_env = ";MOBILEGL_TRANSPORT=inproc;;MOBILEGL_IPC_RING_MB;MOBILEGL_IPC_TOKEN=;"
                       "MGL_TEST=a=b;=x";
    mgr_runner_run(&run, &result);
    assert_int_equal(result.status, MGR_STATUS_OK);
    assert_true(result.passed && result.written);
    assert_string_equal(result.message, "benchmark finished");
    assert_string_equal(getenv("MGL_TEST"), "a=b");
    assert_string_equal(getenv("MOBILEGL_IPC_TOKEN"), "");
    assert_string_equal(getenv("MOBILEGL_IPC_SERVER_PATH"), "/from/the/app");
    assert_null(getenv("MOBILEGL_IPC_RING_MB"));
    assert_true(mgc_file_read(tmpdir_file("out/mobilegl.client.log"), 1 << 20, &log, NULL));
    assert_non_null(strstr(mgc_buf_text(&log), " MobileGLTraceRe/INFO]: Config: "
                                               "MOBILEGL_TRANSPORT=inproc - "));
    assert_non_null(strstr(log.data, " ring=8MiB "));
    assert_non_null(strstr(log.data, " spin=7us "));
    mgc_buf_destroy(&log);
    assert_true(mgc_file_exists(tmpdir_file("out/benchmark.json")));
}

/* A bare key keeps the image unset, so there is nothing to fork. */
static void test_a_bare_key_beats_the_apps_server(void **state)
{
    struct mgr_run_result result;
    const char *trace = tmpdir_file("t.trace"), *output = tmpdir_file("out2");
    struct mgr_run run = run_of(trace, output);
    run.server_path = "/from/the/app";
    run.mobilegl_env =
        "MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_CONTROL=fork;MOBILEGL_IPC_SERVER_PATH";
    mgr_runner_run(&run, &result);
    assert_int_equal(result.status, MGR_STATUS_RETRACE_FAILED);
    assert_false(result.passed);
    assert_true(result.written);
    assert_non_null(strstr(result.message, "needs the server's image"));
}

static void test_no_output_no_result(void **state)
{
    struct mgr_run_result result;
    const char *trace = tmpdir_file("t.trace");
    struct mgr_run run = run_of(trace, "/proc/nowhere/out");
    run.thread_name = NULL;
    mgr_runner_run(&run, &result);
    assert_int_equal(result.status, MGR_STATUS_IO_ERROR);
    assert_false(result.passed || result.written);
    assert_non_null(strstr(result.message, "/proc/nowhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_in_this_process),
        cmocka_unit_test(test_a_bare_key_beats_the_apps_server),
        cmocka_unit_test(test_no_output_no_result),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
