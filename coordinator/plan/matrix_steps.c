/* One cell of the matrix lane. */
#include "coordinator/plan/matrix_steps.h"

#include <stdio.h>
#include <string.h>

#include "common/contract/cpu_policy.h"
#include "coordinator/plan/build.h"
#include "coordinator/plan/gates.h"

enum {
    STEP_MS = 60 * 1000,     /* a few commands on the phone */
    COLLECT_MS = 300 * 1000, /* logs and documents, after the app's run */
    STATE_PERIOD_MS = 1000,
    ENV_MAX = 4096,
};

#define APP_FILES "/data/user/0/%s/files"

const struct mgc_setting *mgc_matrix_setting(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.matrix.%s", name);
}

int64_t mgc_matrix_number(const struct mgc_lane_input *input, const char *name)
{
    return mgc_setting_int(mgc_matrix_setting(input, name), 0);
}

const char *mgc_matrix_text(const struct mgc_lane_input *input, const char *name)
{
    return mgc_setting_text(mgc_matrix_setting(input, name));
}

/* A step of the host worker, with what every one of its tasks is told. */
struct mgc_step *mgc_matrix_add_step(const struct mgc_lane_input *input, struct mgc_cell *cell,
    const char *id, const char *kind, int64_t deadline_ms)
{
    int64_t device_ms = mgc_matrix_number(input, "device_timeout");
    struct mgc_step *step =
        mgc_build_step(cell, id, kind, MGC_ROLE_HOST, deadline_ms + 2 * device_ms);
    bool ok = step && mgc_fields_set_str(&step->params, "serial", input->site->phone.serial) &&
              mgc_fields_set_int(&step->params, "device_timeout_ms", device_ms);
    return ok ? step : NULL;
}

const struct mgc_bench_clocks *mgc_matrix_clocks(const struct mgc_lane_input *input)
{
    const char *name = mgc_matrix_text(input, "clocks");
    return name ? mgc_bench_clocks(name) : NULL;
}

/* ---- one cell ------------------------------------------------------------------------------ */

/* The plan's general limit, unless somebody gave the workload one of its own. */
static int64_t timeout_ms(
    const struct mgc_lane_input *input, const struct mgc_site_workload *workload)
{
    const struct mgc_setting *own =
        mgc_settings_getf(&input->site->settings, "workloads.%s.timeout", workload->name);
    return own && own->rank > MGC_RANK_BUILT_IN ? own->integer
                                                : mgc_matrix_number(input, "timeout");
}

static int64_t replay_ms(const struct mgc_lane_input *input, const struct mgc_matrix_run *run)
{
    return timeout_ms(input, run->item->workload) + COLLECT_MS;
}

static int64_t server_ms(const struct mgc_lane_input *input, const struct mgc_matrix_run *run)
{
    return mgc_matrix_number(input, "ready_timeout") + replay_ms(input, run) +
           mgc_matrix_number(input, "reap_timeout") + STEP_MS;
}

static int64_t quiesce_ms(const struct mgc_lane_input *input)
{
    return mgc_gates_phone_ms(input, "matrix") + STEP_MS;
}

/* Until a step that holds is ready, beside what it waits for by itself. */
static int64_t hold_ms(const struct mgc_lane_input *input)
{
    return 2 * mgc_matrix_number(input, "device_timeout") + 2 * STEP_MS;
}

static bool add_logcat(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_cell *cell)
{
    struct mgc_step *step = mgc_matrix_add_step(input, cell, "logcat", "host.logcat",
        mgc_gates_hosts_ms(input, "matrix") + quiesce_ms(input) + server_ms(input, run) +
            2 * STEP_MS);
    if (!step)
        return false;
    mgc_build_hold(step, hold_ms(input));
    return mgc_fields_set_str(&step->params, "name", "logcat.txt"); /* as the old scripts */
}

static bool add_quiesce(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_cell *cell)
{
    struct mgc_step *step =
        mgc_matrix_add_step(input, cell, "quiesce", "host.quiesce", quiesce_ms(input));
    if (!step)
        return false;
    struct mgc_fields *params = &step->params;
    return mgc_fields_set_str(params, "package", run->package) &&
           mgc_fields_set_str(params, "packages", run->packages) &&
           mgc_gates_put_phone(input, "matrix", params) &&
           mgc_fields_set_str(params, "stay_awake",
               mgc_matrix_number(input, "stay_awake") ? MGC_MATRIX_STAY_AWAKE : "") &&
           mgc_build_dep(cell, step, "logcat", MGC_DEP_READY) && mgc_gates_after_hosts(cell, step);
}

static bool add_state(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_cell *cell)
{
    struct mgc_step *step =
        mgc_matrix_add_step(input, cell, "state", "host.state", server_ms(input, run) + STEP_MS);
    if (!step)
        return false;
    mgc_build_hold(step, hold_ms(input));
    return mgc_fields_set_int(&step->params, "period_ms", STATE_PERIOD_MS) &&
           mgc_build_dep(cell, step, "quiesce", MGC_DEP_DONE);
}

static const char *trimmed(const char *env)
{
    return env ? env + strspn(env, ";") : NULL;
}

static bool server_env(const struct mgc_lane_input *input, const struct mgc_matrix_run *run,
    char *ret_env, size_t size)
{
    const char *extra = trimmed(mgc_matrix_text(input, "extra_server_env"));
    int len = 0;
    ret_env[0] = '\0';
    if (mgc_matrix_number(input, "pipe_stats"))
        len = snprintf(ret_env, size,
            "MOBILEGL_PIPE_STATS=1;MOBILEGL_PIPE_STATS_FILE=" APP_FILES "/pipestats.json",
            run->package);
    if (len >= 0 && (size_t)len < size && extra && *extra)
        len += snprintf(ret_env + len, size - (size_t)len, "%s%s", len ? ";" : "", extra);
    return len >= 0 && (size_t)len < size;
}

/* On loopback a token would only have to be told to the client in the clear, in am's extras. */
static bool add_server(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_cell *cell)
{
    char env[ENV_MAX];
    struct mgc_step *step =
        mgc_matrix_add_step(input, cell, "server", "host.server", server_ms(input, run));
    if (!step || !server_env(input, run, env, sizeof(env)))
        return false;
    mgc_build_hold(step, mgc_matrix_number(input, "ready_timeout") + hold_ms(input));
    struct mgc_fields *params = &step->params;
    return mgc_fields_set_str(params, "package", run->package) &&
           mgc_fields_setf(
               params, "listen", "tcp://127.0.0.1:%lld", (long long)input->site->phone.port) &&
           mgc_fields_set_str(params, "backend", run->item->backend) &&
           (!env[0] || mgc_fields_set_str(params, "env", env)) &&
           (!mgc_matrix_number(input, "pipe_stats") ||
               mgc_fields_set_str(
                   params, "files", "pipestats.server.json=tcp-server-pipestats.json")) &&
           mgc_fields_set_int(
               params, "ready_timeout_ms", mgc_matrix_number(input, "ready_timeout")) &&
           mgc_fields_set_int(
               params, "reap_timeout_ms", mgc_matrix_number(input, "reap_timeout")) &&
           mgc_fields_set_bool(params, "expect_session", true) &&
           mgc_build_dep(cell, step, "logcat", MGC_DEP_READY) &&
           mgc_build_dep(cell, step, "quiesce", MGC_DEP_DONE);
}

/* What the client is told: the arm's own variables, where its server is, the credit (never left to
 * a default), the counters, and what the plan adds. */
static bool client_env(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_buf *out)
{
    const char *extra = trimmed(mgc_matrix_text(input, "extra_env"));
    bool ok = true;
    if (run->arm->client_env)
        ok = mgc_buf_printf(out, "%s;MOBILEGL_IPC_PRESENT_CREDIT=%lld;", run->arm->client_env,
            (long long)mgc_matrix_number(input, "credit"));
    if (ok && run->arm->server)
        ok = mgc_buf_printf(
            out, "MOBILEGL_IPC_CONTROL=tcp://127.0.0.1:%lld;", (long long)input->site->phone.port);
    if (ok && mgc_matrix_number(input, "pipe_stats"))
        ok = mgc_buf_printf(out,
            "MOBILEGL_PIPE_STATS=1;MOBILEGL_PIPE_STATS_FILE=" APP_FILES
            "/trace-replay/output/pipestats.json;",
            run->package);
    return ok && (!extra || !*extra || mgc_buf_puts(out, extra));
}

/* What the app leaves in its output directory; what a mode or an arm does not write is absent. */
static const char *const outputs[] = {"result.json", "retrace.log", "mobilegl.client.log",
    "mobilegl.server.log", "pipestats.client.json", "pipestats.server.json", NULL};
static const char *const outputs_benchmark[] = {"benchmark.json", NULL};
static const char *const outputs_ssim[] = {"actual.png", "diff.png", NULL};

static bool put_outputs(const char *const *names, struct mgc_buf *out)
{
    bool ok = true;
    for (; ok && *names; names++)
        ok =
            mgc_buf_printf(out, "%strace-replay/output/%s=%s", out->len ? "," : "", *names, *names);
    return ok;
}

static bool set_files(const struct mgc_matrix_run *run, struct mgc_fields *params)
{
    struct mgc_buf files = {0};
    bool ssim = run->item->mode == MGC_MODE_SSIM;
    bool ok = put_outputs(outputs, &files) &&
              put_outputs(ssim ? outputs_ssim : outputs_benchmark, &files) &&
              (!run->arm->server || mgc_buf_puts(&files, ",mgl.client.log=mgl.client.log")) &&
              mgc_fields_set_str(params, "files", mgc_buf_text(&files));
    mgc_buf_destroy(&files);
    return ok;
}

static bool set_picture(const struct mgc_site_workload *workload, struct mgc_fields *params)
{
    const struct mgc_bench_workload *bench = workload->bench;
    bool ok = mgc_fields_set_int(params, "target_call", workload->target_call) &&
              mgc_fields_set_double(params, "ssim_threshold", bench->ssim_threshold);
    if (!bench->crop_width)
        return ok;
    return ok && mgc_fields_set_int(params, "crop_x", bench->crop_x) &&
           mgc_fields_set_int(params, "crop_y", bench->crop_y) &&
           mgc_fields_set_int(params, "crop_width", bench->crop_width) &&
           mgc_fields_set_int(params, "crop_height", bench->crop_height);
}

static bool set_timing(const struct mgc_lane_input *input, const struct mgc_site_workload *workload,
    struct mgc_fields *params)
{
    return mgc_fields_set_bool(
               params, "benchmark_finish", mgc_matrix_number(input, "benchmark_finish") != 0) &&
           mgc_fields_set_int(params, "benchmark_tail_frames", workload->bench->tail_frames);
}

static bool add_replay(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_cell *cell)
{
    const struct mgc_site_workload *workload = run->item->workload;
    struct mgc_buf env = {0};
    struct mgc_step *step =
        mgc_matrix_add_step(input, cell, "replay", "host.replay", replay_ms(input, run));
    if (!step)
        return false;
    struct mgc_fields *params = &step->params;
    bool ok = client_env(input, run, &env) && mgc_fields_set_str(params, "package", run->package) &&
              mgc_fields_set_str(params, "dir", workload->bench->phone_dir) &&
              mgc_fields_set_str(params, "mode", mgc_mode_name(run->item->mode)) &&
              mgc_fields_set_str(params, "backend", run->item->backend) &&
              mgc_fields_set_str(params, "env", mgc_buf_text(&env)) &&
              mgc_fields_set_int(params, "width", workload->bench->width) &&
              mgc_fields_set_int(params, "height", workload->bench->height) &&
              mgc_fields_set_int(params, "timeout_ms", timeout_ms(input, workload)) &&
              set_files(run, params) &&
              (run->item->mode == MGC_MODE_SSIM ? set_picture(workload, params)
                                                : set_timing(input, workload, params)) &&
              mgc_build_dep(cell, step, "logcat", MGC_DEP_READY) &&
              mgc_build_dep(cell, step, "state", MGC_DEP_READY) &&
              (!run->arm->server || mgc_build_dep(cell, step, "server", MGC_DEP_READY));
    mgc_buf_destroy(&env);
    return ok;
}

bool mgc_matrix_steps(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_cell *cell)
{
    return add_logcat(input, run, cell) && mgc_gates_add_hosts(input, false, cell) &&
           add_quiesce(input, run, cell) && add_state(input, run, cell) &&
           (!run->arm->server || add_server(input, run, cell)) && add_replay(input, run, cell);
}

/* ---- what it must show --------------------------------------------------------------------- */

/* "cpu7=2035200 cpu0=1574400 gpu=680000000" */
static bool put_pins(const struct mgc_lane_input *input, struct mgc_buf *out)
{
    const struct mgc_bench_clocks *clocks = mgc_matrix_clocks(input);
    const char *const keys[] = {"phone.clocks.big", "phone.clocks.little"};
    bool ok = true;
    for (size_t k = 0; clocks && ok && k < 2; k++) {
        const struct mgc_setting *list = mgc_settings_get(&input->site->settings, keys[k]);
        for (size_t i = 0; ok && list && i < list->item_count; i++) {
            char name[MGC_CPU_NAME_MAX];
            int cpu = 0;
            mgc_cpu_policy_of_path(list->items[i], &cpu); /* checked while loading */
            mgc_cpu_policy_name(cpu, name);
            ok = mgc_buf_printf(out, "%s%s=%lld", out->len ? " " : "", name,
                (long long)(k == 0 ? clocks->big_khz : clocks->little_khz));
        }
    }
    if (ok && clocks && mgc_settings_get(&input->site->settings, "phone.clocks.gpu"))
        ok = mgc_buf_printf(out, "%sgpu=%lld", out->len ? " " : "", (long long)clocks->gpu_hz);
    return ok;
}

bool mgc_matrix_expect_pins(const struct mgc_lane_input *input, struct mgc_expect *expect)
{
    struct mgc_buf pins = {0};
    bool ok =
        put_pins(input, &pins) && (!pins.len || mgc_build_text(&expect->pins, mgc_buf_text(&pins)));
    mgc_buf_destroy(&pins);
    return ok;
}

bool mgc_matrix_expect(const struct mgc_lane_input *input, const struct mgc_matrix_run *run,
    struct mgc_expect *ret_expect)
{
    const struct mgc_site_workload *workload = run->item->workload;
    bool ssim = run->item->mode == MGC_MODE_SSIM;
    char endpoint[64];
    snprintf(endpoint, sizeof(endpoint), "127.0.0.1:%lld", (long long)input->site->phone.port);
    *ret_expect = (struct mgc_expect){
        .frames = ssim ? 0 : workload->frames,
        .width = workload->bench->width,
        .height = workload->bench->height,
        .credit = run->item->credit,
        .benchmark_finish = !ssim && mgc_matrix_number(input, "benchmark_finish"),
        .ssim_threshold = ssim ? workload->bench->ssim_threshold : 0,
        .pipe_stats = mgc_matrix_number(input, "pipe_stats") != 0,
    };
    mgc_gates_expect(input, "matrix", ret_expect);
    return mgc_build_text(&ret_expect->backend, run->item->backend) &&
           mgc_build_text(&ret_expect->package, run->package) &&
           (!run->arm->server || mgc_build_text(&ret_expect->endpoint, endpoint)) &&
           mgc_matrix_expect_pins(input, ret_expect);
}
