/* Directories as run_matrix.sh and matrix_p14.sh leave them (contract sections 3.1 and 3.3). */
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/report/report.h"
#include "coordinator/restore/restore.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

#define LINE "[12:00:01] [Android MobileGLTraceRe/INFO]: "

static const char client_log[] = LINE
    "Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream crosses a real ring to an apply "
    "thread in ANOTHER PROCESS\n" LINE "Config: Active backend type set to DirectGLES\n" LINE
    "Config: IPC ring=8MiB run-ahead=1 present-credit=3 surface=offscreen\n" LINE
    "MG_Remote client: control=tcp data=stream server=127.0.0.1:40613 pid=4711 dial=connect\n" LINE
    "MG_Remote client: run-ahead ARMED - paced by a present credit of 3\n";

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
        "{\"benchmarkFinish\": true, \"width\": 640, \"height\": 480, \"totalFrames\": %d, "
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
    put(run, "STATUS", "finished\n");
    put(run, "meta.txt",
        "arm=tcp rep=1 workload=openra duration_s=31 battery_temp_dc=312 status=finished "
        "passed=true mode=benchmark\n--- am start ---\nStarting: Intent\n");
    put(run, "verify.txt",
        "arm=tcp\nTRANSPORT_MARKER=spawn:OK\nTCP_SESSION=OK: x\nRUN_AHEAD_ARMED=OK: x\n"
        "LOCKSTEP_WARNING=absent\nDISARMED=absent\nPIPESTATS_LINES=4\nFATAL_LINES=0\n");
    put(run, "mobilegl.client.log", client_log);
    put(run, "logcat.txt", "11-30 12:00:00.000  1  1 I MobileGL: hello\n");
    put(run, "result.json", "{\"passed\": true, \"statusCode\": 0, \"message\": \"ok\"}");
    put_benchmark(run, 128);
}

static struct mgc_restored *load(const char *name)
{
    struct mgc_error err = {0};
    struct mgc_restored *restored = mgc_restore(tmpdir_file(name), &err);
    if (!restored)
        fail_msg("%s", err.text);
    assert_true(restored->old_layout);
    return restored;
}

static bool has_note(const struct mgc_restored *restored, const char *part)
{
    for (size_t i = 0; i < restored->results.note_count; i++) {
        if (strstr(restored->results.notes[i], part))
            return true;
    }
    return false;
}

static void reason_is(const char *name, const char *reason)
{
    struct mgc_restored *restored = load(name);
    assert_int_equal(restored->results.count, 1);
    assert_string_equal(restored->results.cells[0].verdict.reason, reason);
    assert_int_not_equal(restored->results.cells[0].verdict.state, MGC_VERDICT_MEASURED);
    mgc_restored_free(restored);
}

static void a_good_run_is_seen_but_not_proved(void **state)
{
    put_good("good/openra/tcp-r1");
    struct mgc_restored *restored = load("good");
    const struct mgc_cell_result *cell = &restored->results.cells[0];
    assert_int_equal(restored->results.count, 1);
    assert_string_equal(cell->verdict.reason, "not-provable");
    assert_string_equal(cell->cell->id, "openra/tcp-r1");
    int64_t temp;
    double value;
    assert_true(mgc_fields_get_int(&cell->verdict.metrics, "battery_temp_dc", &temp));
    assert_int_equal(temp, 312);
    assert_true(mgc_fields_get_double(&cell->verdict.metrics, "kept_mean_ms", &value));
    assert_true(value == 20);
    assert_int_equal(cell->duration_ns, INT64_C(31000000000));
    assert_true(has_note(restored, "run_matrix.sh"));
    mgc_restored_free(restored);
}

static void what_speaks_against_a_run_is_named(void **state)
{
    static const struct {
        const char *name, *file, *text, *reason;
    } rows[] = {
        {"died", "STATUS", "process_died\n", "app-died"},
        {"timeout", "STATUS", "timeout", "client-timeout"},
        {"crlf", "STATUS", "timeout\r\n", "client-timeout"},
        {"amstart", "STATUS", "am_start_failed\n", "app-not-started"},
        {"start", "STATUS", "server_start_failed\n", "server-not-started"},
        {"listen", "STATUS", "server_not_listening\n", "server-not-listening"},
        {"word", "STATUS", "\xff\xfe\n", "app-end-unknown"},
        {"nopass", "result.json", "{\"passed\": false, \"statusCode\": 5}", "result-not-passed"},
        {"half", "result.json", "{\"passed\": tr", "result-damaged"},
        {"nosuch", "benchmark.json", "cat: x: No such file or directory", "benchmark-damaged"},
        {"lockstep", "logcat.txt", "I MobileGL: MG_Remote client: running lockstep\n", "lockstep"},
        {"fatal", "mgl.server.log", "MGPipe: Fatal{RingOverrun, \"x\"}\n", "fatal-in-log"},
        {"oldword", "verify.txt", "arm=tcp\r\nTCP_SESSION=MISSING\r\n", "session-marker-missing"},
        {"oldfatal", "verify.txt", "arm=tcp\nFATAL_LINES=1\n", "fatal-in-log"},
        {"other", "meta.txt", "arm=shm rep=1 workload=openra duration_s=3\n", "other-arm"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char run[64];
        snprintf(run, sizeof(run), "bad-%s/openra/tcp-r1", rows[i].name);
        put_good(run);
        put(run, rows[i].file, rows[i].text);
        run[4 + strlen(rows[i].name)] = '\0';
        print_message("%s\n", run);
        reason_is(run, rows[i].reason);
    }
}

static void an_early_failure_has_no_files(void **state)
{
    put("early/rd12/tcp-r2", "STATUS", "server_not_listening\n");
    put("early/rd12/tcp-r2", "meta.txt",
        "arm=tcp rep=2 workload=rd12 duration_s=33 listening_wait_s=30\n");
    reason_is("early", "server-not-listening");
}

static void an_empty_run_is_not_measured(void **state)
{
    put("empty/rd12/shm-rssim", "STATUS", "");
    reason_is("empty", "app-end-unknown");
}

/* matrix_p14.sh kept no logs: its own verify.txt is all there is. */
static void a_directory_of_p14(void **state)
{
    static const char meta[] = "tag=base wl=openra backend=DirectVulkan arm=dev rep=1 mode=run "
                               "status=finished passed=true dur=14 temp0=31 temp1=33\n";
    put("p14/openra/DirectVulkan/dev-r1", "meta.txt", meta);
    put("p14/openra/DirectVulkan/dev-r1", "verify.txt",
        "arm=dev backend=DirectVulkan\nBACKEND=OK\nARM=OK(monolith)\nFATAL_LINES=0\n");
    put("p14/openra/DirectVulkan/dev-r1", "result.json", "{\"passed\": true, \"statusCode\": 0}");
    put_benchmark("p14/openra/DirectVulkan/dev-r1", 128);
    put("p14/openra/DirectGLES/shm@p14-r3", "meta.txt",
        "tag=base wl=openra backend=DirectGLES arm=shm@p14 rep=3 mode=run status=finished\n");
    put("p14/openra/DirectGLES/shm@p14-r3", "verify.txt",
        "arm=shm@p14 backend=DirectGLES\nBACKEND=OK\nARM=UNEXPECTED_SPLIT\nRUN_AHEAD=OK\n");
    put("p14/openra/DirectGLES/shm@p14-r3", "result.json", "{\"passed\": true, \"statusCode\": 0}");
    put_benchmark("p14/openra/DirectGLES/shm@p14-r3", 128);
    struct mgc_restored *restored = load("p14");
    assert_int_equal(restored->results.count, 2);
    assert_string_equal(restored->results.cells[0].cell->arm, "shm@p14");
    assert_string_equal(restored->results.cells[0].verdict.reason, "other-arm");
    assert_string_equal(restored->results.cells[1].cell->arm, "monolith@dev");
    assert_string_equal(restored->results.cells[1].cell->expect.backend, "DirectVulkan");
    assert_string_equal(restored->results.cells[1].verdict.reason, "not-provable");
    assert_true(has_note(restored, "matrix_p14.sh"));
    mgc_restored_free(restored);
}

static void differences_from_the_old_summary_are_told(void **state)
{
    put_good("sum/openra/tcp-r1");
    put_good("sum/openra/tcp-r2");
    put("sum/openra/tcp-r2", "mobilegl.server.log", "MGPipe: Fatal{RingOverrun, \"x\"}\n");
    put("sum", "summary.json",
        "{\"runs\": [{\"workload\": \"openra\", \"arm\": \"tcp\", \"rep\": \"1\", \"status\": "
        "\"finished\", \"fps\": 77.0, \"mean_ms\": 20.0}, {\"workload\": \"openra\", \"arm\": "
        "\"tcp\", \"rep\": \"2\", \"status\": \"finished\"}, 7, {\"arm\": null}]}");
    struct mgc_restored *restored = load("sum");
    assert_true(has_note(restored, "openra/tcp-r1: the old summary says fps 77.000"));
    assert_true(has_note(restored, "openra/tcp-r2: the old summary counts it as finished"));
    assert_false(has_note(restored, "mean_ms"));
    mgc_restored_free(restored);
    put("sum", "summary.json", "{\"runs\": [");
    restored = load("sum");
    assert_true(has_note(restored, "the old summary is not read"));
    mgc_restored_free(restored);
}

/* One file after the other is cut, emptied, filled with other bytes or taken away: a verdict always
 * comes, it is never measured, and every form can be printed. */
static void no_damage_makes_a_measurement(void **state)
{
    static const char *const files[] = {"STATUS", "meta.txt", "verify.txt", "mobilegl.client.log",
        "logcat.txt", "result.json", "benchmark.json"};
    static const char *const texts[] = {"", "\n", "\r\n\r\n", "\xff\xfe\xfd", "arm=", "{", "[]",
        "{\"passed\": true", "A=\xc3", NULL};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        for (const char *const *text = texts; *text; text++) {
            struct mgc_buf out = {0};
            put_good("damage/openra/tcp-r1");
            put("damage/openra/tcp-r1", files[i], *text);
            struct mgc_restored *restored = load("damage");
            assert_int_not_equal(restored->results.cells[0].verdict.state, MGC_VERDICT_MEASURED);
            assert_true(mgc_report_markdown(&restored->results, &out, NULL));
            assert_true(mgc_report_table(&restored->results, 80, &out, NULL));
            assert_true(mgc_report_summary_json(&restored->results, &out, NULL));
            mgc_buf_destroy(&out);
            mgc_restored_free(restored);
        }
    }
}

static void other_directories_are_none(void **state)
{
    struct mgc_error err = {0};
    put("none/openra/notes", "a.txt", "");
    put("none/openra/what-r1", "STATUS", "finished\n");
    put("none/prof-tcp-r1", "manifest.txt", "");
    assert_null(mgc_restore(tmpdir_file("none"), &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_run_is_seen_but_not_proved),
        cmocka_unit_test(what_speaks_against_a_run_is_named),
        cmocka_unit_test(an_early_failure_has_no_files),
        cmocka_unit_test(an_empty_run_is_not_measured),
        cmocka_unit_test(a_directory_of_p14),
        cmocka_unit_test(differences_from_the_old_summary_are_told),
        cmocka_unit_test(no_damage_makes_a_measurement),
        cmocka_unit_test(other_directories_are_none),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
