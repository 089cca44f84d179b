#include "coordinator/plan/crosshost_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/lane_settings.h"

void mgc_crosshost_arm_name(int64_t credit, char ret_name[MGC_CROSSHOST_ARM_MAX])
{
    snprintf(ret_name, MGC_CROSSHOST_ARM_MAX, "crosshost-c%lld", (long long)credit);
}

static const struct mgc_setting *get(const struct mgc_lane_input *input, const char *name)
{
    return mgc_settings_getf(&input->site->settings, "lanes.crosshost.%s", name);
}

/* `runs` counts unless a better source names workloads or credits: RUNS in the environment gives
 * way to --workload. */
static const struct mgc_setting *runs_in_force(
    const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    const struct mgc_setting *runs = get(input, "runs");
    const struct mgc_setting *others[] = {get(input, "workloads"), get(input, "credits")};
    for (size_t i = 0; runs && i < 2; i++) {
        if (mgc_lane_rank(others[i]) > mgc_lane_rank(runs)) {
            if (problems)
                mgc_problem_warn(problems, "%s: %s is not used, since %s is given by %s",
                    runs->origin, runs->key, others[i]->key, others[i]->origin);
            return NULL;
        }
        if (mgc_lane_rank(others[i]) == mgc_lane_rank(runs) && problems)
            mgc_problem_add(problems, "%s: %s: does not go together with %s, expected one of them",
                runs->origin, runs->key, others[i]->key);
    }
    return runs;
}

static void add(const struct mgc_lane_input *input, struct mgc_crosshost_runs *runs,
    const struct mgc_setting *from, const struct mgc_crosshost_run *run,
    struct mgc_problems *problems)
{
    char arm[MGC_CROSSHOST_ARM_MAX];
    mgc_crosshost_arm_name(run->credit, arm);
    if (!mgc_bench_arm(input->bench, arm)) {
        if (problems)
            mgc_problem_add(problems, "%s: %s: the bench has no arm '%s' for credit %lld",
                from->origin, from->key, arm, (long long)run->credit);
        return;
    }
    for (size_t i = 0; i < runs->count; i++) {
        const struct mgc_crosshost_run *other = &runs->items[i];
        if (other->workload != run->workload || other->mode != run->mode ||
            other->credit != run->credit)
            continue;
        if (problems)
            mgc_problem_add(problems, "%s: %s: %s of %s with credit %lld is asked for twice",
                from->origin, from->key, mgc_mode_name(run->mode), run->workload->name,
                (long long)run->credit);
        return;
    }
    if (runs->count < MGC_CROSSHOST_RUNS_MAX)
        runs->items[runs->count++] = *run;
    else if (problems)
        mgc_problem_add(
            problems, "%s: %s: more than %d runs", from->origin, from->key, MGC_CROSSHOST_RUNS_MAX);
}

/* "ssim:openra", "bench:rd12:1"; well formed, mgc_check_run saw to it. */
static void add_named(const struct mgc_lane_input *input, const struct mgc_setting *from,
    const char *text, struct mgc_crosshost_runs *runs, struct mgc_problems *problems)
{
    char name[64] = "";
    bool bench = strncmp(text, "bench:", 6) == 0;
    long long credit = 1;
    if (bench)
        sscanf(text, "bench:%63[^:]:%lld", name, &credit);
    else
        sscanf(text, "ssim:%63s", name);
    struct mgc_crosshost_run run = {
        .workload = mgc_lane_workload(input, from, name, problems),
        .mode = bench ? MGC_MODE_BENCHMARK : MGC_MODE_SSIM,
        .credit = credit,
        .reps = bench ? mgc_lane_reps(input, "crosshost", name) : 1,
    };
    if (run.workload)
        add(input, runs, from, &run, problems);
}

static void add_workload(const struct mgc_lane_input *input, const struct mgc_setting *from,
    const char *name, struct mgc_crosshost_runs *runs, struct mgc_problems *problems)
{
    struct mgc_crosshost_run run = {
        .workload = mgc_lane_workload(input, from, name, problems),
        .mode = MGC_MODE_SSIM,
        .credit = 1, /* as the old script: credit does not change pixels */
        .reps = 1,
    };
    if (!run.workload)
        return;
    if (mgc_setting_int(get(input, "ssim"), 1))
        add(input, runs, from, &run, problems);
    run.mode = MGC_MODE_BENCHMARK;
    run.reps = mgc_lane_reps(input, "crosshost", name);
    const struct mgc_setting *credits = get(input, "credits");
    for (size_t i = 0; credits && i < credits->item_count; i++) {
        run.credit = credits->item_ints[i];
        add(input, runs, credits, &run, problems);
    }
}

void mgc_crosshost_list(const struct mgc_lane_input *input, struct mgc_crosshost_runs *ret_runs,
    struct mgc_problems *problems)
{
    ret_runs->count = 0;
    const struct mgc_setting *runs = runs_in_force(input, problems);
    const struct mgc_setting *workloads = get(input, "workloads");
    if (runs) {
        for (size_t i = 0; i < runs->item_count; i++)
            add_named(input, runs, runs->items[i], ret_runs, problems);
        return;
    }
    for (size_t i = 0; workloads && i < workloads->item_count; i++)
        add_workload(input, workloads, workloads->items[i], ret_runs, problems);
}
