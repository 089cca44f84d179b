/* One cell of the cross-host lane: both machines and the phone are brought to rest and gated, then
 * what watches the phone and the server start, then the client; server and client meet at "start".
 * Nothing that gates or watches waits inside the barrier, whose time is short. Limits are the old
 * script's, where it had one.
 */
#include "coordinator/plan/crosshost_steps.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/plan/gates.h"
#include "coordinator/plan/matrix_steps.h"

enum {
    PREPARE_MS = 120 * 1000, /* hashing a trace before, collecting files after the client */
    MARGIN_MS = 60 * 1000,
    QUIESCE_MS = 60 * 1000, /* a few commands on the phone, beside the wait at its gate */
    STATE_PERIOD_MS = 1000,
};

static const char lane[] = "crosshost";
static const char barrier_start[] = "start";

static int64_t setting_ms(const struct mgc_lane_input *input, const char *key)
{
    return mgc_setting_int(mgc_settings_get(&input->site->settings, key), 0);
}

static int64_t ready_timeout(const struct mgc_lane_input *input)
{
    return setting_ms(input, "lanes.crosshost.ready_timeout");
}

static int64_t reap_timeout(const struct mgc_lane_input *input)
{
    return setting_ms(input, "lanes.crosshost.reap_timeout");
}

static int64_t device_timeout(const struct mgc_lane_input *input)
{
    return setting_ms(input, "lanes.crosshost.device_timeout");
}

static const char *backend(const struct mgc_lane_input *input)
{
    return mgc_setting_text(mgc_settings_get(&input->site->settings, "lanes.crosshost.backend"));
}

static bool benchmark_finish(const struct mgc_lane_input *input)
{
    return mgc_setting_int(
               mgc_settings_get(&input->site->settings, "lanes.crosshost.benchmark_finish"), 1) !=
           0;
}

static int64_t replay_deadline(const struct mgc_lane_input *input, const struct mgc_lane_item *item)
{
    return item->workload->timeout_ms + PREPARE_MS + input->barrier_timeout_ms;
}

static int64_t server_deadline(const struct mgc_lane_input *input, const struct mgc_lane_item *item)
{
    return 2 * device_timeout(input) + ready_timeout(input) + replay_deadline(input, item) +
           reap_timeout(input) + MARGIN_MS;
}

/* The cells on the phone of the same plan hold clocks and settings for the whole run. */
static bool shares_phone(const struct mgc_lane_input *input)
{
    return mgc_lane_in_plan(&input->site->settings, mgc_lane_matrix.name);
}

static struct mgc_step *add_on_phone(const struct mgc_lane_input *input, struct mgc_cell *cell,
    const char *id, const char *kind, int64_t deadline_ms)
{
    struct mgc_step *step = mgc_build_step(cell, id, kind, MGC_ROLE_HOST, deadline_ms);
    bool ok = step && mgc_fields_set_str(&step->params, "serial", input->site->phone.serial) &&
              mgc_fields_set_int(&step->params, "device_timeout_ms", device_timeout(input));
    return ok ? step : NULL;
}

static int64_t quiesce_deadline(const struct mgc_lane_input *input)
{
    return mgc_gates_phone_ms(input, lane) + QUIESCE_MS + 2 * device_timeout(input);
}

static bool add_logcat(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_cell *cell)
{
    int64_t gates_ms = mgc_gates_hosts_ms(input, lane) + quiesce_deadline(input);
    struct mgc_step *step = add_on_phone(input, cell, "logcat", "host.logcat",
        gates_ms + server_deadline(input, item) + 2 * MARGIN_MS);
    if (!step)
        return false;
    mgc_build_hold(step, 2 * MARGIN_MS + device_timeout(input));
    /* Only to be masked: the phone's programs may log it. */
    return mgc_fields_set_str(&step->secrets, "token", input->token);
}

/* Apps of other builds are left from cells on the phone: they are stopped, too. */
static bool put_packages(const struct mgc_lane_input *input, struct mgc_fields *params)
{
    char packages[1024] = "";
    const char *own = input->site->phone.package;
    if (shares_phone(input) && !mgc_matrix_packages(input, packages, sizeof(packages)))
        return false;
    if (mgc_build_lists(packages, own))
        return mgc_fields_set_str(params, "packages", packages);
    return mgc_fields_setf(params, "packages", "%s%s%s", packages, *packages ? "," : "", own);
}

static bool add_quiesce(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    bool stays_awake = shares_phone(input) && mgc_matrix_number(input, "stay_awake");
    struct mgc_step *step =
        add_on_phone(input, cell, "quiesce", "host.quiesce", quiesce_deadline(input));
    return step && mgc_fields_set_str(&step->params, "package", input->site->phone.package) &&
           put_packages(input, &step->params) && mgc_gates_put_phone(input, lane, &step->params) &&
           mgc_fields_set_str(
               &step->params, "stay_awake", stays_awake ? MGC_MATRIX_STAY_AWAKE : "") &&
           mgc_build_dep(cell, step, "logcat", MGC_DEP_READY) && mgc_gates_after_hosts(cell, step);
}

/* Without the device program, which a phone may lack here, the state is not known; the plan says
 * whether that will do. */
static bool add_state(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_cell *cell)
{
    struct mgc_step *step =
        add_on_phone(input, cell, "state", "host.state", server_deadline(input, item) + MARGIN_MS);
    if (!step)
        return false;
    mgc_build_hold(step, 2 * MARGIN_MS + 2 * device_timeout(input));
    return mgc_fields_set_int(&step->params, "period_ms", STATE_PERIOD_MS) &&
           mgc_fields_set_bool(&step->params, "required", false) &&
           mgc_build_dep(cell, step, "quiesce", MGC_DEP_DONE);
}

static const char *server_env(const struct mgc_lane_input *input)
{
    const char *env = mgc_setting_text(
        mgc_settings_get(&input->site->settings, "lanes.crosshost.extra_server_env"));
    return env ? env + strspn(env, ";") : "";
}

static bool add_server(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_cell *cell)
{
    const struct mgc_site *site = input->site;
    struct mgc_step *step =
        add_on_phone(input, cell, "server", "host.server", server_deadline(input, item));
    if (!step)
        return false;
    mgc_build_hold(step, ready_timeout(input) + 2 * device_timeout(input) + 2 * MARGIN_MS);
    struct mgc_fields *params = &step->params;
    return mgc_build_text(&step->barrier, barrier_start) &&
           mgc_fields_set_str(params, "package", site->phone.package) &&
           mgc_fields_setf(params, "listen", "tcp://0.0.0.0:%lld", (long long)site->phone.port) &&
           mgc_fields_set_str(params, "backend", backend(input)) &&
           (!*server_env(input) || mgc_fields_set_str(params, "env", server_env(input))) &&
           mgc_fields_set_int(params, "ready_timeout_ms", ready_timeout(input)) &&
           mgc_fields_set_int(params, "reap_timeout_ms", reap_timeout(input)) &&
           mgc_fields_set_str(params, "barrier", barrier_start) &&
           mgc_fields_set_bool(params, "expect_session", true) &&
           mgc_fields_set_bool(params, "check_after", true) &&
           mgc_fields_set_str(&step->secrets, "token", input->token) &&
           mgc_build_dep(cell, step, "logcat", MGC_DEP_READY) &&
           mgc_build_dep(cell, step, "quiesce", MGC_DEP_DONE);
}

static bool set_ssim_params(const struct mgc_site_workload *workload, struct mgc_fields *params)
{
    const struct mgc_bench_workload *bench = workload->bench;
    bool ok = mgc_fields_set_str(params, "golden", workload->golden) &&
              mgc_fields_set_int(params, "target_call", workload->target_call) &&
              mgc_fields_set_double(params, "ssim_threshold", bench->ssim_threshold);
    if (!bench->crop_width)
        return ok;
    return ok && mgc_fields_set_int(params, "crop_x", bench->crop_x) &&
           mgc_fields_set_int(params, "crop_y", bench->crop_y) &&
           mgc_fields_set_int(params, "crop_width", bench->crop_width) &&
           mgc_fields_set_int(params, "crop_height", bench->crop_height);
}

static bool set_benchmark_params(const struct mgc_lane_input *input,
    const struct mgc_site_workload *workload, struct mgc_fields *params)
{
    return mgc_fields_set_bool(params, "benchmark_finish", benchmark_finish(input)) &&
           mgc_fields_set_int(params, "benchmark_tail_frames", workload->bench->tail_frames);
}

/* Geometry goes along in both modes: left out, a benchmark would run at another size than its
 * on-phone counterpart. */
static bool set_replay_params(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_fields *params)
{
    const struct mgc_site *site = input->site;
    return mgc_fields_set_str(params, "client", site->replay.client) &&
           mgc_fields_set_str(params, "library", site->replay.library) &&
           mgc_fields_set_str(params, "trace", item->workload->trace) &&
           mgc_fields_set_str(params, "mode", mgc_mode_name(item->mode)) &&
           mgc_fields_set_str(params, "address", site->phone.address) &&
           mgc_fields_set_int(params, "port", site->phone.port) &&
           mgc_fields_set_str(params, "backend", backend(input)) &&
           mgc_fields_set_int(params, "credit", item->credit) &&
           mgc_fields_set_int(params, "width", item->workload->bench->width) &&
           mgc_fields_set_int(params, "height", item->workload->bench->height) &&
           mgc_fields_set_int(params, "timeout_ms", item->workload->timeout_ms) &&
           mgc_fields_set_str(params, "barrier", barrier_start);
}

static bool add_replay(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_cell *cell)
{
    struct mgc_step *step =
        mgc_build_step(cell, "replay", "wsl.replay", MGC_ROLE_WSL, replay_deadline(input, item));
    return step && mgc_build_text(&step->barrier, barrier_start) &&
           set_replay_params(input, item, &step->params) &&
           (item->mode == MGC_MODE_SSIM
                   ? set_ssim_params(item->workload, &step->params)
                   : set_benchmark_params(input, item->workload, &step->params)) &&
           mgc_fields_set_str(&step->secrets, "token", input->token) &&
           mgc_build_dep(cell, step, "server", MGC_DEP_READY) &&
           mgc_build_dep(cell, step, "state", MGC_DEP_READY);
}

bool mgc_crosshost_steps(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_cell *cell)
{
    return add_logcat(input, item, cell) && mgc_gates_add_hosts(input, true, cell) &&
           add_quiesce(input, cell) && add_state(input, item, cell) &&
           add_server(input, item, cell) && add_replay(input, item, cell);
}

bool mgc_crosshost_expect(
    const struct mgc_lane_input *input, const struct mgc_lane_item *item, struct mgc_expect *expect)
{
    const struct mgc_bench_workload *bench = item->workload->bench;
    char endpoint[64];
    snprintf(endpoint, sizeof(endpoint), "%s:%lld", input->site->phone.address,
        (long long)input->site->phone.port);
    bool ssim = item->mode == MGC_MODE_SSIM;
    *expect = (struct mgc_expect){
        .frames = ssim ? 0 : item->workload->frames,
        .width = bench->width,
        .height = bench->height,
        .credit = item->credit,
        .benchmark_finish = !ssim && benchmark_finish(input),
        .ssim_threshold = ssim ? bench->ssim_threshold : 0,
    };
    mgc_gates_expect(input, lane, expect);
    return mgc_build_text(&expect->backend, backend(input)) &&
           mgc_build_text(&expect->endpoint, endpoint) &&
           mgc_build_text(&expect->package, input->site->phone.package) &&
           (!shares_phone(input) || mgc_matrix_expect_pins(input, expect));
}
