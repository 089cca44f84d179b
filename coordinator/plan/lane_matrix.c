/* The matrix lane: the app on the phone replays a workload in each of its transport arms (MobileGL
 * trace replay contract, sections 2, 3.1 and 3.3).
 *
 *   setup  device  helper (holds) -> app-N, fixtures-N    knobs (holds)
 *   cell   logcat (holds) -> quiesce -> state (holds) ----------> replay
 *                               '-----> server (holds, tcp only) ---'
 *
 *   close  device
 *
 * Every cell of an arm that needs a server has one of its own.
 */
#include "coordinator/plan/lane.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/plan/matrix_runs.h"
#include "coordinator/plan/matrix_steps.h"

enum { CELL_OVERHEAD_MS = 3 * 1000 }; /* start of app and server, transfers; an estimate */

static const struct mgc_setting *get(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.matrix.%s", name);
}

static struct mgc_cell *make_cell(
    const struct mgc_matrix_run *run, bool name_backend, struct mgc_plan *plan, const char *arm)
{
    const struct mgc_matrix_block *block = run->block;
    char rep[24] = "ssim";
    if (block->mode == MGC_MODE_BENCHMARK)
        snprintf(rep, sizeof(rep), "%lld", (long long)block->rep);
    struct mgc_cell *cell = mgc_build_cell(plan, MGC_CELL_MEASURE, "matrix", "%s/%s%s%s-r%s",
        block->workload->name, name_backend ? run->backend : "", name_backend ? "/" : "", arm, rep);
    if (!cell)
        return NULL;
    cell->rep = block->rep;
    cell->mode = block->mode;
    bool ok =
        mgc_build_text(&cell->workload, block->workload->name) && mgc_build_text(&cell->arm, arm);
    return ok ? cell : NULL;
}

static bool add_cell(const struct mgc_lane_input *input, const struct mgc_matrix_runs *runs,
    const struct mgc_matrix_block *block, const char *arm, const char *backend,
    struct mgc_plan *plan)
{
    char packages[1024];
    struct mgc_matrix_run run = {
        .block = block,
        .arm = mgc_bench_arm(input->bench, arm),
        .backend = backend,
        .packages = packages,
    };
    if (!mgc_bench_package(arm, input->site->phone.package, run.package, sizeof(run.package)) ||
        !mgc_matrix_packages(input, packages, sizeof(packages)))
        return false;
    struct mgc_cell *cell = make_cell(&run, runs->backend_count > 1, plan, arm);
    return cell && mgc_matrix_expect(input, &run, &cell->expect) &&
           mgc_matrix_steps(input, &run, cell);
}

/* Workloads come one after the other, each with its rounds and then its pictures. What takes places
 * in a round is an arm with a backend: in plain order the backends of an arm follow each other, and
 * an order that moves arms moves backends with them. */
static bool add_block(const struct mgc_lane_input *input, const struct mgc_matrix_runs *runs,
    size_t index, struct mgc_plan *plan)
{
    const struct mgc_matrix_block *block = &runs->blocks[index];
    const char *order = mgc_setting_text(get(input, "order"));
    size_t places[MGC_MATRIX_ARMS_MAX * MGC_MATRIX_ARMS_MAX];
    size_t backends = runs->backend_count, count = runs->arm_count * backends;
    bool ok = true;
    mgc_matrix_order(block->mode == MGC_MODE_BENCHMARK ? order : NULL, input->seed, index,
        block->rep, count, places);
    for (size_t i = 0; ok && i < count; i++)
        ok = add_cell(input, runs, block, runs->arms[places[i] / backends],
            runs->backends[places[i] % backends], plan);
    return ok;
}

static int64_t rounds(const struct mgc_lane_input *input)
{
    struct mgc_matrix_runs runs;
    mgc_matrix_list(input, &runs, NULL);
    return (int64_t)runs.block_count;
}

static bool round_cells(const struct mgc_lane_input *input, int64_t round, struct mgc_plan *plan)
{
    struct mgc_matrix_runs runs;
    mgc_matrix_list(input, &runs, NULL);
    return (size_t)round > runs.block_count || add_block(input, &runs, (size_t)round - 1, plan);
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
    plan->seed = input->seed;
    const struct mgc_setting *arms = get(input, "arms");
    if (!mgc_build_text(&plan->order, mgc_setting_text(get(input, "order"))) ||
        (arms && arms->item_count && !mgc_build_text(&plan->reference, arms->items[0])))
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

static void check_band(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    const struct mgc_setting *min = get(input, "temp_min"), *max = get(input, "temp_max");
    if (min && max && !min->bad && !max->bad && min->integer >= max->integer)
        mgc_problem_add(problems, "%s: %s: expected more than temp_min (%lld), got %lld",
            max->rank >= min->rank ? max->origin : min->origin, max->key, (long long)min->integer,
            (long long)max->integer);
}

static void check(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    struct mgc_matrix_runs runs;
    mgc_matrix_list(input, &runs, problems);
    check_rules(input, problems);
    check_clocks(input, problems);
    check_band(input, problems);
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
    .check = check,
    .setup = mgc_matrix_setup,
    .rules = rules,
    .rounds = rounds,
    .round = round_cells,
    .close = mgc_matrix_close,
    .typical_ms = typical_ms,
};
