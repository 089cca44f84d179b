#include <stdio.h>

#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/cli/cli.h"
#include "common/plat/streams.h"
#include "lab/world/commands.h"
#include "lab/world/report.h"

static const struct mgc_cli_command commands[] = {
    {"run", "build a lab, run a command in it, leave nothing", mgc_lab_cmd_run},
    {"up", "build a lab and leave it running in the background", mgc_lab_cmd_up},
    {"down", "end a running lab", mgc_lab_cmd_down},
    {"shell", "an interactive shell in a host of a running lab", mgc_lab_cmd_shell},
    {"exec", "run a command in a host of a running lab", mgc_lab_cmd_exec},
    {"fault", "set, clear or list fault knobs of a running lab", mgc_lab_cmd_fault},
    {"status", "members of a running lab and their pids", mgc_lab_cmd_status},
    {"kill", "signal a member of a running lab", mgc_lab_cmd_kill},
    {0},
};

int main(int argc, char **argv)
{
    struct mgc_error err = {0};
    mgc_streams_open();
    mgc_log_init("mglab", MGC_LOG_INFO);
    if (!mgc_random_init(&err)) {
        fprintf(stderr, "mglab: %s\n", err.text);
        return MGC_LAB_EXIT_BROKEN;
    }
    return mgc_cli_dispatch("mglab",
        "A bench without hardware: network namespaces, a phone, a proxy.", MGC_VERSION, commands,
        argc, argv);
}
