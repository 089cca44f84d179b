/* The numbers: golden values, and what is absent stays absent. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/verify/metrics.h"
#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

static void assert_metric(const struct fixture *f, const char *name, double expected)
{
    double value;
    if (!mgc_fields_get_double(&f->verdict.metrics, name, &value))
        fail_msg("metric '%s' is absent", name);
    if (fabs(value - expected) > 1e-9 * fmax(1, fabs(expected)))
        fail_msg("metric '%s' is %.12g, expected %.12g", name, value, expected);
}

static void assert_absent(const struct fixture *f, const char *const *names)
{
    for (; *names; names++) {
        if (mgc_fields_get(&f->verdict.metrics, *names))
            fail_msg("metric '%s' is there", *names);
    }
}

static void golden_values(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    f.attempt.release = (struct mgc_release){.released = true,
        .skew_ns = 1500000,
        .uncertainty_ns = 250000,
        .members = 2,
        .reported = 2};
    fixture_judge(&f);
    static const struct {
        const char *name;
        double value;
    } golden[] = {
        {"fps", 3.839},
        {"mean_ms", 260.5},
        {"median_ms", 16},
        {"p95_ms", 1000},
        {"total_frames", 4},
        {"total_seconds", 1.1},
        {"first_frame_s", 1},
        {"steady_fps", 1000.0 / 12}, /* median of 20, 10, 12 */
        {"steady_mb_per_frame", 2},  /* frames 2..4: 1, 2, 3 MB */
        {"throughput_fps", 3000.0 / 42},
        {"steady_mbps", 2 * 3000.0 / 42},
        {"wait_replies", 7},
        {"steady_replies_per_frame", 1}, /* those of the load are in frame 1 */
        {"rtt_samples", 7},
        {"rtt_mean_ms", 16.00025},
        {"rtt_p50_ub_ms", 8.192},
        {"rtt_p99_ub_ms", 131.072},
        {"stage_mb", 106},
        {"client_cpu_s", 0.65},
        {"wall_s", 1.5},
        {"rc", 0},
        {"fatal_lines", 0},
        {"start_skew_ms", 1.5},
        {"start_uncertainty_ms", 0.25},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++)
        assert_metric(&f, golden[i].name, golden[i].value);
    assert_string_equal(mgc_fields_get_str(&f.verdict.metrics, "trace_sha256"), "ab12");
    assert_string_equal(mgc_fields_get_str(&f.verdict.metrics, "message"), "ok");
    static const char *const absent[] = {"ssim", "mismatch_pixels", "client_sha256", NULL};
    assert_absent(&f, absent);
    fixture_destroy(&f);
}

static void ssim_cells_have_a_picture_and_no_frame_times(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_SSIM);
    fixture_judge(&f);
    assert_metric(&f, "ssim", 0.99988301);
    assert_metric(&f, "mismatch_pixels", 3);
    static const char *const absent[] = {"fps", "steady_fps", "mean_ms", "median_ms", "p95_ms",
        "first_frame_s", "total_frames", "total_seconds", "start_skew_ms", "steady_mbps", NULL};
    assert_absent(&f, absent);
    fixture_destroy(&f);
}

static void without_link_metrics_there_are_none(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "mobilegl.client.log", "P65LinkMetrics", "P65Nothing");
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    static const char *const absent[] = {"steady_mb_per_frame", "steady_mbps",
        "steady_replies_per_frame", "wait_replies", "rtt_mean_ms", "rtt_p50_ub_ms", "rtt_p99_ub_ms",
        "stage_mb", "client_cpu_s", NULL};
    assert_absent(&f, absent);
    assert_metric(&f, "steady_fps", 1000.0 / 12);
    fixture_destroy(&f);
}

/* 4 MB in 100 ms of reading; a line that was cut says nothing, and none at all is no 0. */
static void how_fast_the_server_read(void **state)
{
    static const char *const absent[] = {"server_read_bytes", "server_read_mb_s", NULL};
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_judge(&f);
    assert_absent(&f, absent);
    fixture_destroy(&f);
    fixture_make(&f, MGC_MODE_BENCHMARK);
    for (int frame = 1; frame <= 2; frame++)
        fixture_append(&f, "mgl.server.log",
            "[12:00:03] [Android mgl-srv-apply/INFO]: P65ServerFrame frame=7 records=7497 "
            "apply_ms=3.6 wall_ms=51.0 outside_ms=47.4 | read: 2000000 B in 40 recv(22 reads) "
            "recv_ms=46.9 total_ms=50.0 (94% blocked, 40.0 MB/s)");
    fixture_append(&f, "mgl.server.log", "P65ServerFrame frame=8 records=7497 apply_ms=3.6 wall");
    fixture_judge(&f);
    assert_metric(&f, "server_read_bytes", 4000000);
    assert_metric(&f, "server_read_mb_s", 40);
    fixture_destroy(&f);
}

/* A mean over the frames that happen to have a line is not the mean over the frames. */
static void steady_bytes_need_every_frame(void **state)
{
    static const struct {
        const char *from, *to;
    } spoils[] = {
        {"kind=frame frame=3", "kind=frame fra"},     /* cut */
        {"kind=frame frame=3", "kind=other frame=3"}, /* not there */
        {"kind=frame frame=4", "kind=frame frame=9"},
        {"stage_bytes=2000000", "stage_bytes=2e"},
    };
    static const char *const absent[] = {
        "steady_mb_per_frame", "steady_mbps", "steady_replies_per_frame", NULL};
    for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        fixture_edit(&f, "mobilegl.client.log", spoils[i].from, spoils[i].to);
        fixture_judge(&f);
        assert_absent(&f, absent);
        assert_metric(&f, "steady_fps", 1000.0 / 12);
        fixture_destroy(&f);
    }
}

static void no_fatal_is_said_of_all_logs_or_not_at_all(void **state)
{
    static const char *const files[] = {
        "mobilegl.client.log", "mgl.server.log", "phone-logcat.txt"};
    static const char *const absent[] = {"fatal_lines", "pipe_stats_lines", NULL};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        fixture_remove(&f, files[i]);
        fixture_judge(&f);
        assert_absent(&f, absent);
        fixture_destroy(&f);
        fixture_make(&f, MGC_MODE_BENCHMARK);
        fixture_make_unreadable(&f, files[i]);
        fixture_judge(&f);
        assert_absent(&f, absent);
        fixture_destroy(&f);
    }
}

static void the_tail_is_what_was_asked_for(void **state)
{
    for (int64_t asked = 3; asked <= 5; asked++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        struct mgc_fields *params = &f.steps[FIXTURE_REPLAY].params;
        mgc_fields_set_int(params, "benchmark_tail_frames", asked);
        fixture_judge(&f);
        mgc_fields_destroy(params);
        assert_int_equal(f.verdict.state, asked < 4 ? MGC_VERDICT_INVALID : MGC_VERDICT_MEASURED);
        assert_string_equal(f.verdict.reason, asked < 4 ? "frame-count" : "");
        fixture_destroy(&f);
    }
}

static void a_link_without_samples_is_not_a_fast_one(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "mobilegl.client.log",
        "wait_replies=7 rtt_samples=7 rtt_mean_us=16000.250 rtt_p50_upper_us=8192 "
        "rtt_p99_upper_us=131072",
        "wait_replies=0 rtt_samples=0 rtt_mean_us=0.000 rtt_p50_upper_us=0 rtt_p99_upper_us=0");
    fixture_judge(&f);
    static const char *const absent[] = {
        "rtt_samples", "rtt_mean_ms", "rtt_p50_ub_ms", "rtt_p99_ub_ms", NULL};
    assert_absent(&f, absent);
    assert_metric(&f, "wait_replies", 0); /* that one was counted */
    fixture_destroy(&f);
}

static void one_frame_is_all_load(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "benchmark.json", "[1000.000, 20.000, 10.000, 12.000]", "[1000.000]");
    fixture_judge(&f);
    assert_metric(&f, "first_frame_s", 1);
    static const char *const absent[] = {"steady_fps", "throughput_fps", "steady_mbps", NULL};
    assert_absent(&f, absent);
    fixture_destroy(&f);
}

/* Run-ahead lets frames go in bursts: the median is the gap inside one, and no rate. */
static void bursts_do_not_make_it_faster(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "benchmark.json", "[1000.000, 20.000, 10.000, 12.000]",
        "[1000.000, 85.000, 5.000, 76.000, 6.000, 75.000, 6.000, 5.000]");
    for (int frame = 5; frame <= 8; frame++) {
        char line[128];
        snprintf(
            line, sizeof(line), "P65LinkMetrics kind=frame frame=%d stage_bytes=2000000", frame);
        fixture_append(&f, "mobilegl.client.log", line);
    }
    fixture_judge(&f);
    assert_metric(&f, "throughput_fps", 7000.0 / 258);
    assert_metric(&f, "steady_fps", 1000.0 / 6); /* the old script's, kept under its name */
    assert_metric(&f, "steady_mbps", 2 * 7000.0 / 258);
    fixture_destroy(&f);
}

/* The first 8 frames of openra hold set-up and load, here as on the phone. */
static void the_skip_window_is_the_workloads(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "benchmark.json", "[1000.000, 20.000, 10.000, 12.000]",
        "[1000.000, 85.000, 5.000, 76.000, 6.000, 75.000, 6.000, 5.000, 9.000, 11.000]");
    fixture_judge(&f);
    assert_metric(&f, "skip_frames", 8);
    assert_metric(&f, "kept_frames", 2);
    assert_metric(&f, "kept_mean_ms", 10);
    assert_metric(&f, "kept_p95_ms", 11);
    assert_metric(&f, "kept_p99_ms", 11);
    fixture_destroy(&f);
}

/* A client that was refused writes a document without frames: that is no number of frames. */
static void no_frames_are_absent(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "benchmark.json", "\"totalFrames\": 4", "\"totalFrames\": 0");
    fixture_judge(&f);
    static const char *const absent[] = {"total_frames", NULL};
    assert_absent(&f, absent);
    fixture_destroy(&f);
}

static void an_unreported_start_has_no_skew(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    f.attempt.release = (struct mgc_release){.released = true, .members = 2, .reported = 1};
    fixture_judge(&f);
    static const char *const absent[] = {"start_skew_ms", "start_uncertainty_ms", NULL};
    assert_absent(&f, absent);
    fixture_destroy(&f);
}

static void a_cell_without_files_has_only_what_was_seen(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    static const char *const files[] = {"result.json", "benchmark.json", "mobilegl.client.log",
        "mgl.server.log", "phone-logcat.txt"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        fixture_remove(&f, files[i]);
    fixture_judge(&f);
    /* rc, wall_s, trace_sha256; of the phone: battery_temp_dc before, gate_waited_ms, and what
     * device-state.csv tells of the battery */
    assert_int_equal(f.verdict.metrics.count, 9);
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_values),
        cmocka_unit_test(how_fast_the_server_read),
        cmocka_unit_test(ssim_cells_have_a_picture_and_no_frame_times),
        cmocka_unit_test(without_link_metrics_there_are_none),
        cmocka_unit_test(steady_bytes_need_every_frame),
        cmocka_unit_test(no_fatal_is_said_of_all_logs_or_not_at_all),
        cmocka_unit_test(the_tail_is_what_was_asked_for),
        cmocka_unit_test(a_link_without_samples_is_not_a_fast_one),
        cmocka_unit_test(one_frame_is_all_load),
        cmocka_unit_test(bursts_do_not_make_it_faster),
        cmocka_unit_test(the_skip_window_is_the_workloads),
        cmocka_unit_test(no_frames_are_absent),
        cmocka_unit_test(an_unreported_start_has_no_skew),
        cmocka_unit_test(a_cell_without_files_has_only_what_was_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
