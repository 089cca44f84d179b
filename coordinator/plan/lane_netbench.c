/* The netbench lane: how fast the link between WSL and the phone is (docs/netbench.md).
 *
 *   setup  what a cross-host cell stands on, too: device -> helper (holds)   route -> pathcheck
 *   cell   sink (holds) -> netbench
 *   close  pathcheck
 *
 * Its cells have the link for a workload: they come one after the other, whatever else is measured.
 */
#include "coordinator/plan/lane.h"

#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/plan/lane_settings.h"
#include "coordinator/plan/netbench_steps.h"

#define WORKLOAD "link"
#define ARM      "netbench"

static const struct mgc_setting *get(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.netbench.%s", name);
}

static bool is_short(const struct mgc_lane_input *input)
{
    return mgc_setting_int(get(input, "short"), 0) != 0;
}

/* ---- setup and close ----------------------------------------------------------------------- */

/* Nothing can be measured without it. */
static bool require_helper(struct mgc_cell *cell)
{
    for (size_t i = 0; i < cell->step_count; i++)
        if (strcmp(cell->steps[i].kind, "host.helper") == 0)
            return mgc_fields_set_bool(&cell->steps[i].params, "required", true);
    return true;
}

static bool setup(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    bool there = mgc_build_has_step(cell, "pathcheck");
    return (there || mgc_lane_crosshost.setup(input, cell)) && require_helper(cell);
}

static bool close_lane(const struct mgc_lane_input *input, struct mgc_cell *cell)
{
    return mgc_build_has_step(cell, "pathcheck") || mgc_lane_crosshost.close(input, cell);
}

/* ---- cells --------------------------------------------------------------------------------- */

/* Who asks for a number beside the plan gets it, also of short ones. */
static int64_t rounds(const struct mgc_lane_input *input)
{
    const struct mgc_setting *reps = get(input, "reps");
    bool asked = mgc_lane_rank(reps) > MGC_RANK_PLAN;
    return is_short(input) && !asked ? 1 : mgc_setting_int(reps, 1);
}

static void items(const struct mgc_lane_input *input, struct mgc_lane_items *ret)
{
    mgc_lane_items_add(ret, &(struct mgc_lane_item){.lane = &mgc_lane_netbench,
                                .mode = MGC_MODE_BENCHMARK,
                                .arm = ARM,
                                .first_rep = 1,
                                .rounds = rounds(input)});
}

static bool add(const struct mgc_lane_input *input, const struct mgc_lane_item *item, int64_t rep,
    struct mgc_plan *plan)
{
    struct mgc_cell *cell = mgc_build_cell(
        plan, MGC_CELL_MEASURE, "netbench", "netbench/" WORKLOAD "-r%lld", (long long)rep);
    if (!cell)
        return false;
    cell->rep = rep;
    cell->mode = item->mode;
    return mgc_build_text(&cell->workload, WORKLOAD) && mgc_build_text(&cell->arm, item->arm) &&
           mgc_netbench_steps(input, is_short(input), cell);
}

/* ---- settings ------------------------------------------------------------------------------ */

static void check_times(
    const struct mgc_lane_input *input, const char *name, struct mgc_problems *problems)
{
    const struct mgc_setting *duration = get(input, name), *warmup = get(input, "warmup");
    const struct mgc_setting *interval = get(input, "interval");
    if (mgc_setting_int(warmup, 0) + mgc_setting_int(interval, 0) > mgc_setting_int(duration, 0))
        mgc_problem_add(problems,
            "%s: lanes.netbench.%s: expected at least warmup and one interval (%lld ms), got %lld "
            "ms",
            duration->origin, name,
            (long long)(mgc_setting_int(warmup, 0) + mgc_setting_int(interval, 0)),
            (long long)mgc_setting_int(duration, 0));
    if (mgc_setting_int(duration, 0) / mgc_setting_int(interval, 1) >= 6000)
        mgc_problem_add(problems,
            "%s: lanes.netbench.interval: expected at most 6000 intervals in %s, got %lld",
            interval->origin, name,
            (long long)(mgc_setting_int(duration, 0) / mgc_setting_int(interval, 1)));
}

static void check(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    const struct mgc_setting *interleave = mgc_settings_get(&input->site->settings, "interleave");
    check_times(input, "duration", problems);
    check_times(input, "short_duration", problems);
    if (strcmp(mgc_setting_text(interleave), "round") == 0)
        mgc_problem_add(problems,
            "%s: interleave: expected lane, since lanes.netbench has no workload whose rounds it "
            "could share",
            interleave->origin);
}

static int64_t typical_ms(const struct mgc_lane_input *input, const struct mgc_cell *cell)
{
    (void)cell;
    return mgc_netbench_typical_ms(input, is_short(input));
}

const struct mgc_lane mgc_lane_netbench = {
    .name = "netbench",
    .sequence = MGC_LANE_ROUND_BY_ROUND,
    .crosses_hosts = true,
    .check = check,
    .setup = setup,
    .items = items,
    .add = add,
    .close = close_lane,
    .typical_ms = typical_ms,
};
