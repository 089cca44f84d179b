#include "tests/unit/report/fixture_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/merge/settings.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

static const struct {
    const char *name;
    double mean_ms;
    int64_t credit;
    const char *endpoint;
} arms[] = {
    {"monolith", 9.9, 0, NULL},
    {"inproc", 8.0, 1, NULL},
    {"shm", 9.8, 1, NULL},
    {"tcp", 13.0, 1, "127.0.0.1:40613"},
};
static const double rounds[] = {1.00, 1.02, 0.99};
static const double wobble[4][3] = {
    {1, 1, 1}, {1, 1.01, 0.99}, {1.02, 0.97, 1.01}, {1, 0.99, 1.02}};

static void add_cell(struct matrix_fixture *f, const char *workload, size_t arm, int64_t rep)
{
    size_t at = f->plan.cell_count++;
    bool ssim = rep == 0;
    bool openra = strcmp(workload, "openra") == 0;
    if (ssim)
        snprintf(f->ids[at], sizeof(f->ids[at]), "%s/%s-rssim", workload, arms[arm].name);
    else
        snprintf(f->ids[at], sizeof(f->ids[at]), "%s/%s-r%d", workload, arms[arm].name, (int)rep);
    f->cells[at] = (struct mgc_cell){
        .kind = MGC_CELL_MEASURE,
        .id = f->ids[at],
        .lane = (char *)"matrix",
        .workload = (char *)workload,
        .arm = (char *)arms[arm].name,
        .rep = ssim ? 1 : rep,
        .mode = ssim ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK,
        .expect = {.frames = ssim     ? 0
                             : openra ? 128
                                      : 251,
            .width = openra ? 640 : 854,
            .height = 480,
            .credit = arms[arm].credit,
            .benchmark_finish = !ssim,
            .ssim_threshold = ssim ? 0.99 : 0,
            .backend = (char *)"DirectGLES",
            .endpoint = (char *)arms[arm].endpoint,
            .package = (char *)"top.mobilegl.plugin.trace",
            .pipe_stats = true,
            .temp_min_dc = 50,
            .temp_max_dc = 380},
    };
}

static void make_plan(struct matrix_fixture *f)
{
    *f = (struct matrix_fixture){.plan = {.name = (char *)"matrix",
                                     .run_id = (char *)"20261130T170000Z-matrix-k3f9",
                                     .order = (char *)"shuffle",
                                     .seed = 7,
                                     .reference = (char *)"monolith"}};
    f->plan.cells = f->cells;
    f->plan.shorten[0] = (struct mgc_shorten){
        .lane = (char *)"matrix", .workload = (char *)"rd12", .above_ms = 300000, .reps = 2};
    f->plan.shorten_count = 1;
    for (int64_t rep = 1; rep <= 3; rep++) {
        for (size_t arm = 0; arm < 4; arm++)
            add_cell(f, "openra", arm, rep);
    }
    for (size_t arm = 0; arm < 4; arm++)
        add_cell(f, "openra", arm, 0);
    for (int64_t rep = 1; rep <= 3; rep++) {
        for (size_t arm = 0; arm < 2; arm++)
            add_cell(f, "rd12", arm, rep);
    }
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
}

/* ---- what was seen -------------------------------------------------------------------------- */

static void add_proof(struct mgc_verdict *verdict, size_t arm)
{
    static const char *const transport[] = {"", "inproc", "spawn", "spawn"};
    if (arm == 0) {
        mgc_verdict_add(verdict, "transport-inproc", MGC_CHECK_OK, "all logs", "not seen");
        mgc_verdict_add(verdict, "transport-spawn", MGC_CHECK_OK, "all logs", "not seen");
    } else {
        char check[32];
        snprintf(check, sizeof(check), "transport-%s", transport[arm]);
        mgc_verdict_add(verdict, check, MGC_CHECK_OK, "mobilegl.client.log:2",
            "Config: MOBILEGL_TRANSPORT=%s - the MGPipe record stream", transport[arm]);
        mgc_verdict_add(verdict, "run-ahead-armed", MGC_CHECK_OK, "mobilegl.client.log:6",
            "MG_Remote client: run-ahead ARMED - by 1");
    }
    if (arm == 2)
        mgc_verdict_add(verdict, "spawn-armed", MGC_CHECK_OK, "mobilegl.client.log:4",
            "MG_Remote client: spawn ARMED - the server role runs in pid 4712");
    if (arm == 3)
        mgc_verdict_add(verdict, "control-tcp", MGC_CHECK_OK, "mobilegl.client.log:5",
            "MG_Remote client: control=tcp data=stream server=127.0.0.1:40613 pid=4711");
    mgc_verdict_add(verdict, "lockstep", MGC_CHECK_OK, "all logs", "not seen");
    mgc_verdict_add(verdict, "disarmed", MGC_CHECK_OK, "all logs", "not seen");
    mgc_verdict_add(verdict, "not throttled", MGC_CHECK_OK, "device-state.csv", "no limit fell");
}

static void set_frames(struct mgc_fields *metrics, double mean_ms, int64_t frames)
{
    mgc_fields_set_double(metrics, "fps", 1000 / mean_ms);
    mgc_fields_set_double(metrics, "mean_ms", mean_ms);
    mgc_fields_set_double(metrics, "median_ms", mean_ms * 0.5);
    mgc_fields_set_double(metrics, "p95_ms", mean_ms * 2);
    mgc_fields_set_int(metrics, "total_frames", frames);
    mgc_fields_set_double(metrics, "total_seconds", mean_ms * (double)frames / 1000);
    mgc_fields_set_int(metrics, "skip_frames", frames == 128 ? 8 : 4);
    mgc_fields_set_int(metrics, "kept_frames", frames == 128 ? 120 : 247);
    mgc_fields_set_double(metrics, "kept_mean_ms", mean_ms * 0.6);
    mgc_fields_set_double(metrics, "kept_median_ms", mean_ms * 0.5);
    mgc_fields_set_double(metrics, "kept_p95_ms", mean_ms);
    mgc_fields_set_double(metrics, "kept_p99_ms", mean_ms * 1.2);
    mgc_fields_set_double(metrics, "kept_max_ms", mean_ms * 1.5);
    mgc_fields_set_double(metrics, "kept_low1_fps", 1000 / (mean_ms * 1.4));
}

static void set_counters(struct mgc_fields *metrics, size_t arm)
{
    mgc_fields_set_int(metrics, "pipe_stats_lines", 2);
    mgc_fields_set_int(metrics, "fatal_lines", 0);
    mgc_fields_set_int(metrics, "pipe_dumps", arm < 2 ? 1 : 2);
    mgc_fields_set_str(metrics, "pipe_roles", arm < 2 ? "client" : "client and server");
    mgc_fields_set_int(metrics, "processes", arm < 2 ? 1 : arm);
    mgc_fields_set_int(metrics, "pipe_frames", 128);
    mgc_fields_set_int(metrics, "pipe_stage_buffer", 700000);
    mgc_fields_set_int(metrics, "pipe_stage_texture", 90000);
    if (arm == 0)
        return;
    mgc_fields_set_int(metrics, "pipe_persistent_map_push", 600000);
    mgc_fields_set_int(metrics, "pipe_stage_segment_bytes", 123456);
    mgc_fields_set_int(metrics, "pipe_wire_records", 9600);
    mgc_fields_set_int(metrics, "pipe_max_record_bytes", 1808);
    mgc_fields_set_int(metrics, "pipe_max_record_bytes_cap", 4194304);
    mgc_fields_set_int(metrics, "pipe_server_waits", 9000);
    mgc_fields_set_int(metrics, "pipe_server_parks", 12);
    mgc_fields_set_int(metrics, "pipe_client_waits", 121);
    mgc_fields_set_int(metrics, "pipe_client_parks", 5);
    mgc_fields_set_int(metrics, "lm_frames", 128);
    mgc_fields_set_int(metrics, "lm_wait_replies", 128);
    mgc_fields_set_int(metrics, "lm_stage_bytes", 816000);
    if (arm == 3) {
        mgc_fields_set_double(metrics, "lm_transport_wait_ms", 812.5);
        mgc_fields_set_int(metrics, "moved_ring_bytes", 0);
        mgc_fields_set_int(metrics, "moved_shared_bytes", 0);
        mgc_fields_set_int(metrics, "moved_socket_bytes", 912345);
    }
    mgc_fields_set_str(metrics, "surface", "server");
}

static void set_common(struct mgc_fields *metrics, double app_s)
{
    mgc_fields_set_bool(metrics, "passed", true);
    mgc_fields_set_str(metrics, "message", "ok");
    mgc_fields_set_int(metrics, "battery_temp_dc", 311);
    mgc_fields_set_int(metrics, "battery_temp_start_dc", 311);
    mgc_fields_set_int(metrics, "battery_temp_end_dc", 318);
    mgc_fields_set_double(metrics, "app_s", app_s);
    mgc_fields_set_double(metrics, "harness_s", 1.25);
    mgc_fields_set_int(metrics, "launch_ms", 140);
    mgc_fields_set_int(metrics, "gate_waited_ms", 0);
    mgc_fields_set_int(metrics, "adb_streams", 9);
    mgc_fields_set_int(metrics, "state_samples", 14);
    mgc_fields_set_int(metrics, "state_late", 0);
    mgc_fields_set_double(metrics, "sampler_cpu_ms", 21.5);
    mgc_fields_set_str(metrics, "apk_sha256", "a1a1a1a1a1a1a1a1");
    mgc_fields_set_str(metrics, "library_sha256", "b2b2b2b2b2b2b2b2");
    mgc_fields_set_str(metrics, "trace_sha256", "c3c3c3c3c3c3c3c3");
}

static size_t arm_of(const struct mgc_cell *cell)
{
    size_t arm = 0;
    while (strcmp(arms[arm].name, cell->arm) != 0)
        arm++;
    return arm;
}

static void measure(struct mgc_cell_result *result)
{
    const struct mgc_cell *cell = result->cell;
    struct mgc_verdict *verdict = &result->verdict;
    size_t arm = arm_of(cell), round = (size_t)cell->rep - 1;
    bool openra = strcmp(cell->workload, "openra") == 0;
    verdict->state = MGC_VERDICT_MEASURED;
    add_proof(verdict, arm);
    set_common(&verdict->metrics, openra ? 12.5 : 310.5);
    if (cell->mode == MGC_MODE_SSIM) {
        mgc_fields_set_double(&verdict->metrics, "ssim", 0.999999);
        mgc_fields_set_int(&verdict->metrics, "fatal_lines", 0);
        return;
    }
    double slow = openra ? 1 : 120;
    set_frames(&verdict->metrics, arms[arm].mean_ms * slow * rounds[round] * wobble[arm][round],
        openra ? 128 : 251);
    set_counters(&verdict->metrics, arm);
}

static void run_cell(struct matrix_fixture *f, struct mgc_cell_result *result)
{
    if (strcmp(result->cell->workload, "rd12") == 0 && result->cell->rep == 3) {
        mgc_reason_set(&result->verdict, MGC_REASON_LEFT_OUT,
            "rd12/monolith-r1 took the app 310 s, more than 300 s: rounds after the 2nd are left "
            "out");
        return;
    }
    result->attempts = 1;
    result->dir = strdup(result->cell->id);
    result->duration_ns = INT64_C(13750000000);
    result->start_wall_ns = f->results.start_wall_ns;
    result->end_wall_ns = f->results.end_wall_ns;
    measure(result);
}

/* shm-r2 was throttled, tcp-r3 died. */
static void spoil(struct matrix_fixture *f)
{
    struct mgc_verdict *hot = &f->results.cells[6].verdict, *dead = &f->results.cells[11].verdict;
    hot->state = MGC_VERDICT_INCOMPLETE;
    mgc_reason_set(hot, MGC_REASON_THROTTLED,
        "the phone was throttled while the app ran: cpu7_max_khz went from 2035200 to 1286400");
    for (size_t i = 0; i < hot->evidence_count; i++) {
        if (strcmp(hot->evidence[i].check, "not throttled") == 0)
            hot->evidence[i].outcome = MGC_CHECK_BAD;
    }
    mgc_verdict_destroy(dead);
    mgc_verdict_add(dead, "app's run ended", MGC_CHECK_BAD, "host.replay", "died");
    mgc_reason_set(dead, MGC_REASON_APP_DIED,
        "the app's process ended before its result by signal 11, 0.2 s after its start");
    mgc_fields_set_int(&dead->metrics, "adb_streams", 8);
}

static void facts(struct mgc_results *results)
{
    mgc_fields_set_str(&results->device, "model", "lab phone");
    mgc_fields_set_str(&results->device, "serialno", "lab0");
    mgc_fields_set_str(&results->setup, "app.apk_sha256", "a1a1a1a1a1a1a1a1");
    mgc_fields_set_str(&results->setup, "app.library_sha256", "b2b2b2b2b2b2b2b2");
    mgc_fields_set_str(&results->setup, "app.version", "1.2");
    mgc_fields_set_str(&results->setup, "fixtures-openra.trace_sha256", "c3c3c3c3c3c3c3c3");
    mgc_fields_set_bool(&results->setup, "fixtures-openra.trace_pushed", true);
    mgc_fields_set_str(
        &results->setup, "knobs.knob.1.what", "setting global stay_on_while_plugged_in 7");
    mgc_fields_set_str(&results->setup, "knobs.knob.1", "applied 7 (was 0)");
    mgc_results_add_setting(results, "lanes.matrix.shorten.rd12.above", "300000", "plan.yaml:3");
    mgc_results_add_setting(results, "lanes.matrix.temp_max", "38", "built-in");
    results->tool_build = strdup("mgcoord 0.1.0");
    results->hosts = calloc(1, sizeof(*results->hosts));
    results->host_count = 1;
    results->hosts[0] = (struct mgc_host_record){
        .name = strdup("host"), .role = strdup("host"), .host = strdup("pc"), .sessions = 1};
}

void matrix_fixture_make(struct matrix_fixture *fixture)
{
    make_plan(fixture);
    fixture->results.start_wall_ns = INT64_C(1796058000) * MGC_NS_PER_S;
    fixture->results.end_wall_ns = INT64_C(1796059000) * MGC_NS_PER_S;
    for (size_t i = 0; i < fixture->results.count; i++)
        run_cell(fixture, &fixture->results.cells[i]);
    spoil(fixture);
    facts(&fixture->results);
}

void matrix_fixture_destroy(struct matrix_fixture *fixture)
{
    mgc_results_destroy(&fixture->results);
}
