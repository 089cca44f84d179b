/* mgcoord: the coordinator. This file only has the table of commands. */
#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/cli/cli.h"
#include "common/plat/streams.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/options.h"

static const struct mgc_cli_command commands[] = {
    {"cancel", "end the run that is on, as Ctrl-C does", mgc_cmd_cancel},
    {"compare", "hold one run against another", mgc_cmd_compare},
    {"heartbeat", "say whether the last run went well, for a check from outside",
        mgc_cmd_heartbeat},
    {"history", "what was measured so far, run by run", mgc_cmd_history},
    {"hosts", "show which workers come, and how far their clocks are off", mgc_cmd_hosts},
    {"keys", "say which workers may connect", mgc_cmd_keys},
    {"plan", "show or check a plan; list the keys of plan and site files", mgc_cmd_plan},
    {"report", "show a run's directory again, also one of the old script", mgc_cmd_report},
    {"run", "carry out a plan", mgc_cmd_run},
    {"schedule", "let a plan be carried out every day", mgc_cmd_schedule},
    {"version", "print the version", mgc_cmd_version},
    {"watch", "follow the run that is on", mgc_cmd_watch},
    {0},
};

int main(int argc, char **argv)
{
    struct mgc_error err = {0};
    mgc_streams_open();
    mgc_log_init("mgcoord", MGC_LOG_INFO);
    if (!mgc_random_init(&err) || !mgc_clock_plant_from_env(&err))
        return mgc_cmd_fail(&err);
    return mgc_cli_dispatch("mgcoord",
        "Measure MobileGL's transport arms on a phone and across hosts by one plan.", MGC_VERSION,
        commands, argc, argv);
}
