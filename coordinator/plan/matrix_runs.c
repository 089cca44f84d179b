#include "coordinator/plan/matrix_runs.h"

#include <string.h>

#include "coordinator/plan/lane_settings.h"
#include "coordinator/plan/value.h"
#include "coordinator/stats/random.h"

static const struct mgc_setting *get(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.matrix.%s", name);
}

/* ---- names --------------------------------------------------------------------------------- */

static bool is_arm(const struct mgc_lane_input *input, const char *name)
{
    const struct mgc_bench_arm *arm = mgc_bench_arm(input->bench, name);
    return arm && strcmp(arm->lane, "matrix") == 0;
}

static void report_arm(const struct mgc_lane_input *input, const struct mgc_setting *from,
    const char *name, struct mgc_problems *problems)
{
    struct mgc_buf known = {0};
    for (size_t i = 0; i < input->bench->arm_count; i++) {
        const struct mgc_bench_arm *arm = &input->bench->arms[i];
        if (strcmp(arm->lane, "matrix") == 0)
            mgc_buf_printf(&known, "%s%s", known.len ? ", " : "", arm->name);
    }
    mgc_problem_add(problems, "%s: %s: unknown arm '%s', expected one of: %s, or one with @TAG",
        from->origin, from->key, name, mgc_buf_text(&known));
    mgc_buf_destroy(&known);
}

/* A tag becomes a part of a package's name, which has to begin with a letter. */
static void check_package(const struct mgc_lane_input *input, const struct mgc_setting *from,
    const char *arm, struct mgc_problems *problems)
{
    char package[MGC_MATRIX_PACKAGE_MAX];
    if (!mgc_bench_package(arm, input->site->phone.package, package, sizeof(package)))
        mgc_problem_add(problems, "%s: %s: the package of arm '%s' has more than %d characters",
            from->origin, from->key, arm, MGC_MATRIX_PACKAGE_MAX - 1);
    else if (!mgc_check_package(package))
        mgc_problem_add(problems,
            "%s: %s: arm '%s' names the package '%s', which Android does not allow: expected a tag "
            "that begins with a letter",
            from->origin, from->key, arm, package);
}

/* Copy a list, each item once. */
static size_t take_list(
    const struct mgc_setting *from, const char **ret_items, struct mgc_problems *problems)
{
    size_t count = 0;
    for (size_t i = 0; from && i < from->item_count && count < MGC_MATRIX_ARMS_MAX; i++) {
        bool twice = false;
        for (size_t j = 0; j < count; j++)
            twice |= strcmp(ret_items[j], from->items[i]) == 0;
        if (twice && problems)
            mgc_problem_add(problems, "%s: %s: '%s' is asked for twice", from->origin, from->key,
                from->items[i]);
        if (!twice)
            ret_items[count++] = from->items[i];
    }
    return count;
}

static void take_arms(const struct mgc_lane_input *input, bool one,
    struct mgc_matrix_runs *ret_runs, struct mgc_problems *problems)
{
    const struct mgc_setting *from = get(input, one ? "one.arm" : "arms");
    if (one && from)
        ret_runs->arms[ret_runs->arm_count++] = from->text;
    else
        ret_runs->arm_count = take_list(from, ret_runs->arms, problems);
    for (size_t i = 0; problems && i < ret_runs->arm_count; i++) {
        if (!is_arm(input, ret_runs->arms[i]))
            report_arm(input, from, ret_runs->arms[i], problems);
        else
            check_package(input, from, ret_runs->arms[i], problems);
    }
    ret_runs->backend_count = take_list(get(input, "backends"), ret_runs->backends, problems);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static bool is_mode(const struct mgc_lane_input *input, const char *name)
{
    const char *mode = mgc_setting_text(get(input, "mode"));
    return mode && strcmp(mode, name) == 0;
}

static void add_block(struct mgc_matrix_runs *runs, const struct mgc_site_workload *workload,
    enum mgc_mode mode, int64_t rep, struct mgc_problems *problems)
{
    if (runs->block_count < MGC_MATRIX_BLOCKS_MAX)
        runs->blocks[runs->block_count++] = (struct mgc_matrix_block){workload, mode, rep};
    else if (problems)
        mgc_problem_add(
            problems, "lanes.matrix: more than %d rounds altogether", MGC_MATRIX_BLOCKS_MAX);
}

static void add_workload(const struct mgc_lane_input *input,
    const struct mgc_site_workload *workload, struct mgc_matrix_runs *runs,
    struct mgc_problems *problems)
{
    bool smoke = is_mode(input, "smoke"), ssim_only = is_mode(input, "ssimonly");
    int64_t reps = ssim_only ? 0 : smoke ? 1 : mgc_lane_reps(input, "matrix", workload->name);
    for (int64_t rep = 1; rep <= reps; rep++)
        add_block(runs, workload, MGC_MODE_BENCHMARK, rep, problems);
    if (ssim_only || (!smoke && mgc_setting_int(get(input, "ssim"), 1)))
        add_block(runs, workload, MGC_MODE_SSIM, 1, problems);
}

/* The setting that names the workloads of a mode; a mode may itself be a workload's name. */
static const struct mgc_setting *workloads_setting(const struct mgc_lane_input *input)
{
    if (is_mode(input, "one"))
        return get(input, "one.workload");
    if (is_mode(input, "openra") || is_mode(input, "rd12"))
        return get(input, "mode");
    return get(input, "workloads");
}

static size_t list_workloads(const struct mgc_lane_input *input,
    const struct mgc_site_workload **ret, size_t max, struct mgc_problems *problems)
{
    const struct mgc_setting *from = workloads_setting(input);
    const char *names[MGC_MATRIX_ARMS_MAX];
    size_t count = 0, name_count = 0;
    if (from && from->item_count)
        name_count = take_list(from, names, problems);
    else if (from)
        names[name_count++] = from->text;
    if (is_mode(input, "smoke") && name_count > 1)
        name_count = 1;
    for (size_t i = 0; i < name_count && count < max; i++) {
        const struct mgc_site_workload *workload =
            mgc_lane_workload(input, from, names[i], problems);
        if (workload)
            ret[count++] = workload;
    }
    return count;
}

size_t mgc_matrix_workloads(
    const struct mgc_lane_input *input, const struct mgc_site_workload **ret)
{
    return list_workloads(input, ret, input->site->workload_count, NULL);
}

/* A mode that says by itself what runs leaves other settings unused. Given as deliberately as the
 * mode they contradict it; a file's or the built-in ones are simply not meant. */
static void check_unused(const struct mgc_lane_input *input, const char *mode, const char *name,
    struct mgc_problems *problems)
{
    const struct mgc_setting *chosen = get(input, "mode"), *unused = get(input, name);
    if (!is_mode(input, mode) || mgc_lane_rank(unused) < MGC_RANK_ENVIRONMENT)
        return;
    if (mgc_lane_rank(unused) < mgc_lane_rank(chosen))
        mgc_problem_warn(problems, "%s: %s is not used: mode %s, given by %s, says it itself",
            unused->origin, unused->key, mode, chosen->origin);
    else
        mgc_problem_add(problems,
            "%s: %s: does not go together with mode %s (%s), which says it "
            "itself; expected another mode or no %s",
            unused->origin, unused->key, mode, chosen->origin, name);
}

static void check_modes(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    static const char *const rows[][2] = {{"openra", "workloads"}, {"rd12", "workloads"},
        {"one", "workloads"}, {"one", "arms"}, {"one", "reps"}, {"smoke", "reps"},
        {"ssimonly", "reps"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_unused(input, rows[i][0], rows[i][1], problems);
}

void mgc_matrix_list(const struct mgc_lane_input *input, struct mgc_matrix_runs *ret_runs,
    struct mgc_problems *problems)
{
    const struct mgc_site_workload *workloads[MGC_MATRIX_ARMS_MAX];
    bool one = is_mode(input, "one");
    *ret_runs = (struct mgc_matrix_runs){0};
    if (problems)
        check_modes(input, problems);
    take_arms(input, one, ret_runs, problems);
    size_t count = list_workloads(input, workloads, MGC_MATRIX_ARMS_MAX, problems);
    for (size_t i = 0; i < count && !is_mode(input, "prep"); i++) {
        if (one)
            add_block(ret_runs, workloads[i], MGC_MODE_BENCHMARK,
                mgc_setting_int(get(input, "one.rep"), 1), problems);
        else
            add_workload(input, workloads[i], ret_runs, problems);
    }
}

/* ---- order --------------------------------------------------------------------------------- */

/* `count` is at most a few dozen: the modulo's bias is below 1e-17. */
static void shuffle(uint64_t seed, size_t count, size_t *order)
{
    for (size_t left = count; left > 1; left--) {
        size_t other = mgc_splitmix64(&seed) % left, kept = order[left - 1];
        order[left - 1] = order[other];
        order[other] = kept;
    }
}

void mgc_matrix_order(
    const char *order, int64_t seed, size_t salt, int64_t rep, size_t count, size_t *ret_order)
{
    bool rotate = order && strcmp(order, "rotate") == 0;
    for (size_t i = 0; i < count; i++)
        ret_order[i] = rotate ? (i + (size_t)(rep - 1)) % count : i;
    if (order && strcmp(order, "shuffle") == 0) {
        uint64_t state = (uint64_t)seed;
        state = mgc_splitmix64(&state) ^ (uint64_t)salt;
        state = mgc_splitmix64(&state) ^ (uint64_t)rep;
        shuffle(state, count, ret_order);
    }
}
