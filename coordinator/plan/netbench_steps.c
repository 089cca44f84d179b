#include "coordinator/plan/netbench_steps.h"

#include <string.h>

#include "common/device/sink.h"
#include "coordinator/plan/build.h"

enum {
    PROBE_MS = 1000, /* at most, as a rule: a round trip and the pause after it */
    CONNECT_MS = 10 * 1000,
    MARGIN_MS = 60 * 1000,
    OVERHEAD_MS = 1500, /* start of the sink, connecting, the end of the streams; an estimate */
};

static const struct mgc_setting *get(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.netbench.%s", name);
}

static int64_t number(const struct mgc_lane_input *input, const char *name)
{
    return mgc_setting_int(get(input, name), 0);
}

static int64_t duration(const struct mgc_lane_input *input, bool short_form)
{
    return number(input, short_form ? "short_duration" : "duration");
}

static int64_t probes(const struct mgc_lane_input *input, bool short_form)
{
    int64_t asked = number(input, "probes");
    return short_form && asked > MGC_NETBENCH_SHORT_PROBES ? MGC_NETBENCH_SHORT_PROBES : asked;
}

static int64_t ways(const struct mgc_lane_input *input)
{
    return strcmp(mgc_setting_text(get(input, "direction")), "both") == 0 ? 2 : 1;
}

/* Every wait of the test has a limit of its own; this is all of them together. */
static int64_t test_ms(const struct mgc_lane_input *input, bool short_form)
{
    int64_t connects = 1 + ways(input) * number(input, "streams");
    return ways(input) * (duration(input, short_form) + MGC_SINK_GRACE_MS) +
           probes(input, short_form) * PROBE_MS + connects * CONNECT_MS;
}

static bool add_sink(const struct mgc_lane_input *input, bool short_form, struct mgc_cell *cell)
{
    const struct mgc_site *site = input->site;
    int64_t lost_ms = number(input, "device_timeout");
    int64_t lifetime_ms = test_ms(input, short_form) + 2 * MARGIN_MS;
    struct mgc_step *step =
        mgc_build_step(cell, "sink", "host.sink", MGC_ROLE_HOST, lifetime_ms + lost_ms + MARGIN_MS);
    if (!step)
        return false;
    mgc_build_hold(step, lost_ms + MARGIN_MS);
    return mgc_fields_set_str(&step->params, "serial", site->phone.serial) &&
           mgc_fields_set_int(&step->params, "port",
               mgc_setting_int(mgc_settings_get(&site->settings, "phone.sink_port"), 0)) &&
           mgc_fields_set_int(&step->params, "lifetime_ms", lifetime_ms) &&
           mgc_fields_set_int(&step->params, "device_timeout_ms", lost_ms) &&
           mgc_fields_set_str(&step->secrets, "token", input->token);
}

static bool add_test(const struct mgc_lane_input *input, bool short_form, struct mgc_cell *cell)
{
    const struct mgc_site *site = input->site;
    struct mgc_step *step = mgc_build_step(
        cell, "netbench", "wsl.netbench", MGC_ROLE_WSL, test_ms(input, short_form) + MARGIN_MS);
    if (!step)
        return false;
    struct mgc_fields *params = &step->params;
    return mgc_fields_set_str(params, "address", site->phone.address) &&
           mgc_fields_set_int(params, "port",
               mgc_setting_int(mgc_settings_get(&site->settings, "phone.sink_port"), 0)) &&
           mgc_fields_set_str(params, "direction", mgc_setting_text(get(input, "direction"))) &&
           mgc_fields_set_int(params, "duration_ms", duration(input, short_form)) &&
           mgc_fields_set_int(params, "interval_ms", number(input, "interval")) &&
           mgc_fields_set_int(params, "warmup_ms", number(input, "warmup")) &&
           mgc_fields_set_int(params, "streams", number(input, "streams")) &&
           mgc_fields_set_int(params, "probes", probes(input, short_form)) &&
           mgc_fields_set_int(params, "timeout_ms", CONNECT_MS) &&
           mgc_fields_set_str(params, "congestion", mgc_setting_text(get(input, "congestion"))) &&
           mgc_fields_set_str(&step->secrets, "token", input->token) &&
           mgc_build_dep(cell, step, "sink", MGC_DEP_READY);
}

bool mgc_netbench_steps(const struct mgc_lane_input *input, bool short_form, struct mgc_cell *cell)
{
    return add_sink(input, short_form, cell) && add_test(input, short_form, cell);
}

int64_t mgc_netbench_typical_ms(const struct mgc_lane_input *input, bool short_form)
{
    return OVERHEAD_MS + ways(input) * duration(input, short_form);
}
