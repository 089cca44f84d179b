/* The setup and the close of the matrix lane. */
#include "coordinator/plan/matrix_steps.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/plan/build.h"

enum {
    STEP_MS = 60 * 1000,          /* a few commands on the phone */
    HASH_MS = 120 * 1000,         /* app and library, read once by the phone */
    FIXTURES_MS = 30 * 60 * 1000, /* a trace of several GB over a slow cable */
    HOLD_MS = 60 * 1000,          /* expand.c raises it to the length of the run */
};

/* ---- builds -------------------------------------------------------------------------------- */

bool mgc_matrix_packages(const struct mgc_lane_input *input, char *ret_packages, size_t size)
{
    const char *arms[MGC_MATRIX_ARMS_MAX];
    size_t used = 0, count = mgc_matrix_arms(input, arms);
    ret_packages[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char package[MGC_MATRIX_PACKAGE_MAX];
        if (!mgc_bench_package(arms[i], input->site->phone.package, package, sizeof(package)))
            return false;
        if (mgc_build_lists(ret_packages, package))
            continue;
        int len = snprintf(ret_packages + used, size - used, "%s%s", used ? "," : "", package);
        if (len < 0 || (size_t)len >= size - used)
            return false;
        used += (size_t)len;
    }
    return true;
}

/* ---- setup --------------------------------------------------------------------------------- */

/* One build of several may be missing: its arms are left out, the others go on. Without the site's
 * own there is no run. */
static bool is_tagged(const struct mgc_lane_input *input, const char *package)
{
    return strcmp(package, input->site->phone.package) != 0;
}

static bool put_optional(bool optional, struct mgc_step *step)
{
    return !optional || mgc_fields_set_bool(&step->params, "optional", true);
}

static bool add_device(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    if (mgc_build_has_step(cell, "device"))
        return true;
    struct mgc_step *step = mgc_matrix_add_step(input, cell, "device", "host.device", STEP_MS);
    return step && mgc_fields_set_str(&step->params, "package", input->site->phone.package);
}

static bool add_helper(
    const struct mgc_lane_input *input, const char *packages, struct mgc_cell *cell)
{
    if (mgc_build_has_step(cell, "helper"))
        return true;
    struct mgc_step *step = mgc_matrix_add_step(input, cell, "helper", "host.helper", HOLD_MS);
    if (!step)
        return false;
    mgc_build_hold(step, 2 * HOLD_MS + mgc_matrix_number(input, "device_timeout"));
    return mgc_fields_set_str(&step->params, "packages", packages) &&
           put_optional(strchr(packages, ',') != NULL, step) &&
           mgc_build_dep(cell, step, "device", MGC_DEP_DONE);
}

static bool add_app(
    const struct mgc_lane_input *input, const char *package, size_t n, struct mgc_cell *cell)
{
    char id[32];
    snprintf(id, sizeof(id), "app-%zu", n);
    struct mgc_step *step = mgc_matrix_add_step(input, cell, id, "host.app", HASH_MS);
    return step && mgc_fields_set_str(&step->params, "package", package) &&
           put_optional(is_tagged(input, package), step) &&
           mgc_build_dep(cell, step, "helper", MGC_DEP_READY);
}

/* Fixtures are brought one after the other: two at once would only share the cable. */
static bool add_fixture(const struct mgc_lane_input *input, const char *package,
    const struct mgc_site_workload *workload, size_t n, struct mgc_cell *cell)
{
    char id[64], before[32];
    snprintf(id, sizeof(id), "fixtures-%s-%zu", workload->name, n);
    snprintf(before, sizeof(before), "app-%zu", n);
    struct mgc_step *step = mgc_matrix_add_step(input, cell, id, "host.fixtures", FIXTURES_MS);
    if (!step)
        return false;
    struct mgc_fields *params = &step->params;
    return mgc_fields_set_str(params, "package", package) &&
           mgc_fields_set_str(params, "dir", workload->bench->phone_dir) &&
           put_optional(is_tagged(input, package), step) &&
           (!workload->host_trace || mgc_fields_set_str(params, "trace", workload->host_trace)) &&
           (!workload->host_golden ||
               mgc_fields_set_str(params, "golden", workload->host_golden)) &&
           mgc_build_dep(cell, step, before, MGC_DEP_DONE);
}

static bool add_build(
    const struct mgc_lane_input *input, const char *package, size_t n, struct mgc_cell *cell)
{
    const struct mgc_site_workload *workloads[MGC_MATRIX_ARMS_MAX];
    if (input->site->workload_count > MGC_MATRIX_ARMS_MAX || !add_app(input, package, n, cell))
        return false;
    size_t count = mgc_matrix_workloads(input, workloads);
    for (size_t i = 0; i < count; i++) {
        if (!add_fixture(input, package, workloads[i], n, cell))
            return false;
    }
    return true;
}

/* Call `add` for each package of the list, numbered from 1. */
static bool each_package(const struct mgc_lane_input *input, const char *packages,
    bool (*add)(const struct mgc_lane_input *, const char *, size_t, struct mgc_cell *),
    struct mgc_cell *cell)
{
    size_t n = 0;
    for (const char *at = packages; *at; at += strcspn(at, ",")) {
        char package[MGC_MATRIX_PACKAGE_MAX];
        at += *at == ',';
        snprintf(package, sizeof(package), "%.*s", (int)strcspn(at, ","), at);
        if (!add(input, package, ++n, cell))
            return false;
    }
    return true;
}

/* ---- knobs: what the run changes on the phone and puts back ---- */

static bool clock_knobs(
    const char *list_key, int64_t khz, const struct mgc_lane_input *input, struct mgc_buf *out)
{
    const struct mgc_setting *list = mgc_settings_get(&input->site->settings, list_key);
    bool ok = true;
    for (size_t i = 0; ok && list && i < list->item_count; i++)
        ok = mgc_buf_printf(out, "sysfs %s/scaling_max_freq %lld\nsysfs %s/scaling_min_freq %lld\n",
            list->items[i], (long long)khz, list->items[i], (long long)khz);
    return ok;
}

static bool put_clocks(const struct mgc_lane_input *input, struct mgc_buf *out)
{
    const struct mgc_bench_clocks *clocks = mgc_matrix_clocks(input);
    const char *gpu =
        mgc_setting_text(mgc_settings_get(&input->site->settings, "phone.clocks.gpu"));
    if (!clocks)
        return true;
    mgc_buf_puts(out, "clear-clamps\n"); /* they act below a pin without showing in it */
    return clock_knobs("phone.clocks.big", clocks->big_khz, input, out) &&
           clock_knobs("phone.clocks.little", clocks->little_khz, input, out) &&
           (!gpu || mgc_buf_printf(out, "sysfs %s/max_freq %lld\nsysfs %s/min_freq %lld\n", gpu,
                        (long long)clocks->gpu_hz, gpu, (long long)clocks->gpu_hz));
}

static bool put_exemptions(
    const struct mgc_lane_input *input, const char *packages, struct mgc_buf *out)
{
    bool ok = true;
    for (const char *at = packages; ok && mgc_matrix_number(input, "doze_exempt") && *at;
         at += strcspn(at, ",")) {
        at += *at == ',';
        ok = mgc_buf_printf(out, "doze-exempt %.*s\n", (int)strcspn(at, ","), at);
    }
    return ok;
}

/* Services that move clocks go first, so that they do not undo the pins. */
static bool put_knobs(const struct mgc_lane_input *input, const char *packages, struct mgc_buf *out)
{
    const struct mgc_setting *services = mgc_matrix_setting(input, "stop_services");
    const char *buffer = mgc_matrix_text(input, "log_buffer");
    bool ok = true;
    for (size_t i = 0; ok && services && i < services->item_count; i++)
        ok = mgc_buf_printf(out, "service-stop %s\n", services->items[i]);
    return ok && put_clocks(input, out) &&
           (!mgc_matrix_number(input, "stay_awake") ||
               mgc_buf_printf(
                   out, "setting global stay_on_while_plugged_in %s\n", MGC_MATRIX_STAY_AWAKE)) &&
           put_exemptions(input, packages, out) &&
           (!buffer || strcmp(buffer, "keep") == 0 ||
               mgc_buf_printf(out, "log-buffer %s\n", buffer));
}

static bool add_knobs(
    const struct mgc_lane_input *input, const char *packages, struct mgc_cell *cell)
{
    struct mgc_buf knobs = {0};
    bool ok = put_knobs(input, packages, &knobs);
    if (ok && knobs.len) {
        struct mgc_step *step = mgc_matrix_add_step(input, cell, "knobs", "host.knobs", HOLD_MS);
        ok = step && mgc_fields_set_str(&step->params, "knobs", mgc_buf_text(&knobs)) &&
             put_optional(strchr(packages, ',') != NULL, step) &&
             mgc_build_dep(cell, step, "device", MGC_DEP_DONE);
        if (ok)
            mgc_build_hold(step, 2 * HOLD_MS + mgc_matrix_number(input, "device_timeout"));
    }
    mgc_buf_destroy(&knobs);
    return ok;
}

bool mgc_matrix_setup(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    char packages[1024];
    return mgc_matrix_packages(input, packages, sizeof(packages)) && add_device(input, cell) &&
           add_helper(input, packages, cell) && each_package(input, packages, add_build, cell) &&
           add_knobs(input, packages, cell);
}

bool mgc_matrix_close(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    return add_device(input, cell);
}
