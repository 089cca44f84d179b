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
    free(plan->order);
    free(plan->reference);
    for (size_t i = 0; i < plan->shorten_count; i++) {
        free(plan->shorten[i].lane);
        free(plan->shorten[i].workload);
    }
    *plan = (struct mgc_plan){0};
}
