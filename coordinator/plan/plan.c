#include "coordinator/plan/plan.h"

#include <stdlib.h>
#include <string.h>

const char *mgc_role_name(enum mgc_role role)
{
    return role == MGC_ROLE_HOST ? "host" : "wsl";
}

const char *mgc_cell_kind_name(enum mgc_cell_kind kind)
{
    static const char *const names[] = {"setup", "measure", "bracket", "close"};
    return names[kind];
}

bool mgc_cell_is_regular(const struct mgc_cell *cell)
{
    return cell->kind == MGC_CELL_MEASURE && cell->mode == MGC_MODE_BENCHMARK && !cell->confirm;
}

/* A path check is a few packets. */
bool mgc_cell_loads_link(const struct mgc_cell *cell)
{
    bool measures = cell->kind == MGC_CELL_MEASURE || cell->kind == MGC_CELL_BRACKET;
    for (size_t i = 0; measures && i < cell->step_count; i++) {
        if (cell->steps[i].role == MGC_ROLE_WSL &&
            strcmp(cell->steps[i].kind, "wsl.pathcheck") != 0)
            return true;
    }
    return false;
}

const char *mgc_mode_name(enum mgc_mode mode)
{
    return mode == MGC_MODE_BENCHMARK ? "benchmark" : "ssim";
}

static void step_destroy(struct mgc_step *step)
{
    free(step->id);
    free(step->kind);
    free(step->barrier);
    mgc_fields_destroy(&step->params);
    mgc_fields_destroy(&step->secrets);
}

static void cell_destroy(struct mgc_cell *cell)
{
    for (size_t i = 0; i < cell->step_count; i++)
        step_destroy(&cell->steps[i]);
    free(cell->steps);
    free(cell->id);
    free(cell->lane);
    free(cell->workload);
    free(cell->arm);
    free(cell->expect.backend);
    free(cell->expect.endpoint);
    free(cell->expect.package);
    free(cell->expect.pins);
}

size_t mgc_plan_block(const struct mgc_plan *plan, const struct mgc_cell *cell, size_t *ret_first)
{
    size_t first = (size_t)(cell - plan->cells), end = first + 1;
    while (cell->block && first > 0 && plan->cells[first - 1].block == cell->block)
        first--;
    while (cell->block && end < plan->cell_count && plan->cells[end].block == cell->block)
        end++;
    *ret_first = first;
    return end;
}

static int compare_ids(const void *left, const void *right)
{
    const struct mgc_cell *a = *(const struct mgc_cell *const *)left;
    const struct mgc_cell *b = *(const struct mgc_cell *const *)right;
    int order = strcmp(a->id, b->id);
    return order ? order : (a > b) - (a < b);
}

const struct mgc_cell **mgc_plan_by_id(const struct mgc_plan *plan)
{
    const struct mgc_cell **cells = calloc(plan->cell_count + 1, sizeof(*cells));
    for (size_t i = 0; cells && i < plan->cell_count; i++)
        cells[i] = &plan->cells[i];
    if (cells && plan->cell_count)
        qsort(cells, plan->cell_count, sizeof(*cells), compare_ids);
    return cells;
}

bool mgc_plan_order_is_fixed(const struct mgc_plan *plan)
{
    return !plan->order || strcmp(plan->order, "fixed") == 0;
}

void mgc_plan_destroy(struct mgc_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->cell_count; i++)
        cell_destroy(&plan->cells[i]);
    free(plan->cells);
    free(plan->name);
    free(plan->run_id);
    free(plan->phone);
    free(plan->part_of);
    for (int role = 0; role < MGC_ROLE_COUNT; role++)
        free(plan->workers[role]);
    free(plan->order);
    free(plan->reference);
    for (size_t i = 0; i < plan->shorten_count; i++) {
        free(plan->shorten[i].lane);
        free(plan->shorten[i].workload);
    }
    *plan = (struct mgc_plan){0};
}
