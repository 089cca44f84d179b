#include "coordinator/plan/gates.h"

#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/plan/lane_settings.h"

enum {
    GATE_STEP_MS = 60 * 1000, /* beside the wait */
    BYTES_PER_MB = 1000 * 1000,
};

/* What the lanes call it, where that is another name. */
static const char *name_in_lane(const char *name)
{
    return strcmp(name, "timeout") == 0 ? "gate_timeout" : name;
}

const struct mgc_setting *mgc_gates_setting(
    const struct mgc_lane_input *input, const char *lane, const char *name)
{
    const struct mgc_settings *settings = &input->site->settings;
    const struct mgc_setting *general = mgc_settings_getf(settings, "gates.%s", name);
    const struct mgc_setting *own =
        lane ? mgc_settings_getf(settings, "lanes.%s.%s", lane, name_in_lane(name)) : NULL;
    return own && mgc_lane_rank(own) >= mgc_lane_rank(general) ? own : general;
}

int64_t mgc_gates_number(const struct mgc_lane_input *input, const char *lane, const char *name)
{
    return mgc_setting_int(mgc_gates_setting(input, lane, name), 0);
}

const char *mgc_gates_text(const struct mgc_lane_input *input, const char *lane, const char *name)
{
    return mgc_setting_text(mgc_gates_setting(input, lane, name));
}

int64_t mgc_gates_phone_ms(const struct mgc_lane_input *input, const char *lane)
{
    return mgc_gates_number(input, lane, "timeout");
}

/* Only load is waited for. */
int64_t mgc_gates_hosts_ms(const struct mgc_lane_input *input, const char *lane)
{
    bool waits = mgc_gates_setting(input, lane, "host_load") != NULL;
    return waits ? mgc_gates_number(input, lane, "timeout") : 0;
}

/* ---- checks -------------------------------------------------------------------------------- */

static bool is_general(const struct mgc_setting *setting)
{
    return strncmp(setting->key, "gates.", strlen("gates.")) == 0;
}

/* Told at the one from the better source. Two general ones are not a lane's to tell. */
static void check_order(const struct mgc_setting *low, const struct mgc_setting *high,
    bool may_meet, const char *lane, struct mgc_problems *problems)
{
    if (!low || !high || low->bad || high->bad || low->integer < high->integer ||
        (may_meet && low->integer == high->integer) ||
        (lane && is_general(low) && is_general(high)))
        return;
    bool at_high = high->rank >= low->rank;
    const struct mgc_setting *told = at_high ? high : low, *other = at_high ? low : high;
    const char *expected =
        may_meet ? (at_high ? "at least" : "at most") : (at_high ? "more than" : "less than");
    mgc_problem_add(problems, "%s: %s: expected %s %s (%lld), got %lld", told->origin, told->key,
        expected, other->key, (long long)other->integer, (long long)told->integer);
}

void mgc_gates_check(
    const struct mgc_lane_input *input, const char *lane, struct mgc_problems *problems)
{
    const struct mgc_setting *min = mgc_gates_setting(input, lane, "temp_min");
    const struct mgc_setting *max = mgc_gates_setting(input, lane, "temp_max");
    const struct mgc_setting *cool = mgc_gates_setting(input, lane, "cool_to");
    check_order(min, max, false, lane, problems);
    check_order(min, cool, false, lane, problems);
    check_order(cool, max, true, lane, problems);
}

/* ---- steps --------------------------------------------------------------------------------- */

static bool add_host(
    const struct mgc_lane_input *input, struct mgc_cell *cell, const char *id, enum mgc_role role)
{
    int64_t timeout_ms = mgc_gates_hosts_ms(input, cell->lane);
    const struct mgc_setting *load = mgc_gates_setting(input, cell->lane, "host_load");
    struct mgc_step *step =
        mgc_build_step(cell, id, "worker.gate", role, timeout_ms + GATE_STEP_MS);
    if (!step)
        return false;
    struct mgc_fields *params = &step->params;
    return mgc_fields_set_int(params, "free_min_bytes",
               mgc_gates_number(input, cell->lane, "host_free") * BYTES_PER_MB) &&
           (!load || mgc_fields_set_int(params, "load_max_pct", load->integer)) &&
           mgc_fields_set_str(
               params, "unreadable", mgc_gates_text(input, cell->lane, "unreadable")) &&
           mgc_fields_set_int(params, "gate_timeout_ms", timeout_ms);
}

bool mgc_gates_add_hosts(const struct mgc_lane_input *input, bool both_hosts, struct mgc_cell *cell)
{
    return add_host(input, cell, "host-gate", MGC_ROLE_HOST) &&
           (!both_hosts || add_host(input, cell, "wsl-gate", MGC_ROLE_WSL));
}

bool mgc_gates_after_hosts(struct mgc_cell *cell, struct mgc_step *step)
{
    return mgc_build_dep(cell, step, "host-gate", MGC_DEP_DONE) &&
           (!mgc_build_has_step(cell, "wsl-gate") ||
               mgc_build_dep(cell, step, "wsl-gate", MGC_DEP_DONE));
}

bool mgc_gates_put_phone(
    const struct mgc_lane_input *input, const char *lane, struct mgc_fields *params)
{
    const struct mgc_setting *cool = mgc_gates_setting(input, lane, "cool_to");
    return mgc_fields_set_int(
               params, "temp_min_dc", mgc_gates_number(input, lane, "temp_min") * 10) &&
           mgc_fields_set_int(
               params, "temp_max_dc", mgc_gates_number(input, lane, "temp_max") * 10) &&
           (!cool || mgc_fields_set_int(params, "cool_to_dc", cool->integer * 10)) &&
           mgc_fields_set_str(params, "power", mgc_gates_text(input, lane, "power")) &&
           mgc_fields_set_str(params, "unreadable", mgc_gates_text(input, lane, "unreadable")) &&
           mgc_fields_set_int(params, "free_min_bytes",
               mgc_gates_number(input, lane, "phone_free") * BYTES_PER_MB) &&
           mgc_fields_set_int(params, "gate_timeout_ms", mgc_gates_phone_ms(input, lane));
}

void mgc_gates_expect(
    const struct mgc_lane_input *input, const char *lane, struct mgc_expect *expect)
{
    const char *power = mgc_gates_text(input, lane, "power");
    expect->plugged = power && strcmp(power, "plugged") == 0;
    expect->temp_min_dc = mgc_gates_number(input, lane, "temp_min") * 10;
    expect->temp_max_dc = mgc_gates_number(input, lane, "temp_max") * 10;
}
