/* What a cell of the matrix tells beside its verdict, and what it is judged by when something is
 * not known. */
#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

static void restart_is_worth_another_attempt(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    mgc_fields_set_str(fixture_facts(&f, "quiesce"), "boot_id", "boot-2");
    fixture_must_be(&f, "restart", MGC_VERDICT_FAILED, "phone-rebooted");
    assert_true(f.verdict.infrastructure);
    fixture_destroy(&f);
}

/* No knobs in the plan, nothing to hold. */
static void without_knobs_none_is_missed(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    f.setup_cell.step_count = FIXTURE_KNOBS;
    mgc_fields_remove(fixture_facts(&f, "quiesce"), "knobs_lost");
    mgc_fields_remove(fixture_facts(&f, "replay"), "knobs_lost");
    fixture_must_be(&f, "no knobs", MGC_VERDICT_MEASURED, NULL);
    fixture_destroy(&f);
}

/* The cell's own first sample proves less, and the evidence says that it was all there was. */
static void what_limits_are_held_against_is_told(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    fixture_judge(&f);
    assert_string_equal(fixture_evidence(&f, "not throttled")->seen,
        "no limit fell: cpu7_max_khz against its pin, gpu_thermal_level against the first sample, "
        "cpu0_max_khz against the hardware's maximum");
    fixture_edit(&f, "device-state.csv", "cpu0_hw_khz", "other");
    fixture_must_be(&f, "no hardware maximum", MGC_VERDICT_MEASURED, NULL);
    assert_non_null(strstr(
        fixture_evidence(&f, "not throttled")->seen, "cpu0_max_khz against the first sample"));
    fixture_destroy(&f);
}

/* A worker that samples more rarely than it was told does not move the limit. */
static void the_plan_says_how_often(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    mgc_fields_set_int(&f.steps[FIXTURE_STATE].params, "period_ms", 1000);
    fixture_edit(&f, "device-state.csv", "period_ms=1000", "period_ms=9000");
    mgc_fields_set_int(fixture_facts(&f, "replay"), "end_mono_ns", INT64_C(17000000000));
    fixture_must_be(&f, "period", MGC_VERDICT_INVALID, "device-state-missing");
    fixture_destroy(&f);
}

static void harness_time_and_streams_are_told(void **state)
{
    struct fixture f;
    double seconds;
    int64_t count;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "tcp");
    fixture_put(&f, "pipestats.client.json", "{\"frames\": 0, \"calls\": {\"wire-records\": 30}}");
    fixture_put(&f, "tcp-server-pipestats.json", "{\"frames\": 4}");
    fixture_put(&f, "pipestats.server.json", "{\"frames\": ");
    fixture_judge(&f);
    const struct mgc_fields *metrics = &f.verdict.metrics;
    assert_true(mgc_fields_get_double(metrics, "app_s", &seconds) && seconds == 4);
    assert_true(mgc_fields_get_double(metrics, "harness_s", &seconds) && seconds == 0.5);
    assert_true(mgc_fields_get_int(metrics, "adb_streams", &count) && count == 15);
    assert_true(mgc_fields_get_int(metrics, "pipe_frames", &count) && count == 4);
    assert_true(mgc_fields_get_int(metrics, "pipe_wire_records", &count) && count == 30);
    assert_true(mgc_fields_get_int(metrics, "pipe_dumps", &count) && count == 2);
    assert_non_null(strstr(mgc_fields_get_str(metrics, "pipe_damaged"), "pipestats.server.json"));
    mgc_fields_remove(&f.outcomes[FIXTURE_STATE].facts, "adb_streams");
    mgc_fields_remove(&f.outcomes[FIXTURE_QUIESCE].facts, "gate_waited_ms");
    fixture_judge(&f);
    assert_true(mgc_fields_get_double(&f.verdict.metrics, "app_s", &seconds));
    assert_false(mgc_fields_get_double(&f.verdict.metrics, "harness_s", &seconds));
    assert_false(mgc_fields_get_int(&f.verdict.metrics, "adb_streams", &count));
    fixture_destroy(&f);
}

static void count_is(const struct fixture *f, const char *metric, int64_t expected)
{
    int64_t count = -1;
    bool known = mgc_fields_get_int(&f->verdict.metrics, metric, &count);
    if (known != (expected >= 0) || (known && count != expected))
        fail_msg("%s is %s%lld", metric, known ? "" : "absent, not ", (long long)count);
}

/* The second dump is not there: what it counts is not known, and not 0. */
static void zeros_of_one_role_say_nothing(void **state)
{
    static const char dump[] = "{\"frames\": 4, \"calls\": {\"wire-records\": 0, \"draws\": 9}}";
    static const char *const split_arms[] = {"shm", "inproc"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        fixture_make_matrix(&f, MGC_MODE_SSIM, split_arms[i]);
        fixture_put(&f, i ? "pipestats.client.json" : "pipestats.server.json", dump);
        fixture_judge(&f);
        count_is(&f, "pipe_draws", 9);
        count_is(&f, "pipe_frames", 4);
        count_is(&f, "pipe_wire_records", i ? 0 : -1); /* inproc has one process, so one dump */
        assert_string_equal(
            mgc_fields_get_str(&f.verdict.metrics, "pipe_roles"), i ? "client" : "server");
        fixture_destroy(&f);
    }
    (void)state;
}

static void what_moved_the_bytes_is_told(void **state)
{
    static const char line[] = "[12:00:05] [Android MobileGLTraceRe/INFO]: mglab: transport=tcp "
                               "moved ring=0 shared=0 socket=25912345 bytes";
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "tcp");
    mgc_fields_set_int(fixture_facts(&f, "replay"), "pid", 4700);
    fixture_append(&f, "mobilegl.client.log", line);
    fixture_append(&f, "logcat.txt", line); /* counts once */
    for (int frame = 1; frame <= 2; frame++)
        fixture_append(&f, "mgl.server.log",
            "[12:00:04] [Android mgl-srv-apply/INFO]: P65ServerFrame frame=7 records=7497 "
            "apply_ms=3.6 wall_ms=41.0 outside_ms=37.4 | read: 816248 B in 13 recv(26 reads) "
            "recv_ms=30.1 total_ms=34.2 (88.0% blocked, 27.1 MB/s)");
    fixture_judge(&f);
    count_is(&f, "processes", 3);
    count_is(&f, "moved_socket_bytes", 25912345);
    count_is(&f, "moved_ring_bytes", 0);
    count_is(&f, "server_read_bytes", 2 * 816248);
    mgc_fields_remove(&f.outcomes[FIXTURE_REPLAY].facts, "pid");
    fixture_judge(&f);
    count_is(&f, "processes", -1);
    fixture_destroy(&f);

    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "monolith");
    mgc_fields_set_int(fixture_facts(&f, "replay"), "pid", 4700);
    fixture_judge(&f);
    count_is(&f, "processes", 1);
    count_is(&f, "moved_socket_bytes", -1);
    count_is(&f, "server_read_bytes", -1);
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harness_time_and_streams_are_told),
        cmocka_unit_test(zeros_of_one_role_say_nothing),
        cmocka_unit_test(what_moved_the_bytes_is_told),
        cmocka_unit_test(what_limits_are_held_against_is_told),
        cmocka_unit_test(restart_is_worth_another_attempt),
        cmocka_unit_test(without_knobs_none_is_missed),
        cmocka_unit_test(the_plan_says_how_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
