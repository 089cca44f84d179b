#include "coordinator/plan/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire/msg.h"
#include "coordinator/plan/build.h"
#include "coordinator/plan/check_plan.h"
#include "coordinator/plan/gates.h"
#include "coordinator/plan/sequence.h"

static const struct mgc_lane *const lanes[] = {
    &mgc_lane_matrix, &mgc_lane_crosshost, &mgc_lane_netbench};
enum { LANE_COUNT = sizeof(lanes) / sizeof(lanes[0]), RUN_ID_MAX = 160 };

bool mgc_lane_in_plan(const struct mgc_settings *settings, const char *name)
{
    char key[64] = "lanes.";
    strncat(key, name, sizeof(key) - strlen(key) - 1);
    return mgc_settings_section(settings, key) != NULL;
}

static bool in_plan(const struct mgc_site *site, const struct mgc_lane *lane)
{
    return mgc_lane_in_plan(&site->settings, lane->name);
}

bool mgc_lane_items_add(struct mgc_lane_items *items, const struct mgc_lane_item *item)
{
    if (items->count == MGC_LANE_ITEMS_MAX)
        return false;
    items->items[items->count++] = *item;
    return true;
}

static int64_t number(const struct mgc_site *site, const char *key)
{
    return mgc_setting_int(mgc_settings_get(&site->settings, key), 0);
}

/* Without a seed of its own a run has one that its id gives away: FNV-1a, cut to 31 bits. */
static int64_t seed_of(const struct mgc_site *site, const char *run_id)
{
    uint32_t hash = UINT32_C(2166136261);
    for (const char *c = run_id; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
    return mgc_setting_int(mgc_settings_get(&site->settings, "seed"), (int64_t)(hash & 0x7fffffff));
}

/* By name only where the site names one. */
static bool fill_workers(const struct mgc_site *site, struct mgc_plan *plan)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        const char *name = mgc_role_name((enum mgc_role)role);
        const struct mgc_site_worker *worker = mgc_site_worker(site, (enum mgc_role)role);
        bool named = site->phone.name || mgc_settings_getf(&site->settings, "phone.%s", name);
        if (named && worker && !mgc_build_text(&plan->workers[role], worker->name))
            return false;
    }
    return true;
}

static bool fill_phone(const struct mgc_site *site, const char *whole_id, struct mgc_plan *plan)
{
    return fill_workers(site, plan) && mgc_build_text(&plan->phone, site->phone.name) &&
           mgc_build_text(&plan->part_of, site->phone.name ? whole_id : NULL);
}

/* "06:30"; its form was checked. */
static void fill_budget(const struct mgc_site *site, struct mgc_budget *budget)
{
    const char *end = mgc_setting_text(mgc_settings_get(&site->settings, "budget.end_by"));
    budget->invalid_cells = number(site, "budget.invalid_cells");
    budget->wall_ms = number(site, "budget.wall_time");
    budget->has_end = end != NULL;
    if (end)
        budget->end_min = strtoll(end, NULL, 10) * 60 + strtoll(end + 3, NULL, 10);
}

static bool fill_head(const struct mgc_lane_input *input, const char *run_id, struct mgc_plan *plan)
{
    const struct mgc_site *site = input->site;
    plan->seed = input->seed;
    fill_budget(site, &plan->budget);
    plan->barrier_timeout_ms = number(site, "barrier_timeout");
    plan->worker_timeout_ms = number(site, "worker_timeout");
    plan->retries_per_cell = number(site, "retries_per_cell");
    plan->link_band = number(site, "link_band");
    plan->replacements = number(site, "replacements");
    plan->lead_ms = number(site, "barrier_lead");
    return mgc_build_text(
               &plan->name, mgc_setting_text(mgc_settings_get(&site->settings, "plan"))) &&
           mgc_build_text(&plan->run_id, run_id) &&
           mgc_build_text(
               &plan->order, mgc_setting_text(mgc_settings_get(&site->settings, "order")));
}

static const struct mgc_lane *first_lane(const struct mgc_lane_input *input)
{
    for (size_t i = 0; i < LANE_COUNT; i++) {
        if (in_plan(input->site, lanes[i]))
            return lanes[i];
    }
    return lanes[0];
}

/* Lanes that share the setup share its steps, too: a lane adds only what is not there. */
static bool add_setup(const struct mgc_lane_input *input, struct mgc_plan *plan)
{
    struct mgc_cell *cell = mgc_build_cell(plan, MGC_CELL_SETUP, first_lane(input)->name, "setup");
    for (size_t i = 0; cell && i < LANE_COUNT; i++) {
        if (!in_plan(input->site, lanes[i]))
            continue;
        cell->crosses_hosts |= lanes[i]->crosses_hosts;
        if (!lanes[i]->setup(input, cell))
            return false;
    }
    return cell != NULL;
}

static bool add_close(const struct mgc_lane_input *input, struct mgc_plan *plan)
{
    struct mgc_cell *cell = NULL;
    for (size_t i = 0; i < LANE_COUNT; i++) {
        if (!in_plan(input->site, lanes[i]) || !lanes[i]->close)
            continue;
        if (!cell)
            cell = mgc_build_cell(plan, MGC_CELL_CLOSE, lanes[i]->name, "close");
        if (!cell || !lanes[i]->close(input, cell))
            return false;
    }
    return true;
}

static bool add_rules(const struct mgc_lane_input *input, struct mgc_plan *plan)
{
    for (size_t i = 0; i < LANE_COUNT; i++) {
        if (in_plan(input->site, lanes[i]) && lanes[i]->rules && !lanes[i]->rules(input, plan))
            return false;
    }
    return true;
}

static size_t present(const struct mgc_lane_input *input, const struct mgc_lane *ret[LANE_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < LANE_COUNT; i++) {
        if (in_plan(input->site, lanes[i]))
            ret[count++] = lanes[i];
    }
    return count;
}

static bool add_cells(const struct mgc_lane_input *input, struct mgc_plan *plan)
{
    const struct mgc_lane *of_plan[LANE_COUNT];
    return mgc_sequence(input, of_plan, present(input, of_plan), plan);
}

/* What the setup holds has to last for the whole run, with every retry and every wait in it, also
 * for the cells of the site's other phones. */
static void stretch_setup(const struct mgc_site *site, struct mgc_plan *plan)
{
    struct mgc_cell *setup = &plan->cells[0];
    int64_t run_ms = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        int64_t attempts = 1 + plan->retries_per_cell;
        run_ms += (mgc_cell_budget_ms(&plan->cells[i]) + plan->worker_timeout_ms) * attempts;
    }
    run_ms *= site->phone.of > 1 ? (int64_t)site->phone.of : 1;
    if (run_ms > MGC_WIRE_MS_MAX) /* no task may be given longer */
        run_ms = MGC_WIRE_MS_MAX;
    for (size_t i = 0; i < setup->step_count; i++) {
        if (setup->steps[i].holds)
            setup->steps[i].deadline_ms = run_ms;
    }
}

static void check(const struct mgc_lane_input *input, struct mgc_problems *problems)
{
    const struct mgc_lane *of_plan[LANE_COUNT];
    size_t count = present(input, of_plan);
    mgc_gates_check(input, NULL, problems);
    for (size_t i = 0; i < count; i++)
        of_plan[i]->check(input, problems);
    if (count > 0) {
        mgc_check_plan(input, of_plan, count, problems);
    } else {
        const struct mgc_setting *name = mgc_settings_get(&input->site->settings, "plan");
        mgc_problem_add(problems,
            "%s: lanes is missing: expected at least one, as in lanes: {crosshost: {}}",
            name ? name->origin : "plan");
    }
}

static bool may_be_empty(const struct mgc_lane_input *input)
{
    for (size_t i = 0; i < LANE_COUNT; i++) {
        if (in_plan(input->site, lanes[i]) && lanes[i]->may_be_empty &&
            lanes[i]->may_be_empty(input))
            return true;
    }
    return false;
}

static bool check_ids(
    const struct mgc_lane_input *input, const struct mgc_plan *plan, struct mgc_problems *problems)
{
    size_t measured = 0;
    const struct mgc_cell **cells = mgc_plan_by_id(plan);
    for (size_t i = 0; cells && i < plan->cell_count; i++) {
        measured += plan->cells[i].kind == MGC_CELL_MEASURE;
        if (i && strcmp(cells[i]->id, cells[i - 1]->id) == 0)
            mgc_problem_add(
                problems, "plan %s: cell '%s' comes up twice", plan->name, cells[i]->id);
    }
    if (cells && measured == 0 && !may_be_empty(input))
        mgc_problem_add(problems, "plan %s: nothing to measure", plan->name);
    free(cells);
    return cells != NULL;
}

bool mgc_expand(const struct mgc_site *site, const struct mgc_bench *bench,
    const struct mgc_expand_ids *ids, struct mgc_plan *ret_plan, struct mgc_problems *problems,
    struct mgc_error *err)
{
    const char *token = mgc_setting_text(mgc_settings_get(&site->settings, "token"));
    char run_id[RUN_ID_MAX];
    snprintf(run_id, sizeof(run_id), "%s%s%s", ids->run_id, site->phone.name ? "-" : "",
        site->phone.name ? site->phone.name : "");
    struct mgc_lane_input input = {
        .site = site,
        .bench = bench,
        .token = token ? token : ids->token,
        .barrier_timeout_ms = number(site, "barrier_timeout"),
        .seed = seed_of(site, run_id),
    };
    check(&input, problems);
    if (problems->errors.total > 0)
        return false;

    struct mgc_plan plan = {0};
    bool ok = fill_head(&input, run_id, &plan) && fill_phone(site, ids->run_id, &plan) &&
              add_setup(&input, &plan) && add_rules(&input, &plan) && add_cells(&input, &plan) &&
              add_close(&input, &plan);
    if (ok) {
        stretch_setup(site, &plan);
        ok = check_ids(&input, &plan, problems);
    }
    if (!ok)
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the plan");
    if (!ok || problems->errors.total > 0) {
        mgc_plan_destroy(&plan);
        return false;
    }
    *ret_plan = plan;
    return true;
}

/* The longest step of a cell spans the others; holding steps of the setup outlive it. */
int64_t mgc_cell_budget_ms(const struct mgc_cell *cell)
{
    int64_t longest_ms = 0, sum_ms = 0;
    for (size_t i = 0; i < cell->step_count; i++) {
        if (cell->kind == MGC_CELL_SETUP && cell->steps[i].holds)
            continue;
        sum_ms += cell->steps[i].deadline_ms;
        if (cell->steps[i].deadline_ms > longest_ms)
            longest_ms = cell->steps[i].deadline_ms;
    }
    return cell->kind == MGC_CELL_MEASURE ? longest_ms : sum_ms;
}

int64_t mgc_cell_typical_ms(const struct mgc_site *site, const struct mgc_cell *cell)
{
    struct mgc_lane_input input = {.site = site};
    bool known = cell->kind == MGC_CELL_MEASURE || cell->kind == MGC_CELL_BRACKET;
    for (size_t i = 0; known && i < LANE_COUNT; i++) {
        if (strcmp(lanes[i]->name, cell->lane) == 0)
            return lanes[i]->typical_ms(&input, cell);
    }
    return 0;
}
