/* The crosshost lane: a client in WSL, the render server on the phone, TCP between them (MobileGL
 * trace replay contract, section 3.5).
 *
 *   setup  device -> helper (holds)   route (holds) -> pathcheck
 *                 -> app-N            no route when route.mode is none
 *   cell   logcat (holds), host-gate, wsl-gate -> quiesce -> state (holds) --> replay
 *                                                     '----> server (holds) ---'
 *   close  pathcheck
 *
 * Server and replay meet at "start". Every cell has a server of its own.
 */
#include "coordinator/plan/lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/plan/crosshost_runs.h"
#include "coordinator/plan/crosshost_steps.h"
#include "coordinator/plan/expand.h"
#include "coordinator/plan/netbench_steps.h"

enum {
    DEVICE_DEADLINE_MS = 60 * 1000,
    HELPER_DEADLINE_MS = 60 * 1000, /* as the route's */
    APP_DEADLINE_MS = 120 * 1000,   /* the phone hashes APK and library once */
    ROUTE_DEADLINE_MS = 60 * 1000,  /* expand.c raises it to the length of the run */
    PATHCHECK_TIMEOUT_MS = 3 * 1000,
    PATHCHECK_TRIES = 4, /* an outage of some seconds is outlived */
    PATHCHECK_DEADLINE_MS = 60 * 1000,
    PATHCHECK_TYPICAL_MS = 300,  /* a phone that refuses answers at once; an estimate */
    CELL_OVERHEAD_MS = 6 * 1000, /* start, reap and stop of the server, transfers; an estimate */
};

static int64_t device_timeout(const struct mgc_lane_input *input)
{
    return mgc_setting_int(
        mgc_settings_get(&input->site->settings, "lanes.crosshost.device_timeout"), 0);
}

/* ---- setup and close ----------------------------------------------------------------------- */

static bool add_pathcheck(const struct mgc_site *site, struct mgc_cell *cell, bool after_route)
{
    struct mgc_step *step =
        mgc_build_step(cell, "pathcheck", "wsl.pathcheck", MGC_ROLE_WSL, PATHCHECK_DEADLINE_MS);
    return step && mgc_fields_set_str(&step->params, "address", site->phone.address) &&
           mgc_fields_set_int(&step->params, "timeout_ms", PATHCHECK_TIMEOUT_MS) &&
           mgc_fields_set_int(&step->params, "tries", PATHCHECK_TRIES) &&
           (!after_route || mgc_build_dep(cell, step, "route", MGC_DEP_READY));
}

static bool add_route(const struct mgc_site *site, struct mgc_cell *cell)
{
    struct mgc_step *step =
        mgc_build_step(cell, "route", "wsl.route", MGC_ROLE_WSL, ROUTE_DEADLINE_MS);
    if (!step)
        return false;
    mgc_build_hold(step, 2 * ROUTE_DEADLINE_MS);
    return mgc_fields_set_str(&step->params, "address", site->phone.address) &&
           mgc_fields_set_str(&step->params, "gateway", site->route.gateway) &&
           mgc_fields_set_str(&step->params, "interface", site->route.interface);
}

static bool add_device(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    const struct mgc_site *site = input->site;
    struct mgc_step *device = mgc_build_step(
        cell, "device", "host.device", MGC_ROLE_HOST, DEVICE_DEADLINE_MS + device_timeout(input));
    return device &&
           mgc_fields_set_int(&device->params, "device_timeout_ms", device_timeout(input)) &&
           mgc_fields_set_str(&device->params, "serial", site->phone.serial) &&
           mgc_fields_set_str(&device->params, "package", site->phone.package);
}

/* Another lane's helper serves us, too, for our package. */
static bool share_helper(struct mgc_step *helper, const char *package)
{
    const char *packages = mgc_fields_get_str(&helper->params, "packages");
    if (packages && mgc_build_lists(packages, package))
        return true;
    return mgc_fields_setf(&helper->params, "packages", "%s%s%s", packages ? packages : "",
        packages ? "," : "", package);
}

/* The servers are watched through it. Not required: without, they are watched in a slower way. */
static bool add_helper(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    const struct mgc_site *site = input->site;
    for (size_t i = 0; i < cell->step_count; i++)
        if (strcmp(cell->steps[i].id, "helper") == 0)
            return share_helper(&cell->steps[i], site->phone.package);
    struct mgc_step *helper = mgc_build_step(
        cell, "helper", "host.helper", MGC_ROLE_HOST, HELPER_DEADLINE_MS + device_timeout(input));
    if (!helper)
        return false;
    mgc_build_hold(helper, 2 * HELPER_DEADLINE_MS + device_timeout(input));
    return mgc_fields_set_int(&helper->params, "device_timeout_ms", device_timeout(input)) &&
           mgc_fields_set_str(&helper->params, "serial", site->phone.serial) &&
           mgc_fields_set_str(&helper->params, "packages", site->phone.package) &&
           mgc_fields_set_bool(&helper->params, "required", false) &&
           mgc_build_dep(cell, helper, "device", MGC_DEP_DONE);
}

/* Which build serves the sessions; another lane may have asked for it. A link test has none. */
static bool add_app(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    const char *package = input->site->phone.package;
    char id[32];
    size_t apps = 0;
    if (!mgc_lane_in_plan(&input->site->settings, "crosshost"))
        return true;
    for (size_t i = 0; i < cell->step_count; i++) {
        const char *own = mgc_fields_get_str(&cell->steps[i].params, "package");
        bool is_app = strcmp(cell->steps[i].kind, "host.app") == 0;
        if (is_app && own && strcmp(own, package) == 0)
            return true;
        apps += is_app;
    }
    snprintf(id, sizeof(id), "app-%zu", apps + 1);
    struct mgc_step *step = mgc_build_step(
        cell, id, "host.app", MGC_ROLE_HOST, APP_DEADLINE_MS + device_timeout(input));
    return step && mgc_fields_set_int(&step->params, "device_timeout_ms", device_timeout(input)) &&
           mgc_fields_set_str(&step->params, "serial", input->site->phone.serial) &&
           mgc_fields_set_str(&step->params, "package", package) &&
           mgc_build_dep(cell, step, "device", MGC_DEP_DONE);
}

static bool setup(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    const struct mgc_site *site = input->site;
    return (mgc_build_has_step(cell, "device") || add_device(input, cell)) &&
           add_helper(input, cell) && add_app(input, cell) &&
           (!site->route.handled || add_route(site, cell)) &&
           add_pathcheck(site, cell, site->route.handled);
}

static bool close_lane(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    return add_pathcheck(input->site, cell, false);
}

/* ---- one cell ------------------------------------------------------------------------------ */

static bool add_cell(const struct mgc_lane_input *input, const struct mgc_lane_item *item,
    int64_t rep, struct mgc_plan *plan)
{
    const char *workload = item->workload->name;
    struct mgc_cell *cell =
        item->mode == MGC_MODE_SSIM
            ? mgc_build_cell(plan, MGC_CELL_MEASURE, "crosshost", "crosshost/ssim-%s-r%lld",
                  workload, (long long)rep)
            : mgc_build_cell(plan, MGC_CELL_MEASURE, "crosshost", "crosshost/bench-%s-c%lld-r%lld",
                  workload, (long long)item->credit, (long long)rep);
    if (!cell)
        return false;
    cell->rep = rep;
    cell->mode = item->mode;
    return mgc_build_text(&cell->workload, workload) && mgc_build_text(&cell->arm, item->arm) &&
           mgc_crosshost_expect(input, item, &cell->expect) &&
           mgc_crosshost_steps(input, item, cell);
}

/* ---- the lane ------------------------------------------------------------------------------ */

static void items(const struct mgc_lane_input *input, struct mgc_lane_items *ret)
{
    mgc_crosshost_items(input, ret, NULL);
}

static bool tests_link(const struct mgc_lane_input *input)
{
    const char *looks = mgc_setting_text(mgc_settings_get(&input->site->settings, "brackets"));
    return looks && strcmp(looks, "link") == 0;
}

/* The link is tested once the path is known: over a middlebox its figures are another's. */
static bool bracket(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    if (!add_pathcheck(input->site, cell, false))
        return false;
    if (!tests_link(input))
        return true;
    return mgc_netbench_steps(input, true, cell) &&
           mgc_build_dep(cell, mgc_build_find(cell, "sink"), "pathcheck", MGC_DEP_DONE);
}

static void check_files(const struct mgc_lane_input *input,
    const struct mgc_site_workload *workload, const struct mgc_lane_items *items,
    struct mgc_problems *problems)
{
    bool used = false, ssim = false;
    for (size_t i = 0; i < items->count; i++) {
        used |= items->items[i].workload == workload;
        ssim |= items->items[i].workload == workload && items->items[i].mode == MGC_MODE_SSIM;
    }
    if (used && !workload->trace)
        mgc_problem_add(problems,
            "%s: workloads.%s.trace is missing: expected the path of the trace, since the plan "
            "measures %s",
            input->site->file, workload->name, workload->name);
    if (ssim && !workload->golden)
        mgc_problem_add(problems,
            "%s: workloads.%s.golden is missing: expected the path of the picture that the ssim "
            "cell compares with",
            input->site->file, workload->name);
}

static void check(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    struct mgc_lane_items *all = calloc(1, sizeof(*all));
    if (all)
        mgc_crosshost_items(input, all, problems);
    for (size_t i = 0; all && i < input->site->workload_count; i++)
        check_files(input, &input->site->workloads[i], all, problems);
    free(all);
}

static int64_t typical_ms(const struct mgc_lane_input *input, const struct mgc_cell *cell)
{
    if (cell->kind == MGC_CELL_BRACKET)
        return PATHCHECK_TYPICAL_MS +
               (tests_link(input) ? mgc_netbench_typical_ms(input, true) : 0);
    const struct mgc_site_workload *workload = mgc_site_workload(input->site, cell->workload);
    if (!workload)
        return 0;
    return CELL_OVERHEAD_MS +
           workload->bench->typical_ms * workload->frames / workload->bench->frames;
}

const struct mgc_lane mgc_lane_crosshost = {
    .name = "crosshost",
    .sequence = MGC_LANE_ROUND_BY_ROUND,
    .crosses_hosts = true,
    .check = check,
    .setup = setup,
    .items = items,
    .add = add_cell,
    .bracket = bracket,
    .close = close_lane,
    .typical_ms = typical_ms,
};
