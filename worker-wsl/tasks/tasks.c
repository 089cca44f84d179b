#include "worker-wsl/tasks/tasks.h"

#include "worker-wsl/route/route.h"

/* Whoever sends to the phone relies on the route that is there; only one may set it. */
static const struct mgc_need on_the_route[] = {{"route", "address", false}, {0}};
static const struct mgc_need the_route[] = {{"route", "address", true}, {0}};

const struct mgc_task_kind mgc_wsl_kinds[] = {
    {"wsl.route", mgc_wsl_route_params, "Hold a route to one address through a gateway",
        mgc_wsl_route_run, the_route},
    {"wsl.pathcheck", mgc_wsl_pathcheck_params, "Find out whether TCP runs end to end",
        mgc_wsl_pathcheck_run, on_the_route},
    {"wsl.replay", mgc_wsl_replay_params, "Run the cross-host replay client once",
        mgc_wsl_replay_run, on_the_route},
    {"wsl.netbench", mgc_wsl_netbench_params, "Measure the link with a sink on the phone",
        mgc_wsl_netbench_run, on_the_route},
    {0},
};

const struct mgc_undo_kind mgc_wsl_undos[] = {
    {"route.restore", mgc_wsl_route_undo},
    {"process.kill", mgc_wsl_process_undo},
    {0},
};

bool mgc_wsl_check_address(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_route_is_address(value->string) ||
           mgc_error_set(err, MGC_E_CONFIG,
               "expected an IPv4 address like 192.168.1.5, got "
               "\"%.40s\"",
               value->string);
}
