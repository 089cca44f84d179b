#include "coordinator/cmd/plan_estimates.h"

#include <stdio.h>

#include "common/base/clock.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"
#include "coordinator/history/durations.h"

struct mgc_estimates *mgc_cmd_estimates(const struct mgc_site *site, const struct mgc_plan *plan)
{
    struct mgc_error err = {0};
    struct mgc_estimates *estimates = mgc_estimates_typical(site, plan);
    if (estimates &&
        !mgc_history_durations_of(site->results, site->phone.serial, plan, estimates, &err))
        fprintf(stderr, "mgcoord: warning: %s; estimates are by published runs alone\n", err.text);
    return estimates;
}

static int no_memory(void)
{
    struct mgc_error err;
    mgc_error_set(&err, MGC_E_NO_MEMORY, "no memory for the estimates");
    return mgc_cmd_fail(&err);
}

static int check_budget(const struct mgc_site *site, const struct mgc_plan *plan)
{
    struct mgc_problems problems = {0};
    if (!plan->budget.wall_ms && !plan->budget.has_end)
        return MGC_EXIT_OK;
    struct mgc_estimates *estimates = mgc_cmd_estimates(site, plan);
    if (!estimates)
        return no_memory();
    mgc_check_budget(plan, &site->settings, estimates, mgc_wall_ns(), &problems);
    mgc_estimates_free(estimates);
    for (size_t i = 0; i < mgc_problem_count(&problems.errors); i++)
        fprintf(stderr, "mgcoord: %s%s%s\n", plan->phone ? plan->phone : "",
            plan->phone ? ": " : "", problems.errors.text[i]);
    return problems.errors.total ? MGC_EXIT_USAGE : MGC_EXIT_OK;
}

int mgc_cmd_check_budget(const struct mgc_phone_plans *plans)
{
    int exit_code = MGC_EXIT_OK;
    for (size_t i = 0; i < plans->count; i++) {
        int code = check_budget(&plans->items[i].site, &plans->items[i].plan);
        exit_code = exit_code == MGC_EXIT_OK ? code : exit_code;
    }
    return exit_code;
}
