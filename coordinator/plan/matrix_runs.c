#include "coordinator/plan/matrix_runs.h"

#include <string.h>

#include "coordinator/plan/lane_settings.h"
#include "coordinator/plan/value.h"

static const struct mgc_setting *get(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.matrix.%s", name);
}

static bool is_mode(const struct mgc_lane_input *input, const char *name)
{
    const char *mode = mgc_setting_text(get(input, "mode"));
    return mode && strcmp(mode, name) == 0;
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
        if (!mgc_lane_is_again(from, i, problems))
            ret_items[count++] = from->items[i];
    }
    return count;
}

/* The setting that names the arms; the mode `one` has one of its own. */
static const struct mgc_setting *arms_setting(const struct mgc_lane_input *input)
{
    return get(input, is_mode(input, "one") ? "one.arm" : "arms");
}

static size_t take_arms(
    const struct mgc_lane_input *input, const char **ret_arms, struct mgc_problems *problems)
{
    const struct mgc_setting *from = arms_setting(input);
    size_t count = 0;
    if (is_mode(input, "one") && from)
        ret_arms[count++] = from->text;
    else
        count = take_list(from, ret_arms, problems);
    for (size_t i = 0; problems && i < count; i++) {
        if (!is_arm(input, ret_arms[i]))
            report_arm(input, from, ret_arms[i], problems);
        else
            check_package(input, from, ret_arms[i], problems);
    }
    return count;
}

size_t mgc_matrix_arms(
    const struct mgc_lane_input *input, const char *ret_arms[MGC_MATRIX_ARMS_MAX])
{
    return take_arms(input, ret_arms, NULL);
}

bool mgc_matrix_has_backends(const struct mgc_lane_input *input)
{
    const char *backends[MGC_MATRIX_ARMS_MAX];
    return take_list(get(input, "backends"), backends, NULL) > 1;
}

/* ---- workloads ----------------------------------------------------------------------------- */

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

/* ---- items --------------------------------------------------------------------------------- */

/* How many rounds a workload has, and the number of the first; 0: only pictures. */
static int64_t rounds_of(
    const struct mgc_lane_input *input, const char *workload, int64_t *ret_first)
{
    *ret_first = 1;
    if (is_mode(input, "ssimonly"))
        return 0;
    if (is_mode(input, "one"))
        *ret_first = mgc_setting_int(get(input, "one.rep"), 1);
    if (is_mode(input, "one") || is_mode(input, "smoke"))
        return 1;
    return mgc_lane_reps(input, "matrix", workload);
}

static bool has_pictures(const struct mgc_lane_input *input)
{
    return is_mode(input, "ssimonly") || (!is_mode(input, "one") && !is_mode(input, "smoke") &&
                                             mgc_setting_int(get(input, "ssim"), 1));
}

/* Every arm with every backend: in plain order the backends of an arm follow each other, and an
 * order that moves arms moves backends with them. */
static void add_arms(const struct mgc_lane_input *input, const struct mgc_lane_item *like,
    struct mgc_lane_items *items, struct mgc_problems *problems)
{
    const char *arms[MGC_MATRIX_ARMS_MAX], *backends[MGC_MATRIX_ARMS_MAX];
    size_t arm_count = take_arms(input, arms, NULL);
    size_t backend_count = take_list(get(input, "backends"), backends, NULL);
    for (size_t a = 0; a < arm_count; a++) {
        for (size_t b = 0; b < backend_count; b++) {
            struct mgc_lane_item item = *like;
            const struct mgc_bench_arm *arm = mgc_bench_arm(input->bench, arms[a]);
            item.arm = arms[a];
            item.backend = backends[b];
            item.credit = arm && arm->client_env ? mgc_setting_int(get(input, "credit"), 1) : 0;
            if (mgc_lane_items_add(items, &item))
                continue;
            if (problems)
                mgc_problem_add(problems, "lanes.matrix: more than %d arms of workloads altogether",
                    MGC_LANE_ITEMS_MAX);
            return;
        }
    }
}

static void add_workload(const struct mgc_lane_input *input,
    const struct mgc_site_workload *workload, struct mgc_lane_items *items,
    struct mgc_problems *problems)
{
    struct mgc_lane_item item = {.lane = &mgc_lane_matrix, .workload = workload};
    item.mode = MGC_MODE_BENCHMARK;
    item.rounds = rounds_of(input, workload->name, &item.first_rep);
    if (item.rounds > 0)
        add_arms(input, &item, items, problems);
    item.mode = MGC_MODE_SSIM;
    item.rounds = item.first_rep = 1;
    if (has_pictures(input))
        add_arms(input, &item, items, problems);
}

void mgc_matrix_items(
    const struct mgc_lane_input *input, struct mgc_lane_items *items, struct mgc_problems *problems)
{
    const struct mgc_site_workload *workloads[MGC_MATRIX_ARMS_MAX];
    const char *names[MGC_MATRIX_ARMS_MAX];
    if (problems) {
        check_modes(input, problems);
        take_arms(input, names, problems);
        take_list(get(input, "backends"), names, problems);
    }
    size_t count = list_workloads(input, workloads, MGC_MATRIX_ARMS_MAX, problems);
    for (size_t i = 0; i < count && !is_mode(input, "prep"); i++)
        add_workload(input, workloads[i], items, problems);
}
