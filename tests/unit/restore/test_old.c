/* Directories as crosshost_accept.sh leaves them (contract section 3.5). */
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/report/report.h"
#include "coordinator/restore/restore.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

static const char client_log[] =
    "[12:00:01] [Linux/INFO]: Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream\n"
    "[12:00:01] [Linux/INFO]: Config: IPC ring=8MiB stage=32MiB spin=50us run-ahead=1 "
    "present-credit=2 backend=DirectGLES\n"
    "[12:00:02] [Linux/INFO]: MG_Remote client: control=tcp data=stream "
    "server=192.168.21.181:40613 pid=4711\n"
    "[12:00:02] [Linux/INFO]: MG_Remote client: run-ahead ARMED - the server publishes caps\n";

static void put(const char *run, const char *name, const char *text)
{
    char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];
    snprintf(dir, sizeof(dir), "%s/%s", tmpdir_path, run);
    assert_true(mgc_dir_make(dir, 0777, NULL));
    assert_true(mgc_path_join(path, sizeof(path), dir, name));
    assert_true(mgc_file_write(path, text, strlen(text), 0644, NULL));
}

static void put_benchmark(const char *run, int frames)
{
    struct mgc_buf text = {0};
    mgc_buf_printf(&text,
        "{\"benchmarkFinish\": true, \"width\": 960, \"height\": 400, \"totalFrames\": %d, "
        "\"fps\": 50, \"meanFrameMs\": 20, \"medianFrameMs\": 19, \"p95FrameMs\": 30, "
        "\"totalSeconds\": 2.5, \"frameTimesMs\": [500",
        frames);
    for (int i = 1; i < frames; i++)
        mgc_buf_puts(&text, ", 20");
    mgc_buf_puts(&text, "]}");
    put(run, "benchmark.json", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

static void put_good(const char *run)
{
    put(run, "rc.txt", "rc=0 secs=83\n");
    put(run, "mobilegl.client.log", client_log);
    put(run, "mobilegl.log", "ok\n");
    put(run, "phone-logcat.txt", "11-30 12:00:00.000  1  1 I MobileGL: hello\n");
    put(run, "result.json", "{\"passed\": true, \"statusCode\": 0, \"message\": \"ok\"}");
    put_benchmark(run, 128);
}

static struct mgc_restored *load(const char *name)
{
    struct mgc_error err = {0};
    struct mgc_restored *restored = mgc_restore(tmpdir_file(name), &err);
    if (!restored)
        fail_msg("%s", err.text);
    return restored;
}

static const struct mgc_evidence *evidence_of(const struct mgc_verdict *verdict, const char *check)
{
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        if (strcmp(verdict->evidence[i].check, check) == 0)
            return &verdict->evidence[i];
    }
    fail_msg("no evidence '%s'", check);
    return NULL;
}

static void a_good_run_is_seen_but_not_proved(void **state)
{
    put_good("good/crosshost/bench-openra-c2");
    struct mgc_restored *restored = load("good");
    assert_true(restored->old_layout);
    assert_int_equal(restored->results.count, 1);
    const struct mgc_cell_result *cell = &restored->results.cells[0];
    assert_string_equal(cell->verdict.reason, "not-provable");
    assert_int_equal(cell->verdict.state, MGC_VERDICT_INCOMPLETE);
    assert_int_equal(cell->cell->expect.credit, 2);
    double value;
    assert_true(mgc_fields_get_double(&cell->verdict.metrics, "wall_s", &value));
    assert_true(value == 83);
    assert_true(mgc_fields_get_double(&cell->verdict.metrics, "steady_fps", &value));
    assert_true(value == 50);
    assert_int_equal(evidence_of(&cell->verdict, "server session")->outcome, MGC_CHECK_ABSENT);
    assert_int_equal(evidence_of(&cell->verdict, "geometry")->outcome, MGC_CHECK_ABSENT);
    assert_int_equal(evidence_of(&cell->verdict, "log mgl.server.log")->outcome, MGC_CHECK_ABSENT);
    assert_int_equal(evidence_of(&cell->verdict, "run-ahead-armed")->outcome, MGC_CHECK_OK);
    assert_string_equal(
        evidence_of(&cell->verdict, "server address")->seen, "192.168.21.181:40613");
    mgc_restored_free(restored);
}

static void reason_is(const char *name, const char *reason)
{
    struct mgc_restored *restored = load(name);
    assert_int_equal(restored->results.count, 1);
    assert_string_equal(restored->results.cells[0].verdict.reason, reason);
    mgc_restored_free(restored);
}

static void what_speaks_against_a_run_is_named(void **state)
{
    put_good("timeout/bench-openra-c2");
    put("timeout/bench-openra-c2", "rc.txt", "rc=124 secs=600\n");
    reason_is("timeout", "client-timeout");
    put_good("crash/bench-openra-c2");
    put("crash/bench-openra-c2", "rc.txt", "rc=139 secs=6\n");
    reason_is("crash", "client-crashed");
    put_good("norc/bench-openra-c2");
    put("norc/bench-openra-c2", "rc.txt", "?\n");
    reason_is("norc", "client-exit-unknown");
    put_good("lockstep/bench-openra-c2");
    put("lockstep/bench-openra-c2", "mobilegl.log", "MG_Remote client: running lockstep\n");
    reason_is("lockstep", "lockstep");
    put_good("frames/bench-openra-c2");
    put_benchmark("frames/bench-openra-c2", 100);
    reason_is("frames", "frame-count");
    put_good("credit/bench-openra-c3");
    reason_is("credit", "credit-differs");
    put("nothing/bench-openra-c3", "rc.txt", "rc=0 secs=1\n");
    reason_is("nothing", "result-missing");
}

static void names_that_steer_a_terminal_are_no_runs(void **state)
{
    put_good("evil/bench-openra-c2");
    put("evil/ssim-\033[31mred", "rc.txt", "rc=0 secs=1\n");
    put("evil/bench-open\nra-c1", "rc.txt", "rc=0 secs=1\n");
    struct mgc_restored *restored = load("evil");
    assert_int_equal(restored->results.count, 1);
    mgc_restored_free(restored);
}

static void the_table_has_the_runs_in_order_and_footnotes(void **state)
{
    struct mgc_buf text = {0};
    put_good("table/crosshost/bench-openra-c2");
    put_good("table/crosshost/bench-openra-c1");
    put("table/crosshost/ssim-openra", "rc.txt", "rc=1 secs=1\n");
    put("table/crosshost/notes", "a.txt", "");
    put("table/crosshost/bench-openra-c1-r1", "a.txt", "");
    struct mgc_restored *restored = load("table/crosshost");
    assert_int_equal(restored->results.count, 3);
    assert_string_equal(restored->results.cells[0].cell->id, "ssim-openra");
    assert_string_equal(restored->results.cells[1].cell->id, "bench-openra-c1");
    assert_true(mgc_report_table(&restored->results, 0, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "crosshost_accept.sh"));
    assert_non_null(strstr(mgc_buf_text(&text), "without width and height"));
    mgc_buf_destroy(&text);
    mgc_restored_free(restored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_run_is_seen_but_not_proved),
        cmocka_unit_test(what_speaks_against_a_run_is_named),
        cmocka_unit_test(names_that_steer_a_terminal_are_no_runs),
        cmocka_unit_test(the_table_has_the_runs_in_order_and_footnotes),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
