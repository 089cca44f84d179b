/* run.json's plan, as far as results need it: cells and what they expect. */
#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/plan/lane.h"
#include "coordinator/restore/parts.h"

static bool kind_named(const char *name, enum mgc_cell_kind *ret_kind)
{
    for (int kind = 0; name && kind < MGC_CELL_KIND_COUNT; kind++) {
        if (strcmp(mgc_cell_kind_name((enum mgc_cell_kind)kind), name) == 0) {
            *ret_kind = (enum mgc_cell_kind)kind;
            return true;
        }
    }
    return false;
}

static bool fill_expect(const json_t *json, struct mgc_expect *expect)
{
    expect->frames = mgc_restore_int(json, "frames", 0);
    expect->width = mgc_restore_int(json, "width", 0);
    expect->height = mgc_restore_int(json, "height", 0);
    expect->credit = mgc_restore_int(json, "credit", 0);
    expect->benchmark_finish = json_is_true(json_object_get(json, "benchmark_finish"));
    expect->ssim_threshold = mgc_restore_real(json, "ssim_threshold", 0);
    expect->pipe_stats = json_is_true(json_object_get(json, "pipe_stats"));
    expect->plugged = json_is_true(json_object_get(json, "plugged"));
    expect->temp_min_dc = mgc_restore_int(json, "temp_min_dc", 0);
    expect->temp_max_dc = mgc_restore_int(json, "temp_max_dc", 0);
    return mgc_build_text(&expect->backend, mgc_restore_text(json, "backend")) &&
           mgc_build_text(&expect->endpoint, mgc_restore_text(json, "endpoint")) &&
           mgc_build_text(&expect->package, mgc_restore_text(json, "package")) &&
           mgc_build_text(&expect->pins, mgc_restore_text(json, "pins"));
}

/* Runs from before `crosses_hosts` stood there tell it by their lane. */
static void fill_place(const json_t *json, struct mgc_cell *cell)
{
    const json_t *crosses = json_object_get(json, "crosses_hosts");
    const char *side = mgc_restore_text(json, "side");
    cell->rep = mgc_restore_int(json, "rep", 0);
    cell->confirm = json_is_true(json_object_get(json, "confirm"));
    cell->round = mgc_restore_int(json, "round", 0);
    cell->block = (size_t)mgc_restore_int(json, "block", 0);
    cell->after = side && strcmp(side, "after") == 0;
    cell->crosses_hosts =
        crosses ? json_is_true(crosses) : strcmp(cell->lane, mgc_lane_crosshost.name) == 0;
}

static bool fill_rules(const json_t *json, struct mgc_plan *plan)
{
    const json_t *rules = json_object_get(json, "shorten");
    plan->seed = mgc_restore_int(json, "seed", 0);
    plan->link_band = mgc_restore_int(json, "link_band", 0);
    plan->interleaved = json_is_true(json_object_get(json, "interleaved"));
    bool ok = mgc_build_text(&plan->order, mgc_restore_text(json, "order")) &&
              mgc_build_text(&plan->reference, mgc_restore_text(json, "reference"));
    for (size_t i = 0; ok && i < json_array_size(rules) && i < MGC_PLAN_SHORTEN_MAX; i++) {
        const json_t *from = json_array_get(rules, i);
        struct mgc_shorten *rule = &plan->shorten[plan->shorten_count++];
        rule->above_ms = mgc_restore_int(from, "above_ms", 0);
        rule->reps = mgc_restore_int(from, "reps", 0);
        ok = mgc_build_text(&rule->lane, mgc_restore_text(from, "lane")) &&
             mgc_build_text(&rule->workload, mgc_restore_text(from, "workload"));
    }
    return ok;
}

/* Two cells of one id would both be read from its one directory. */
static bool check_ids(const struct mgc_plan *plan, struct mgc_error *err)
{
    const struct mgc_cell **cells = mgc_plan_by_id(plan);
    bool ok = cells || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the plan");
    for (size_t i = 1; ok && i < plan->cell_count; i++) {
        if (strcmp(cells[i]->id, cells[i - 1]->id) == 0)
            ok = mgc_error_set(
                err, MGC_E_PROTOCOL, "run.json: cell '%s' stands there twice", cells[i]->id);
    }
    free(cells);
    return ok;
}

/* Names stand in tables as they are: nothing that breaks a line or steers a terminal. */
static bool is_name(const char *text)
{
    return !text || mgc_path_is_safe(text);
}

/* Of a setup's steps only those that a report tells about: what was brought to the phone. */
static bool fill_fixtures(const json_t *json, struct mgc_cell *cell)
{
    const json_t *steps = json_object_get(json, "steps");
    bool ok = true;
    for (size_t i = 0; ok && cell->kind == MGC_CELL_SETUP && i < json_array_size(steps); i++) {
        const json_t *from = json_array_get(steps, i), *params = json_object_get(from, "params");
        const char *id = mgc_restore_text(from, "id"), *kind = mgc_restore_text(from, "kind");
        const char *package = mgc_restore_text(params, "package");
        const char *dir = mgc_restore_text(params, "dir");
        if (!id || !kind || strcmp(kind, "host.fixtures") != 0 || !mgc_path_is_safe(id) ||
            !is_name(package) || !is_name(dir))
            continue;
        struct mgc_step *step = mgc_build_step(cell, id, kind, MGC_ROLE_HOST, 0);
        ok = step != NULL;
        if (ok)
            mgc_restore_fields(params, &step->params);
    }
    return ok;
}

static bool add_cell(const json_t *json, struct mgc_plan *plan, struct mgc_error *err)
{
    enum mgc_cell_kind kind;
    const char *id = mgc_restore_text(json, "id"), *lane = mgc_restore_text(json, "lane");
    const char *workload = mgc_restore_text(json, "workload");
    const char *arm = mgc_restore_text(json, "arm"), *mode = mgc_restore_text(json, "mode");
    /* An id is a directory: one that leads elsewhere was not written by us. */
    if (!kind_named(mgc_restore_text(json, "kind"), &kind) || !id || !lane ||
        !mgc_path_is_safe(id) || !is_name(lane) || !is_name(workload) || !is_name(arm) ||
        (kind == MGC_CELL_MEASURE && (!workload || !arm || !mode)))
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "run.json: cell %zu is not understood: expected id, kind, lane, and workload, arm and "
            "mode of one that is measured",
            plan->cell_count + 1);
    struct mgc_cell *cell = mgc_build_cell(plan, kind, lane, "%s", id);
    if (!cell || !mgc_build_text(&cell->workload, workload) || !mgc_build_text(&cell->arm, arm) ||
        !fill_expect(json_object_get(json, "expect"), &cell->expect) || !fill_fixtures(json, cell))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for cell '%s'", id);
    fill_place(json, cell);
    cell->mode = mode && strcmp(mode, mgc_mode_name(MGC_MODE_SSIM)) == 0 ? MGC_MODE_SSIM
                                                                         : MGC_MODE_BENCHMARK;
    return true;
}

bool mgc_restore_plan(const json_t *json, struct mgc_plan *plan, struct mgc_error *err)
{
    const char *name = mgc_restore_text(json, "name"), *run_id = mgc_restore_text(json, "run_id");
    const json_t *cells = json_object_get(json, "cells");
    const char *phone = mgc_restore_text(json, "phone");
    const char *part_of = mgc_restore_text(json, "part_of");
    if (!name || !run_id || !json_is_array(cells) || !is_name(name) || !is_name(run_id) ||
        !is_name(phone) || !is_name(part_of) || !phone != !part_of)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "run.json: plan is not understood: expected name, run_id and cells");
    if (!mgc_build_text(&plan->name, name) || !mgc_build_text(&plan->run_id, run_id) ||
        !mgc_build_text(&plan->phone, phone) || !mgc_build_text(&plan->part_of, part_of) ||
        !fill_rules(json, plan))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the plan");
    for (size_t i = 0; i < json_array_size(cells); i++) {
        if (!add_cell(json_array_get(cells, i), plan, err))
            return false;
    }
    return check_ids(plan, err);
}
