/* The old files of a cell on the phone, as contract section 3.1 has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/contract/tally.h"
#include "common/plat/file.h"
#include "coordinator/legacy/legacy.h"
#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

#define LINE "[12:00:01] [Android MobileGLTraceRe/INFO]: "
#define STATS                                                                                      \
    "MGPipe stats: frames=4 window=4 draws=8 draws/f=2.00 acc=0 acc/draw=0.00 bytes/f[buf=1.00]"

static void make(struct fixture *f, enum mgc_mode mode, const char *arm)
{
    fixture_make_matrix(f, mode, arm);
    f->attempt.start_ns = 0;
    f->attempt.end_ns = INT64_C(9700000000);
    fixture_facts(f, "replay");
    f->outcomes[FIXTURE_REPLAY].start_ns = 1;
    mgc_fields_set_str(
        fixture_facts(f, "replay"), "am_output", "Starting: Intent { act=x }\nStatus: ok");
}

static void write_all(struct fixture *f)
{
    struct mgc_error err = {0};
    fixture_judge(f);
    if (!mgc_legacy_write(&f->attempt, &f->verdict, f->dir, &err))
        fail_msg("%s", err.text);
}

static void file_is(const struct fixture *f, const char *name, const char *expected)
{
    char *text = fixture_text(f, name);
    assert_string_equal(text, expected);
    free(text);
}

static void has_line(const struct fixture *f, const char *name, const char *expected, bool there)
{
    struct mgc_buf all = {0}, line = {0};
    char *text = fixture_text(f, name);
    mgc_buf_printf(&all, "\n%s", text);
    mgc_buf_printf(&line, "\n%s\n", expected);
    if ((strstr(mgc_buf_text(&all), mgc_buf_text(&line)) != NULL) != there)
        fail_msg("%s '%s': %s", there ? "no line" : "line", expected, text);
    mgc_buf_destroy(&all);
    mgc_buf_destroy(&line);
    free(text);
}

static void a_measured_cell(void **state)
{
    struct fixture f;
    make(&f, MGC_MODE_BENCHMARK, "tcp");
    write_all(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    file_is(&f, "STATUS", "finished\n");
    file_is(&f, "meta.txt",
        "arm=tcp rep=1 workload=openra duration_s=4 battery_temp_dc=311 status=finished "
        "passed=true mode=benchmark\n--- am start ---\nStarting: Intent { act=x }\nStatus: ok\n");
    file_is(&f, "am-start.txt", "Starting: Intent { act=x }\nStatus: ok");
    file_is(&f, "verify.txt",
        "arm=tcp\nTRANSPORT_MARKER=spawn:OK\nTCP_SESSION=OK: " LINE
        "MG_Remote client: control=tcp data=stream server=127.0.0.1:40613 pid=4711 "
        "dial=connect\nRUN_AHEAD_ARMED=OK: " LINE
        "MG_Remote client: run-ahead ARMED - paced by a present credit of 1\n"
        "LOCKSTEP_WARNING=absent\nDISARMED=absent\nPIPESTATS_LINES=0\nFATAL_LINES=0\n");
    fixture_destroy(&f);
}

static void each_arm_has_its_own_lines(void **state)
{
    struct fixture f;
    make(&f, MGC_MODE_BENCHMARK, "monolith");
    write_all(&f);
    file_is(&f, "verify.txt",
        "arm=monolith\nSPLIT_MARKER=absent (monolith:OK)\nRUN_AHEAD_ARMED=MISSING\n"
        "LOCKSTEP_WARNING=absent\nDISARMED=absent\nPIPESTATS_LINES=0\nFATAL_LINES=0\n");
    fixture_append(&f, "mobilegl.client.log", LINE "Config: MOBILEGL_TRANSPORT=inproc - the");
    write_all(&f);
    has_line(&f, "verify.txt", "SPLIT_MARKER=UNEXPECTED_PRESENT", true);
    file_is(&f, "STATUS", "result_not_passed\n");
    fixture_destroy(&f);

    make(&f, MGC_MODE_BENCHMARK, "inproc");
    write_all(&f);
    has_line(&f, "verify.txt", "TRANSPORT_MARKER=inproc:OK", true);
    fixture_destroy(&f);

    make(&f, MGC_MODE_SSIM, "shm");
    write_all(&f);
    has_line(&f, "verify.txt", "TRANSPORT_MARKER=spawn:OK", true);
    has_line(&f, "verify.txt",
        "SECOND_PROCESS_SPAWN_ARMED=OK: " LINE "MG_Remote client: spawn ARMED - the server role "
        "runs in pid 4712, reached at \"@mgl-4700-123456\"",
        true);
    char *meta = fixture_text(&f, "meta.txt");
    assert_non_null(strstr(meta, "arm=shm rep=ssim workload=openra "));
    assert_non_null(strstr(meta, " mode=ssim\n"));
    free(meta);
    fixture_destroy(&f);
}

static void a_missing_marker_is_missing_and_the_cell_not_finished(void **state)
{
    struct fixture f;
    make(&f, MGC_MODE_BENCHMARK, "tcp");
    fixture_edit(&f, "mobilegl.client.log", "run-ahead ARMED", "run-ahead, running lockstep");
    write_all(&f);
    has_line(&f, "verify.txt", "RUN_AHEAD_ARMED=MISSING", true);
    has_line(&f, "verify.txt", "LOCKSTEP_WARNING=absent", false);
    file_is(&f, "STATUS", "result_not_passed\n");
    fixture_destroy(&f);
}

static void how_it_ended_in_the_old_words(void **state)
{
    static const struct {
        const char *end, *status;
    } rows[] = {{"died", "process_died"}, {"timeout", "timeout"}, {"fatal", "process_died"},
        {"result", "result_not_passed"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        char line[64];
        make(&f, MGC_MODE_BENCHMARK, "shm");
        mgc_fields_set_str(fixture_facts(&f, "replay"), "end", rows[i].end);
        fixture_edit(&f, "result.json", "\"passed\": true", "\"passed\": false");
        write_all(&f);
        snprintf(line, sizeof(line), "%s\n", rows[i].status);
        file_is(&f, "STATUS", line);
        char *meta = fixture_text(&f, "meta.txt");
        assert_non_null(strstr(meta, "passed=false"));
        free(meta);
        fixture_destroy(&f);
    }
}

static void what_never_ran_is_short(void **state)
{
    static const struct {
        const char *step, *failure, *status, *meta;
    } rows[] = {
        {"replay", "am-start", "am_start_failed", "arm=tcp rep=1 workload=openra duration_s=9\n"},
        {"quiesce", "hot", NULL, "arm=tcp rep=1 workload=openra duration_s=9\n"},
        {"server", "not-started", "server_start_failed",
            "arm=tcp rep=1 workload=openra duration_s=9\n"},
        {"server", "not-listening", "server_not_listening",
            "arm=tcp rep=1 workload=openra duration_s=9 listening_wait_s=30\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        char line[64];
        make(&f, MGC_MODE_BENCHMARK, "tcp");
        f.outcomes[FIXTURE_SERVER].start_ns = INT64_C(1000000000);
        f.outcomes[FIXTURE_SERVER].end_ns = INT64_C(31000000000);
        if (strcmp(rows[i].step, "replay") != 0)
            f.outcomes[FIXTURE_REPLAY].start_ns = 0;
        mgc_fields_remove(fixture_facts(&f, "replay"), "end");
        mgc_fields_set_str(fixture_facts(&f, rows[i].step), "failure", rows[i].failure);
        fixture_fail(&f, rows[i].step, MGC_E_FAILED, "no");
        if (strcmp(rows[i].step, "replay") == 0) /* nobody came to it */
            f.outcomes[FIXTURE_SERVER].state = MGC_STEP_FAILED;
        write_all(&f);
        snprintf(line, sizeof(line), "%s\n", rows[i].status ? rows[i].status : "");
        if (rows[i].status)
            file_is(&f, "STATUS", line);
        else /* no old word fits: am_start_failed would be a wrong cause */
            assert_false(mgc_file_exists(fixture_path(&f, "STATUS")));
        file_is(&f, "meta.txt", rows[i].meta);
        assert_false(mgc_file_exists(fixture_path(&f, "verify.txt")));
        fixture_destroy(&f);
    }
}

static void lines_come_from_every_log_and_count_once(void **state)
{
    struct fixture f;
    make(&f, MGC_MODE_BENCHMARK, "tcp");
    fixture_append(&f, "logcat.txt", "11-30 12:00:05.000  1  2 I MobileGL: " LINE STATS);
    fixture_append(&f, "logcat.txt", "11-30 12:00:05.000  1  2 E Other: Fatal{\"not ours\"}");
    fixture_append(
        &f, "logcat.txt", "11-30 12:00:06.000  1  2 E MobileGL: " LINE "MGPipe: Fatal{A}");
    fixture_append(&f, "logcat.txt", "11-30 12:00:05.000  1  2 I MobileGLServer: " LINE STATS);
    fixture_append(&f, "mobilegl.client.log", LINE STATS);
    fixture_append(
        &f, "mobilegl.client.log", LINE "MGPipe stats: counters ON (MOBILEGL_PIPE_STATS)");
    fixture_append(
        &f, "mobilegl.client.log", LINE "P65LinkMetrics kind=frame frame=1 wait_replies=2");
    fixture_append(&f, "mobilegl.client.log", LINE "MGPipe: Fatal{A}");
    fixture_append(&f, "mobilegl.client.log", LINE "MGPipe: Fatal{A}");
    fixture_append(&f, "mgl.server.log", LINE "MGPipe: Fatal{B, \"x\"}");
    write_all(&f);
    file_is(&f, "pipestats-lines.txt",
        "[logcat.txt] 11-30 12:00:05.000  1  2 I MobileGL: " LINE STATS "\n"
        "[logcat.txt] 11-30 12:00:05.000  1  2 I MobileGLServer: " LINE STATS "\n"
        "[mobilegl.client.log] " LINE STATS "\n"
        "[mobilegl.client.log] " LINE "MGPipe stats: counters ON (MOBILEGL_PIPE_STATS)\n");
    file_is(&f, "linkmetrics-lines.txt",
        "[mobilegl.client.log] " LINE "P65LinkMetrics kind=frame frame=1 wait_replies=2\n");
    has_line(&f, "verify.txt", "PIPESTATS_LINES=1", true);
    has_line(&f, "verify.txt", "FATAL_LINES=3", true);
    has_line(
        &f, "all-marker-evidence.txt", "[mgl.server.log] " LINE "MGPipe: Fatal{B, \"x\"}", true);
    fixture_destroy(&f);
}

static void a_flood_stays_bounded(void **state)
{
    struct fixture f;
    struct mgc_buf flood = {0};
    make(&f, MGC_MODE_BENCHMARK, "tcp");
    for (int i = 0; i < 400000; i++)
        mgc_buf_printf(&flood, LINE "MGPipe: Fatal{Flood, \"%d\"}\n", i);
    fixture_put(&f, "mgl.client.log", mgc_buf_text(&flood));
    mgc_buf_destroy(&flood);
    write_all(&f);
    char *text = fixture_text(&f, "all-marker-evidence.txt");
    assert_true(strlen(text) < MGC_LEGACY_LINES_MAX + 100);
    assert_non_null(strstr(text, "more lines, left out here\n"));
    free(text);
    has_line(&f, "verify.txt", "FATAL_LINES=400000", true);
    fixture_destroy(&f);
}

static void nothing_at_all_claims_nothing(void **state)
{
    struct fixture f;
    make(&f, MGC_MODE_BENCHMARK, "monolith");
    fixture_remove(&f, "mobilegl.client.log");
    fixture_remove(&f, "logcat.txt");
    fixture_remove(&f, "result.json");
    mgc_fields_remove(fixture_facts(&f, "quiesce"), "battery_temp_dc");
    write_all(&f);
    has_line(&f, "verify.txt", "SPLIT_MARKER=absent (monolith:OK)", false);
    has_line(&f, "verify.txt", "FATAL_LINES=0", false);
    char *meta = fixture_text(&f, "meta.txt");
    assert_non_null(strstr(meta, " battery_temp_dc= status="));
    assert_non_null(strstr(meta, " passed=none "));
    free(meta);
    fixture_destroy(&f);
}

static void words_are_found_again(void **state)
{
    enum mgc_old_status status;
    for (int i = 0; i < MGC_OLD_STATUS_COUNT; i++) {
        assert_true(mgc_old_status_find(mgc_old_status_word((enum mgc_old_status)i), &status));
        assert_int_equal(status, i);
    }
    assert_false(mgc_old_status_find("Finished", &status));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_cell),
        cmocka_unit_test(each_arm_has_its_own_lines),
        cmocka_unit_test(a_missing_marker_is_missing_and_the_cell_not_finished),
        cmocka_unit_test(how_it_ended_in_the_old_words),
        cmocka_unit_test(what_never_ran_is_short),
        cmocka_unit_test(lines_come_from_every_log_and_count_once),
        cmocka_unit_test(a_flood_stays_bounded),
        cmocka_unit_test(nothing_at_all_claims_nothing),
        cmocka_unit_test(words_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
