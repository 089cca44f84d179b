#include "coordinator/plan/crosshost_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/lane_settings.h"

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

static const char *arm_of(const struct mgc_lane_input *input, const struct mgc_setting *from,
    int64_t credit, struct mgc_problems *problems)
{
    char name[32];
    snprintf(name, sizeof(name), "crosshost-c%lld", (long long)credit);
    const struct mgc_bench_arm *arm = mgc_bench_arm(input->bench, name);
    if (!arm && problems)
        mgc_problem_add(problems, "%s: %s: the bench has no arm '%s' for credit %lld", from->origin,
            from->key, name, (long long)credit);
    return arm ? arm->name : NULL;
}

static bool is_twice(const struct mgc_lane_items *items, const struct mgc_lane_item *item)
{
    for (size_t i = 0; i < items->count; i++) {
        const struct mgc_lane_item *other = &items->items[i];
        if (other->lane == item->lane && other->workload == item->workload &&
            other->mode == item->mode && other->credit == item->credit)
            return true;
    }
    return false;
}

static void add(const struct mgc_lane_input *input, struct mgc_lane_items *items,
    const struct mgc_setting *from, struct mgc_lane_item *item, struct mgc_problems *problems)
{
    item->lane = &mgc_lane_crosshost;
    item->first_rep = 1;
    item->arm = arm_of(input, from, item->credit, problems);
    item->backend = mgc_setting_text(get(input, "backend"));
    if (!item->arm)
        return;
    if (is_twice(items, item)) {
        if (problems)
            mgc_problem_add(problems, "%s: %s: %s of %s with credit %lld is asked for twice",
                from->origin, from->key, mgc_mode_name(item->mode), item->workload->name,
                (long long)item->credit);
    } else if (!mgc_lane_items_add(items, item) && problems) {
        mgc_problem_add(
            problems, "%s: %s: more than %d runs", from->origin, from->key, MGC_LANE_ITEMS_MAX);
    }
}

/* "ssim:openra", "bench:rd12:1"; well formed, mgc_check_run saw to it. */
static void add_named(const struct mgc_lane_input *input, const struct mgc_setting *from,
    const char *text, struct mgc_lane_items *items, struct mgc_problems *problems)
{
    char name[64] = "";
    bool bench = strncmp(text, "bench:", 6) == 0;
    long long credit = 1;
    if (bench)
        sscanf(text, "bench:%63[^:]:%lld", name, &credit);
    else
        sscanf(text, "ssim:%63s", name);
    struct mgc_lane_item item = {
        .workload = mgc_lane_workload(input, from, name, problems),
        .mode = bench ? MGC_MODE_BENCHMARK : MGC_MODE_SSIM,
        .credit = credit,
        .rounds = bench ? mgc_lane_reps(input, "crosshost", name) : 1,
    };
    if (item.workload)
        add(input, items, from, &item, problems);
}

static void add_workload(const struct mgc_lane_input *input, const struct mgc_setting *from,
    const char *name, struct mgc_lane_items *items, struct mgc_problems *problems)
{
    struct mgc_lane_item item = {
        .workload = mgc_lane_workload(input, from, name, problems),
        .mode = MGC_MODE_SSIM,
        .credit = 1, /* as the old script: credit does not change pixels */
        .rounds = 1,
    };
    if (!item.workload)
        return;
    if (mgc_setting_int(get(input, "ssim"), 1))
        add(input, items, from, &item, problems);
    item.mode = MGC_MODE_BENCHMARK;
    item.rounds = mgc_lane_reps(input, "crosshost", name);
    const struct mgc_setting *credits = get(input, "credits");
    for (size_t i = 0; credits && i < credits->item_count; i++) {
        item.credit = credits->item_ints[i];
        add(input, items, credits, &item, problems);
    }
}

void mgc_crosshost_items(
    const struct mgc_lane_input *input, struct mgc_lane_items *items, struct mgc_problems *problems)
{
    const struct mgc_setting *runs = runs_in_force(input, problems);
    const struct mgc_setting *workloads = get(input, "workloads");
    for (size_t i = 0; runs && i < runs->item_count; i++)
        add_named(input, runs, runs->items[i], items, problems);
    for (size_t i = 0; !runs && workloads && i < workloads->item_count; i++) {
        if (!mgc_lane_is_again(workloads, i, problems))
            add_workload(input, workloads, workloads->items[i], items, problems);
    }
}
