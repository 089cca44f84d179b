#include "bench/lib/fake_lab.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/plat/file.h"
#include "coordinator/plan/build.h"
#include "coordinator/plan/load.h"

/* ---- plans ---- */

static const char *no_environment(const char *name, void *user)
{
    (void)name;
    (void)user;
    return NULL;
}

static size_t count_measured(const struct mgc_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->cell_count; i++)
        count += plan->cells[i].kind == MGC_CELL_MEASURE;
    return count;
}

/* A lab of the benchmark has one phone; of several only the names differ. */
static bool set_phone(struct mgc_plan *plan, const char *phone)
{
    return !phone || (mgc_build_text(&plan->phone, phone) &&
                         mgc_build_text(&plan->part_of, "20261201T000000Z-bench-aaaa"));
}

struct mgc_fake_plan *mgc_fake_plan_load(const struct mgc_fake_lab *lab, const char *results,
    const char *phone, size_t rounds, struct mgc_error *err)
{
    struct mgc_fake_plan *plan = calloc(1, sizeof(*plan));
    char reps[32];
    snprintf(reps, sizeof(reps), "%zu", rounds);
    const struct mgc_override overrides[] = {{"results", results, "bench"},
        {"lanes.matrix.reps", reps, "bench"}, {"lanes.crosshost.reps", reps, "bench"}};
    const struct mgc_plan_request request = {.plan = lab->plan,
        .site_path = lab->site,
        .overrides = overrides,
        .override_count = sizeof(overrides) / sizeof(overrides[0]),
        .getenv = no_environment};
    if (!plan) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a plan");
        return NULL;
    }
    plan->lab = lab;
    if (!mgc_plan_load(&request, &plan->site, &plan->plan, err)) {
        free(plan);
        return NULL;
    }
    if (set_phone(&plan->plan, phone))
        return plan;
    mgc_fake_plan_free(plan);
    mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a plan");
    return NULL;
}

void mgc_fake_plan_free(struct mgc_fake_plan *plan)
{
    if (!plan)
        return;
    mgc_plan_destroy(&plan->plan);
    mgc_site_destroy(&plan->site);
    free(plan);
}

/* ---- the recorded run ---- */

/* The only run in its results. */
static bool find_run(const char *state, char ret_run[MGC_PATH_MAX], struct mgc_error *err)
{
    char results[MGC_PATH_MAX], summary[MGC_PATH_MAX];
    struct mgc_dir_names names = {0};
    bool found = false;
    if (!mgc_path_join(results, sizeof(results), state, "results") ||
        !mgc_dir_list(results, &names, err))
        return false;
    for (size_t i = 0; !found && i < names.count; i++)
        found = mgc_path_join(ret_run, MGC_PATH_MAX, results, names.names[i]) &&
                mgc_path_join(summary, sizeof(summary), ret_run, "summary.json") &&
                mgc_file_exists(summary);
    mgc_dir_names_destroy(&names);
    return found || mgc_error_set(err, MGC_E_NOT_FOUND, "'%s' has no finished run", results);
}

static bool open_lab(
    struct mgc_fake_lab *lab, const char *state, const char *files_dir, struct mgc_error *err)
{
    char run[MGC_PATH_MAX];
    if (!find_run(state, run, err) ||
        !mgc_path_join(lab->site, sizeof(lab->site), state, "site.yaml") ||
        !mgc_path_join(lab->plan, sizeof(lab->plan), run, "plan.yaml") ||
        !mgc_recorded_load(&lab->recorded, run, files_dir, err))
        return false;
    struct mgc_fake_plan *one = mgc_fake_plan_load(lab, state, NULL, 1, err);
    lab->per_round = one ? count_measured(&one->plan) : 0;
    mgc_fake_plan_free(one);
    return one != NULL;
}

struct mgc_fake_lab *mgc_fake_lab_open(
    const char *state_dir, const char *files_dir, struct mgc_error *err)
{
    struct mgc_fake_lab *lab = calloc(1, sizeof(*lab));
    if (!lab)
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a recorded run");
    else if (open_lab(lab, state_dir, files_dir, err))
        return lab;
    mgc_fake_lab_free(lab);
    return NULL;
}

void mgc_fake_lab_free(struct mgc_fake_lab *lab)
{
    if (!lab)
        return;
    mgc_recorded_destroy(&lab->recorded);
    free(lab);
}

size_t mgc_fake_lab_cells(const struct mgc_fake_lab *lab)
{
    return lab->per_round;
}

size_t mgc_fake_lab_rounds(const struct mgc_fake_lab *lab, size_t cells)
{
    return (cells + lab->per_round - 1) / lab->per_round;
}
