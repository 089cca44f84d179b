/* The matrix lane: the app on the phone replays a workload in each of its transport arms (MobileGL
 * trace replay contract, sections 2, 3.1 and 3.3).
 *
 *   setup  device  helper (holds) -> app-N, fixtures-N    knobs (holds)
 *   cell   logcat (holds), host-gate -> quiesce -> state (holds) ----------> replay
 *                                          '-----> server (holds, tcp only) ---'
 *
 *   close  device
 *
 * Every cell of an arm that needs a server has one of its own.
 */
#include "coordinator/plan/lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/plan/gates.h"
#include "coordinator/plan/lane_settings.h"
#include "coordinator/plan/matrix_runs.h"
#include "coordinator/plan/matrix_steps.h"

enum { CELL_OVERHEAD_MS = 3 * 1000 }; /* start of app and server, transfers; an estimate */

static const struct mgc_setting *get(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.matrix.%s", name);
}

static struct mgc_cell *make_cell(const struct mgc_lane_input *input,
    const struct mgc_lane_item *item, int64_t rep, struct mgc_plan *plan)
{
    char name[24] = "ssim";
    bool backends = mgc_matrix_has_backends(input);
    if (item->mode == MGC_MODE_BENCHMARK)
        snprintf(name, sizeof(name), "%lld", (long long)rep);
    struct mgc_cell *cell = mgc_build_cell(plan, MGC_CELL_MEASURE, "matrix", "%s/%s%s%s-r%s",
        item->workload->name, backends ? item->backend : "", backends ? "/" : "", item->arm, name);
    if (!cell)
        return NULL;
    cell->rep = rep;
    cell->mode = item->mode;
    bool ok = mgc_build_text(&cell->workload, item->workload->name) &&
              mgc_build_text(&cell->arm, item->arm);
    return ok ? cell : NULL;
}

static bool add(const struct mgc_lane_input *input, const struct mgc_lane_item *item, int64_t rep,
    struct mgc_plan *plan)
{
    char packages[1024];
    struct mgc_matrix_run run = {
        .item = item,
        .arm = mgc_bench_arm(input->bench, item->arm),
        .packages = packages,
    };
    if (!mgc_bench_package(
            item->arm, input->site->phone.package, run.package, sizeof(run.package)) ||
        !mgc_matrix_packages(input, packages, sizeof(packages)))
        return false;
    struct mgc_cell *cell = make_cell(input, item, rep, plan);
    return cell && mgc_matrix_expect(input, &run, &cell->expect) &&
           mgc_matrix_steps(input, &run, cell);
}

static void items(const struct mgc_lane_input *input, struct mgc_lane_items *ret)
{
    mgc_matrix_items(input, ret, NULL);
}

/* ---- rules --------------------------------------------------------------------------------- */

static bool add_rule(const struct mgc_setting *above, const struct mgc_setting *reps,
    const char *workload, struct mgc_plan *plan)
{
    if (plan->shorten_count == MGC_PLAN_SHORTEN_MAX)
        return false;
    struct mgc_shorten *rule = &plan->shorten[plan->shorten_count++];
    rule->above_ms = above->integer;
    rule->reps = reps->integer;
    return mgc_build_text(&rule->lane, "matrix") && mgc_build_text(&rule->workload, workload);
}

static bool rules(const struct mgc_lane_input *input, struct mgc_plan *plan)
{
    const struct mgc_setting *arms = get(input, "arms");
    if (arms && arms->item_count && !mgc_build_text(&plan->reference, arms->items[0]))
        return false;
    for (size_t i = 0; i < input->site->workload_count; i++) {
        const struct mgc_settings *settings = &input->site->settings;
        const char *name = input->site->workloads[i].name;
        const struct mgc_setting *above =
            mgc_settings_getf(settings, "lanes.matrix.shorten.%s.above", name);
        const struct mgc_setting *reps =
            mgc_settings_getf(settings, "lanes.matrix.shorten.%s.reps", name);
        if (above && reps && !add_rule(above, reps, name, plan))
            return false;
    }
    return true;
}

static void check_rules(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    for (size_t i = 0; i < input->site->workload_count; i++) {
        const struct mgc_settings *settings = &input->site->settings;
        const char *name = input->site->workloads[i].name;
        const struct mgc_setting *above =
            mgc_settings_getf(settings, "lanes.matrix.shorten.%s.above", name);
        const struct mgc_setting *reps =
            mgc_settings_getf(settings, "lanes.matrix.shorten.%s.reps", name);
        const struct mgc_setting *rounds = mgc_lane_reps_setting(input, "matrix", name);
        if (above && reps && !reps->bad && rounds && reps->integer > rounds->integer &&
            reps->rank >= rounds->rank)
            mgc_problem_add(problems,
                "%s: %s: expected at most the %lld rounds of %s (%s), got %lld", reps->origin,
                reps->key, (long long)rounds->integer, rounds->key, rounds->origin,
                (long long)reps->integer);
        if ((above != NULL) != (reps != NULL))
            mgc_problem_add(problems, "%s: lanes.matrix.shorten.%s: expected both above and reps",
                above ? above->origin : reps->origin, name);
    }
}

/* ---- checks -------------------------------------------------------------------------------- */

static void check_clocks(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    const struct mgc_setting *clocks = get(input, "clocks");
    const char *name = mgc_setting_text(clocks);
    if (!name || strcmp(name, "free") == 0)
        return;
    const struct mgc_settings *settings = &input->site->settings;
    if (!mgc_settings_get(settings, "phone.clocks.big") &&
        !mgc_settings_get(settings, "phone.clocks.little") &&
        !mgc_settings_get(settings, "phone.clocks.gpu"))
        mgc_problem_add(problems,
            "%s: %s: '%s' needs the phone's nodes: expected phone.clocks.big, phone.clocks.little "
            "or phone.clocks.gpu in %s",
            clocks->origin, clocks->key, name, input->site->file);
}

/* A name without '=' unsets it (contract section 7): also where a value was forgotten. */
static void warn_unset(const struct mgc_setting *env, struct mgc_problems *problems)
{
    const char *at = env && !env->bad ? env->text : "";
    for (at += strspn(at, ";"); *at; at += strspn(at, ";")) {
        size_t len = strcspn(at, ";");
        if (!memchr(at, '=', len))
            mgc_problem_warn(problems, "%s: %s: '%.*s' has no value, so it is unset there",
                env->origin, env->key, (int)len, at);
        at += len;
    }
}

static void check(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    struct mgc_lane_items *all = calloc(1, sizeof(*all));
    if (all)
        mgc_matrix_items(input, all, problems);
    free(all);
    check_rules(input, problems);
    check_clocks(input, problems);
    mgc_gates_check(input, "matrix", problems);
    warn_unset(get(input, "extra_env"), problems);
    warn_unset(get(input, "extra_server_env"), problems);
}

/* Bringing the fixtures to the phone is worth a run of its own. */
static bool may_be_empty(const struct mgc_lane_input *input)
{
    const char *mode = mgc_setting_text(get(input, "mode"));
    return mode && strcmp(mode, "prep") == 0;
}

static int64_t typical_ms(const struct mgc_lane_input *input, const struct mgc_cell *cell)
{
    const struct mgc_site_workload *workload = mgc_site_workload(input->site, cell->workload);
    if (!workload)
        return 0;
    return CELL_OVERHEAD_MS +
           workload->bench->phone_typical_ms * workload->frames / workload->bench->frames;
}

const struct mgc_lane mgc_lane_matrix = {
    .name = "matrix",
    .sequence = MGC_LANE_WORKLOAD_BY_WORKLOAD,
    .check = check,
    .setup = mgc_matrix_setup,
    .rules = rules,
    .items = items,
    .add = add,
    .close = mgc_matrix_close,
    .may_be_empty = may_be_empty,
    .typical_ms = typical_ms,
};
