#include "tests/unit/verify/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "tests/lib/check.h"

#define LINUX   "[12:00:01] [Linux mobilegl_trace_/INFO]: "
#define ANDROID "[12:00:01] [Android libMobileGLServ/ERROR]: "
#define HIST    " rtt_hist_us_pow2=0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
#define FRAME(n, stage)                                                                            \
    LINUX "P65LinkMetrics kind=frame frame=" #n " wait_replies=1 rtt_samples=1 "                   \
          "rtt_mean_us=812.500 rtt_p50_upper_us=1024 rtt_p99_upper_us=1024 stage_bytes=" stage     \
          " wall_ns=41000000 client_thread_cpu_ns=6100000" HIST

static const char client_log[] = LINUX
    "Accepted env variable: MOBILEGL_TRANSPORT=spawn\n" LINUX
    "Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream crosses a real ring to an "
    "apply thread in ANOTHER PROCESS\n" LINUX
    "Config: IPC ring=8MiB stage=64MiB run-ahead=1 present-credit=2 surface=offscreen\n" LINUX
    "Config: Active backend type set to DirectGLES\n" LINUX
    "MG_Remote client: control=tcp data=stream server=10.99.0.2:40613 pid=4711 "
    "dial=connect\n" LINUX
    "MG_Remote client: run-ahead ARMED - paced by a present credit of 2\n" FRAME(1, "100000000")
        FRAME(2, "1000000") FRAME(3, "2000000") FRAME(4, "3000000") LINUX
    "P65LinkMetrics kind=summary frame=4 wait_replies=7 rtt_samples=7 rtt_mean_us=16000.250 "
    "rtt_p50_upper_us=8192 rtt_p99_upper_us=131072 stage_bytes=106000000 "
    "wall_ns=1100000000 client_thread_cpu_ns=650000000" HIST;

static const char server_log[] = ANDROID
    "MG_Remote server: pid=4709 listening on tcp://0.0.0.0:40613\n" ANDROID
    "Config: IPC ring=8MiB stage=64MiB run-ahead=0 present-credit=1 surface=server\n" ANDROID
    "MG_Remote server: session pid=4711 reaped exit=0 sessionsFaulted=0\n";

static const char phone_log[] =
    "--------- beginning of main\n"
    "11-30 12:00:01.123  4709  4709 E MobileGL: " ANDROID "MG_Remote server: pid=4709 listening "
    "on tcp://0.0.0.0:40613\n"
    "11-30 12:00:01.200   900   912 I AlarmManager: alarm 12 set\n";

static const char result_benchmark[] =
    "{\n  \"passed\": true,\n  \"statusCode\": 0,\n  \"message\": \"ok\",\n  \"backend\": "
    "\"DirectGLES\",\n  \"width\": 640,\n  \"height\": 480,\n  \"mismatchPixels\": -1,\n  "
    "\"ssim\": -1.000000000,\n  \"benchmark\": true\n}\n";

static const char result_ssim[] =
    "{\n  \"passed\": true,\n  \"statusCode\": 0,\n  \"message\": \"ok\",\n  \"goldenPath\": "
    "\"/g/golden.png\",\n  \"width\": 640,\n  \"height\": 480,\n  \"mismatchPixels\": 3,\n  "
    "\"ssim\": 0.999883010\n}\n";

static const char benchmark[] =
    "{\n  \"tracePath\": \"/t/openra.trace\",\n  \"backend\": \"DirectGLES\",\n  "
    "\"benchmarkFinish\": true,\n  \"width\": 640,\n  \"height\": 480,\n  \"totalFrames\": 4,\n  "
    "\"tailFrames\": 4,\n  \"totalSeconds\": 1.100000,\n  \"meanFrameMs\": 260.500,\n  "
    "\"medianFrameMs\": 16.000,\n  \"p95FrameMs\": 1000.000,\n  \"fps\": 3.839,\n  "
    "\"meanFrameCpuMs\": -1,\n  \"frameTimesMs\": [1000.000, 20.000, 10.000, 12.000],\n  "
    "\"frameCpuTimesMs\": []\n}\n";

static const char device_state[] =
    "# mgdevice state period_ms=1000 clock=monotonic\n"
    "t_ns,battery_temp_dc,plugged,cpu7_cur_khz,cpu7_max_khz,gpu_thermal_level,gpu_hz,gpu_busy_pct,"
    "cpu0_max_khz,cpu0_hw_khz\n"
    "1000000000,310,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "4000000000,311,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "5000000000,311,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "6000000000,312,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "7000000000,312,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "8000000000,312,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "9000000000,312,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "10000000000,312,1,2035200,2035200,3,680000000,80,3532800,3532800\n"
    "20000000000,399,0,300000,300000,9,,,300000,3532800\n"; /* long after: does not count */

const char *fixture_path(const struct fixture *fixture, const char *name)
{
    static char path[MGC_PATH_MAX];
    assert_true(mgc_path_join(path, sizeof(path), fixture->dir, name));
    return path;
}

static void write_text(const struct fixture *fixture, const char *name, const char *mode,
    const char *text, const char *end)
{
    FILE *file = fopen(fixture_path(fixture, name), mode);
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fputs(end, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void fixture_put(const struct fixture *fixture, const char *name, const char *text)
{
    write_text(fixture, name, "we", text, "");
}

void fixture_append(const struct fixture *fixture, const char *name, const char *line)
{
    write_text(fixture, name, "ae", line, "\n");
}

char *fixture_text(const struct fixture *fixture, const char *name)
{
    struct mgc_buf buf = {0};
    assert_true(mgc_file_read(fixture_path(fixture, name), (size_t)64 << 20, &buf, NULL));
    mgc_buf_puts(&buf, "");
    return mgc_buf_steal(&buf);
}

void fixture_edit(const struct fixture *fixture, const char *name, const char *from, const char *to)
{
    char *text = fixture_text(fixture, name);
    struct mgc_buf out = {0};
    const char *at = text, *hit = strstr(at, from);
    if (!hit)
        fail_msg("'%s' does not stand in %s", from, name);
    for (; hit; at = hit + strlen(from), hit = strstr(at, from)) {
        mgc_buf_append(&out, at, (size_t)(hit - at));
        mgc_buf_puts(&out, to);
    }
    mgc_buf_puts(&out, at);
    fixture_put(fixture, name, mgc_buf_text(&out));
    mgc_buf_destroy(&out);
    free(text);
}

void fixture_remove(const struct fixture *fixture, const char *name)
{
    assert_int_equal(unlink(fixture_path(fixture, name)), 0);
}

void fixture_make_dir(const struct fixture *fixture, const char *name)
{
    fixture_remove(fixture, name);
    assert_true(mgc_dir_make(fixture_path(fixture, name), 0700, NULL));
}

void fixture_make_unreadable(const struct fixture *fixture, const char *name)
{
    fixture_remove(fixture, name);
    assert_int_equal(symlink("/proc/self/mem", fixture_path(fixture, name)), 0);
}

static void put_files(const struct fixture *fixture, enum mgc_mode mode)
{
    fixture_put(fixture, "mobilegl.client.log", client_log);
    fixture_put(fixture, "mgl.server.log", server_log);
    fixture_put(fixture, "phone-logcat.txt", phone_log);
    fixture_put(fixture, "device-state.csv", device_state);
    fixture_put(fixture, "result.json", mode == MGC_MODE_SSIM ? result_ssim : result_benchmark);
    if (mode == MGC_MODE_BENCHMARK)
        fixture_put(fixture, "benchmark.json", benchmark);
}

static void set_step(
    struct fixture *fixture, int i, const char *id, const char *kind, enum mgc_role role)
{
    fixture->steps[i] = (struct mgc_step){.id = (char *)id, .kind = (char *)kind, .role = role};
    fixture->outcomes[i].state = MGC_STEP_DONE;
}

static void set_setup(struct fixture *fixture)
{
    static const char *const kinds[] = {"host.app", "host.fixtures", "host.device", "host.knobs"};
    for (int i = 0; i < FIXTURE_SETUP_STEPS; i++) {
        fixture->setup_steps[i] = (struct mgc_step){
            .id = (char *)kinds[i] + 5, .kind = (char *)kinds[i], .role = MGC_ROLE_HOST};
        fixture->setup_outcomes[i].state = MGC_STEP_DONE;
        mgc_fields_set_str(&fixture->setup_steps[i].params, "package", "top.mobilegl.plugin.trace");
    }
    mgc_fields_set_str(&fixture->setup_steps[1].params, "dir", "input");
    mgc_fields_set_str(&fixture->setup_outcomes[0].facts, "apk_sha256", "a1");
    mgc_fields_set_str(&fixture->setup_outcomes[0].facts, "library_sha256", "b2");
    mgc_fields_set_str(&fixture->setup_outcomes[0].facts, "app_stamp", "/data/app/x 1");
    mgc_fields_set_str(&fixture->setup_outcomes[FIXTURE_DEVICE].facts, "boot_id", "boot-1");
    mgc_fields_set_str(&fixture->setup_outcomes[1].facts, "trace_sha256", "c3");
    mgc_fields_set_str(&fixture->setup_outcomes[1].facts, "golden_sha256", "d4");
    fixture->setup_cell = (struct mgc_cell){.kind = MGC_CELL_SETUP,
        .id = (char *)"setup",
        .steps = fixture->setup_steps,
        .step_count = FIXTURE_SETUP_STEPS};
    fixture->setup = (struct mgc_attempt){
        .cell = &fixture->setup_cell, .completed = true, .steps = fixture->setup_outcomes};
    fixture->attempt.setup = &fixture->setup;
}

/* What brings phone and machines to rest, and who watches. */
static void set_rest(struct fixture *fixture)
{
    set_step(fixture, FIXTURE_QUIESCE, "quiesce", "host.quiesce", MGC_ROLE_HOST);
    set_step(fixture, FIXTURE_STATE, "state", "host.state", MGC_ROLE_HOST);
    set_step(fixture, FIXTURE_HOST_GATE, "host-gate", "worker.gate", MGC_ROLE_HOST);
    set_step(fixture, FIXTURE_WSL_GATE, "wsl-gate", "worker.gate", MGC_ROLE_WSL);
    mgc_fields_set_str(&fixture->steps[FIXTURE_QUIESCE].params, "unreadable", "refuse");
    struct mgc_fields *quiesce = fixture_facts(fixture, "quiesce");
    mgc_fields_set_str(quiesce, "gate", "ok");
    mgc_fields_set_int(quiesce, "battery_temp_dc", 311);
    mgc_fields_set_str(quiesce, "boot_id", "boot-1");
    mgc_fields_set_str(quiesce, "app_stamp", "/data/app/x 1");
    mgc_fields_set_str(quiesce, "knobs_lost", "");
    mgc_fields_set_int(quiesce, "gate_waited_ms", 250);
    mgc_fields_set_int(fixture_facts(fixture, "state"), "run_from_mono_ns", INT64_C(5000000000));
    mgc_fields_set_int(fixture_facts(fixture, "state"), "run_to_mono_ns", INT64_C(9000000000));
    for (int i = FIXTURE_HOST_GATE; i <= FIXTURE_WSL_GATE; i++) {
        mgc_fields_set_str(&fixture->outcomes[i].facts, "gate", "ok");
        mgc_fields_set_double(&fixture->outcomes[i].facts, "load", 0.5);
        mgc_fields_set_int(&fixture->outcomes[i].facts, "free_bytes", INT64_C(5000000000));
        mgc_fields_set_int(&fixture->outcomes[i].facts, "cpus", 2);
        mgc_fields_set_int(&fixture->outcomes[i].facts, "gate_waited_ms", i * 10);
    }
}

static void set_steps(struct fixture *fixture)
{
    set_step(fixture, FIXTURE_LOGCAT, "logcat", "host.logcat", MGC_ROLE_HOST);
    set_step(fixture, FIXTURE_SERVER, "server", "host.server", MGC_ROLE_HOST);
    set_step(fixture, FIXTURE_REPLAY, "replay", "wsl.replay", MGC_ROLE_WSL);
    struct mgc_fields *server = fixture_facts(fixture, "server");
    mgc_fields_set_int(server, "session_exit", 0);
    mgc_fields_set_int(server, "session_pid", 4711);
    mgc_fields_set_int(server, "server_pid", 4709);
    mgc_fields_set_bool(server, "session_reaped", true);
    mgc_fields_set_str(server, "reap_line", "session pid=4711 reaped exit=0 sessionsFaulted=0");
    struct mgc_fields *replay = fixture_facts(fixture, "replay");
    mgc_fields_set_int(replay, "rc", 0);
    mgc_fields_set_double(replay, "wall_s", 1.5);
    mgc_fields_set_str(replay, "trace_sha256", "ab12");
    mgc_fields_set_int(fixture_facts(fixture, "logcat"), "gaps", 0);
    mgc_fields_set_bool(fixture_facts(fixture, "logcat"), "complete", true);
    mgc_fields_set_str(server, "boot_id", "boot-1");
    mgc_fields_set_str(server, "app_stamp", "/data/app/x 1");
    mgc_fields_set_str(server, "knobs_lost", "");
    set_rest(fixture);
    set_setup(fixture);
}

void fixture_make(struct fixture *fixture, enum mgc_mode mode)
{
    *fixture = (struct fixture){.dir = "/tmp/mgc-verify-XXXXXX"};
    assert_non_null(mkdtemp(fixture->dir));
    fixture->cell = (struct mgc_cell){
        .kind = MGC_CELL_MEASURE,
        .id = (char *)"crosshost/bench-openra-c2-r1",
        .lane = (char *)"crosshost",
        .workload = (char *)"openra",
        .arm = (char *)"crosshost-c2",
        .rep = 1,
        .mode = mode,
        .expect = {.frames = mode == MGC_MODE_SSIM ? 0 : 4,
            .width = 640,
            .height = 480,
            .credit = 2,
            .benchmark_finish = mode == MGC_MODE_BENCHMARK,
            .ssim_threshold = mode == MGC_MODE_SSIM ? 0.99 : 0,
            .backend = (char *)"DirectGLES",
            .endpoint = (char *)"10.99.0.2:40613",
            .package = (char *)"top.mobilegl.plugin.trace",
            .plugged = true,
            .temp_min_dc = 50,
            .temp_max_dc = 380},
        .steps = fixture->steps,
        .step_count = FIXTURE_STEPS,
    };
    fixture->attempt = (struct mgc_attempt){
        .cell = &fixture->cell, .number = 1, .completed = true, .steps = fixture->outcomes};
    set_steps(fixture);
    put_files(fixture, mode);
}

/* ---- the matrix ---- */

#define PHONE_CLIENT "[12:00:01] [Android MobileGLTraceRe/INFO]: "

static const struct {
    const char *arm, *lines;
} phone_clients[] = {
    {"monolith", ""},
    {"inproc", PHONE_CLIENT "Config: MOBILEGL_TRANSPORT=inproc - the MGPipe record stream crosses "
                            "a real ring to an apply thread\n"},
    {"shm", PHONE_CLIENT
        "Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream crosses a real ring to an "
        "apply thread in ANOTHER PROCESS\n" PHONE_CLIENT
        "MG_Remote client: spawn ARMED - the server role runs in pid 4712, reached at "
        "\"@mgl-4700-123456\"\n"},
    {"tcp", PHONE_CLIENT
        "Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream crosses a real ring to an "
        "apply thread in ANOTHER PROCESS\n" PHONE_CLIENT
        "MG_Remote client: control=tcp data=stream server=127.0.0.1:40613 pid=4711 "
        "dial=connect\n"},
};

static void put_phone_client(const struct fixture *fixture, const char *arm)
{
    struct mgc_buf log = {0};
    mgc_buf_puts(&log, PHONE_CLIENT "Config: Active backend type set to DirectGLES\n");
    for (size_t i = 0; i < sizeof(phone_clients) / sizeof(phone_clients[0]); i++) {
        if (strcmp(phone_clients[i].arm, arm) == 0)
            mgc_buf_puts(&log, phone_clients[i].lines);
    }
    if (strcmp(arm, "monolith") != 0)
        mgc_buf_puts(&log,
            PHONE_CLIENT "Config: IPC ring=8MiB stage=64MiB run-ahead=1 present-credit=1 "
                         "surface=offscreen\n" PHONE_CLIENT
                         "MG_Remote client: run-ahead ARMED - paced by a present credit of 1\n");
    fixture_put(fixture, "mobilegl.client.log", mgc_buf_text(&log));
    mgc_buf_destroy(&log);
}

static void set_phone_steps(struct fixture *fixture, bool server)
{
    fixture->steps[FIXTURE_REPLAY].kind = (char *)"host.replay";
    fixture->steps[FIXTURE_REPLAY].role = MGC_ROLE_HOST;
    if (!server) /* its place is taken by a step that says nothing */
        fixture->steps[FIXTURE_SERVER] = (struct mgc_step){
            .id = (char *)"nothing", .kind = (char *)"host.device", .role = MGC_ROLE_HOST};
    struct mgc_fields *replay = fixture_facts(fixture, "replay");
    mgc_fields_remove(replay, "rc");
    mgc_fields_remove(replay, "trace_sha256");
    mgc_fields_set_str(replay, "end", "result");
    mgc_fields_set_str(replay, "app_stamp", "/data/app/x 1");
    mgc_fields_set_str(replay, "knobs_lost", "");
    mgc_fields_set_int(replay, "start_mono_ns", INT64_C(5000000000));
    mgc_fields_set_int(replay, "end_mono_ns", INT64_C(9000000000));
    mgc_fields_set_int(replay, "app_ms", 4000);
    fixture->attempt.start_ns = INT64_C(1000000000);
    fixture->attempt.end_ns = INT64_C(5750000000);
    for (int i = 0; i < FIXTURE_MATRIX_STEPS; i++)
        mgc_fields_set_int(&fixture->outcomes[i].facts, "adb_streams", i + 1);
}

void fixture_make_matrix(struct fixture *fixture, enum mgc_mode mode, const char *arm)
{
    bool server = strncmp(arm, "tcp", 3) == 0;
    fixture_make(fixture, mode);
    fixture->cell.id = (char *)"openra/tcp-r1";
    fixture->cell.lane = (char *)"matrix";
    fixture->cell.arm = (char *)arm;
    fixture->cell.step_count = FIXTURE_MATRIX_STEPS;
    struct mgc_expect *expect = &fixture->cell.expect;
    expect->credit = strcmp(arm, "monolith") == 0 ? 0 : 1;
    expect->endpoint = server ? (char *)"127.0.0.1:40613" : NULL;
    expect->pins = (char *)"cpu7=2035200";
    set_phone_steps(fixture, server);
    put_phone_client(fixture, arm);
    fixture_remove(fixture, "phone-logcat.txt");
    fixture_put(fixture, "logcat.txt", phone_log);
    if (!server)
        fixture_remove(fixture, "mgl.server.log");
    if (strcmp(arm, "shm") == 0)
        fixture_put(fixture, "mobilegl.server.log", server_log);
}

void fixture_destroy(struct fixture *fixture)
{
    for (int i = 0; i < FIXTURE_STEPS; i++) {
        mgc_fields_destroy(&fixture->outcomes[i].facts);
        mgc_fields_destroy(&fixture->steps[i].params);
    }
    for (int i = 0; i < FIXTURE_SETUP_STEPS; i++) {
        mgc_fields_destroy(&fixture->setup_outcomes[i].facts);
        mgc_fields_destroy(&fixture->setup_steps[i].params);
    }
    mgc_verdict_destroy(&fixture->verdict);
    assert_true(mgc_dir_remove(fixture->dir, NULL));
}

void fixture_judge(struct fixture *fixture)
{
    mgc_verdict_destroy(&fixture->verdict);
    mgc_verify_cell(&fixture->attempt, fixture->dir, &fixture->verdict);
}

static int step_index(const struct fixture *fixture, const char *id)
{
    for (int i = 0; i < FIXTURE_STEPS; i++) {
        if (fixture->steps[i].id && strcmp(fixture->steps[i].id, id) == 0)
            return i;
    }
    fail_msg("no step '%s'", id);
    return 0;
}

struct mgc_fields *fixture_facts(struct fixture *fixture, const char *step)
{
    return &fixture->outcomes[step_index(fixture, step)].facts;
}

void fixture_fail(struct fixture *fixture, const char *step, enum mgc_code code, const char *text)
{
    struct mgc_attempt *attempt = &fixture->attempt;
    attempt->completed = false;
    mgc_error_set(&attempt->error, code, "%s", text);
    if (strcmp(step, "stopped") == 0)
        return;
    int i = step_index(fixture, step);
    fixture->outcomes[i].state = MGC_STEP_FAILED;
    fixture->outcomes[i].error = attempt->error;
    attempt->failed_step = fixture->steps[i].id;
    mgc_error_prefix(&attempt->error, "step '%s' (%s)", step, fixture->steps[i].kind);
}

void fixture_lose(struct fixture *fixture, const char *step, enum mgc_lost lost, const char *text)
{
    fixture_fail(fixture, step, MGC_E_LOST, text);
    if (fixture->attempt.failed_step)
        fixture->outcomes[step_index(fixture, step)].lost = lost;
    else
        fixture->attempt.lost = lost;
}

const struct mgc_evidence *fixture_evidence(const struct fixture *fixture, const char *check)
{
    for (size_t i = 0; i < fixture->verdict.evidence_count; i++) {
        if (strcmp(fixture->verdict.evidence[i].check, check) == 0)
            return &fixture->verdict.evidence[i];
    }
    return NULL;
}

void fixture_must_be(
    struct fixture *f, const char *name, enum mgc_verdict_state state, const char *reason)
{
    fixture_judge(f);
    if (f->verdict.state != state || (reason && strcmp(f->verdict.reason, reason) != 0))
        fail_msg("%s: %s '%s' (%s), expected %s '%s'", name,
            mgc_verdict_state_name(f->verdict.state), f->verdict.reason, f->verdict.text,
            mgc_verdict_state_name(state), reason ? reason : "");
}
