#include "tests/unit/report/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/merge/settings.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

static void add_cell(struct report_fixture *f, const char *id, const char *workload,
    const char *arm, enum mgc_mode mode, int64_t rep)
{
    f->cells[f->plan.cell_count++] = (struct mgc_cell){
        .kind = workload ? MGC_CELL_MEASURE : MGC_CELL_SETUP,
        .id = (char *)id,
        .lane = (char *)"crosshost",
        .workload = (char *)workload,
        .arm = (char *)arm,
        .rep = rep,
        .mode = mode,
        .crosses_hosts = true,
    };
}

static void make_plan(struct report_fixture *f)
{
    *f = (struct report_fixture){
        .plan = {.name = (char *)"crosshost", .run_id = (char *)"20261130T120000Z-crosshost-k3f9"}};
    f->plan.cells = f->cells;
    add_cell(f, "setup", NULL, NULL, MGC_MODE_BENCHMARK, 0);
    add_cell(f, "crosshost/ssim-openra-r1", "openra", "crosshost-c1", MGC_MODE_SSIM, 1);
    add_cell(f, "crosshost/bench-openra-c1-r1", "openra", "crosshost-c1", MGC_MODE_BENCHMARK, 1);
    add_cell(f, "crosshost/bench-rd12-c2-r1", "rd12", "crosshost-c2", MGC_MODE_BENCHMARK, 1);
    add_cell(f, "crosshost/bench-openra-c1-r2", "openra", "crosshost-c1", MGC_MODE_BENCHMARK, 2);
    add_cell(f, "crosshost/bench-openra-c3-r2", "openra", "crosshost-c3", MGC_MODE_BENCHMARK, 2);
    add_cell(f, "crosshost/ssim-rd12-r1", "rd12", "crosshost-c1", MGC_MODE_SSIM, 1);
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
    f->results.start_wall_ns = INT64_C(1796040000) * MGC_NS_PER_S;
    f->results.end_wall_ns = INT64_C(1796040300) * MGC_NS_PER_S;
    f->results.tool_build = strdup("mgcoord 0.1.0");
}

static struct mgc_cell_result *ran(struct report_fixture *f, size_t i, int attempts)
{
    struct mgc_cell_result *cell = &f->results.cells[i];
    cell->attempts = attempts;
    cell->dir = strdup(cell->cell->id);
    cell->start_wall_ns = f->results.start_wall_ns;
    cell->end_wall_ns = f->results.end_wall_ns;
    cell->duration_ns = INT64_C(21500000000);
    return cell;
}

static void prove(struct mgc_verdict *verdict)
{
    verdict->state = MGC_VERDICT_MEASURED;
    mgc_verdict_add(verdict, "transport-spawn", MGC_CHECK_OK, "mobilegl.client.log:2",
        "[12:00:01] [Linux x/INFO]: Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream");
    mgc_verdict_add(verdict, "control-tcp", MGC_CHECK_OK, "mobilegl.client.log:5",
        "MG_Remote client: control=tcp data=stream server=10.99.0.2:40613 pid=4711");
    mgc_verdict_add(verdict, "run-ahead-armed", MGC_CHECK_OK, "mobilegl.client.log:6",
        "MG_Remote client: run-ahead ARMED - <server> *publishes* `caps` | pace\nby 1");
    mgc_verdict_add(
        verdict, "lockstep", MGC_CHECK_OK, "all logs", "not seen in 900 lines of 4 logs");
    mgc_verdict_add(
        verdict, "disarmed", MGC_CHECK_OK, "all logs", "not seen in 900 lines of 4 logs");
    mgc_verdict_add(
        verdict, "present credit", MGC_CHECK_OK, "mobilegl.client.log", "1 (expected 1)");
    mgc_verdict_add(verdict, "server session", MGC_CHECK_OK, "host.server",
        "session pid=4711 reaped exit=0 sessionsFaulted=0");
}

static void set_frames(struct mgc_fields *metrics, double mean_ms)
{
    mgc_fields_set_double(metrics, "fps", 1000 / mean_ms);
    mgc_fields_set_double(metrics, "mean_ms", mean_ms);
    mgc_fields_set_double(metrics, "median_ms", 7.25);
    mgc_fields_set_double(metrics, "p95_ms", 31.5);
    mgc_fields_set_int(metrics, "total_frames", 128);
    mgc_fields_set_double(metrics, "total_seconds", 2.5);
    mgc_fields_set_double(metrics, "first_frame_s", 1.25);
    mgc_fields_set_double(metrics, "throughput_fps", 50.25);
    mgc_fields_set_double(metrics, "steady_fps", 133.456);
}

static void set_end(struct mgc_fields *metrics)
{
    mgc_fields_set_bool(metrics, "passed", true);
    mgc_fields_set_str(metrics, "message", "ok");
    mgc_fields_set_int(metrics, "rc", 0);
    mgc_fields_set_double(metrics, "wall_s", 3.5);
    mgc_fields_set_int(metrics, "fatal_lines", 0);
    mgc_fields_set_int(metrics, "pipe_stats_lines", 2);
}

static void measured_cells(struct report_fixture *f)
{
    struct mgc_cell_result *picture = ran(f, 0, 1), *bench = ran(f, 1, 2), *again = ran(f, 3, 1);
    prove(&picture->verdict);
    mgc_verdict_add(&picture->verdict, "ssim", MGC_CHECK_OK, "result.json:ssim",
        "0.999999500 (threshold 0.99)");
    mgc_fields_set_double(&picture->verdict.metrics, "ssim", 0.9999995);
    mgc_fields_set_int(&picture->verdict.metrics, "mismatch_pixels", 3);
    set_end(&picture->verdict.metrics);
    prove(&bench->verdict);
    mgc_verdict_add(
        &bench->verdict, "totalFrames", MGC_CHECK_OK, "benchmark.json", "128 (expected 128)");
    set_frames(&bench->verdict.metrics, 20);
    set_end(&bench->verdict.metrics);
    mgc_fields_set_int(&bench->verdict.metrics, "wait_replies", 0);
    mgc_fields_set_int(&bench->verdict.metrics, "rtt_samples", 3);
    mgc_fields_set_double(&bench->verdict.metrics, "rtt_mean_ms", 4.1234);
    bench->release = (struct mgc_release){.released = true,
        .lead_ns = 50000000,
        .skew_ns = 1500000,
        .uncertainty_ns = 250000,
        .members = 2,
        .reported = 2};
    prove(&again->verdict); /* no link metrics, and a member that did not report */
    set_frames(&again->verdict.metrics, 22);
    set_end(&again->verdict.metrics);
    again->release = (struct mgc_release){.released = true,
        .lead_ns = 50000000,
        .uncertainty_ns = 250000,
        .members = 2,
        .reported = 1};
}

static void other_cells(struct report_fixture *f)
{
    struct mgc_verdict *fatal = &ran(f, 2, 1)->verdict;
    mgc_verdict_add(fatal, "fatal", MGC_CHECK_BAD, "mgl.server.log:17",
        "MGPipe: Fatal{RingOverrun, \"a|b\"} \xff\x1b[31m");
    mgc_verdict_add(fatal, "meanFrameMs", MGC_CHECK_ABSENT, "benchmark.json", "%s", "");
    mgc_reason_set(
        fatal, MGC_REASON_FATAL_IN_LOG, "a Fatal line stands in a log (mgl.server.log:17)");
    set_frames(&fatal->metrics, 40);
    mgc_reason_set(&ran(f, 4, 2)->verdict, MGC_REASON_WORKER_LOST,
        "step 'replay' (wsl.replay): worker lost: silent for 10 s");
    mgc_reason_set(&f->results.cells[5].verdict, MGC_REASON_RUN_STOPPED,
        "not begun, since the run was stopped: disk | full");
}

static void facts(struct mgc_results *results)
{
    mgc_fields_set_str(&results->device, "model", "lab phone");
    mgc_fields_set_str(&results->device, "serialno", "10.99.0.2:5555");
    mgc_fields_set_int(&results->device, "battery_temp_dc", 312);
    mgc_fields_set_str(&results->route, "before", "none");
    mgc_fields_set_str(&results->route, "source", "10.99.0.7");
    results->hosts = calloc(2, sizeof(*results->hosts));
    results->host_count = 2;
    results->hosts[0] = (struct mgc_host_record){.name = strdup("win|host"),
        .role = strdup("host"),
        .host = strdup("winhost"),
        .os = strdup("Linux 6.1"),
        .build = strdup("mgworker-host 0.1.0"),
        .boot_id = strdup("b1"),
        .clock_known = true,
        .offset_ns = -1250000,
        .uncertainty_ns = 80000,
        .sessions = 1};
    results->hosts[1] = (struct mgc_host_record){.role = strdup("wsl"), .sessions = 2};
    results->path_before.state = MGC_VERDICT_MEASURED;
    mgc_verdict_add(&results->path_before, "path", MGC_CHECK_OK, "wsl.pathcheck",
        "end-to-end: 3 ports refused");
    mgc_verdict_add(&results->path_after, "path", MGC_CHECK_BAD, "wsl.pathcheck",
        "middlebox: port 1 was accepted");
    mgc_reason_set(&results->path_after, MGC_REASON_MIDDLEBOX,
        "a middlebox between WSL and the phone ends TCP");
    results->stopped_reason = strdup("disk | full");
    mgc_fields_set_str(&results->device, "conditions", "link ethernet, faults client-slow=60");
    mgc_results_add_setting(results, "lanes.crosshost.benchmark_finish", "true", "built-in");
    mgc_results_add_setting(results, "lanes.crosshost.reps", "2", "--reps");
    mgc_results_add_setting(results, "workloads.openra.frames", "128", "built-in bench");
    mgc_results_add_setting(results, "workloads.rd12.frames", "8", "site|x.yaml:28");
    results->frames_reduced = true;
    mgc_results_put_back_row(results, "route", "wsl.route", 1, 0, false, NULL);
    mgc_results_put_back_row(results, "server", "host.server", 2, 0, false, NULL);
    mgc_results_put_back_row(results, "server", "host.server", 1, 1, false, "phone | gone");
    mgc_results_note(results, "crosshost/bench-openra-c1-r1: attempt 1 is superseded: busy");
}

void report_fixture_make(struct report_fixture *fixture)
{
    make_plan(fixture);
    measured_cells(fixture);
    other_cells(fixture);
    facts(&fixture->results);
}

void report_fixture_make_empty(struct report_fixture *fixture)
{
    make_plan(fixture);
    fixture->results.interrupted = true;
    for (size_t i = 0; i < fixture->results.count; i++)
        mgc_reason_set(&fixture->results.cells[i].verdict, MGC_REASON_RUN_STOPPED,
            "not begun, since the run was stopped: interrupted");
}

void report_fixture_destroy(struct report_fixture *fixture)
{
    mgc_results_destroy(&fixture->results);
}

void report_fixture_measure(struct mgc_cell_result *cell, int64_t credit, double fps)
{
    ((struct mgc_cell *)cell->cell)->expect.credit = credit;
    cell->verdict.state = MGC_VERDICT_MEASURED;
    mgc_fields_set_double(&cell->verdict.metrics, "mean_ms", 1000 / fps);
    mgc_fields_set_double(&cell->verdict.metrics, "throughput_fps", fps);
    mgc_fields_set_double(&cell->verdict.metrics, "steady_fps", 130);
}
