#include <stdio.h>

#include "lab/world/commands.h"
#include "lab/world/launch.h"

enum { EXIT_USAGE = 2 };

int mgc_lab_cmd_run(int argc, char **argv)
{
    struct mgc_error err = {0};
    struct mgc_lab_launch launch = {.program = "mglab run"};
    char **command = NULL;
    enum mgc_cli_outcome outcome = mgc_lab_run_parse(argc, argv, &launch.options, &command, &err);
    if (outcome == MGC_CLI_HELP) {
        mgc_cli_print_help(&mgc_lab_run_cli, stdout);
        return 0;
    }
    if (outcome == MGC_CLI_BAD || !mgc_lab_launch_fill(&launch, &err)) {
        fprintf(stderr, "mglab run: %s\n", err.text);
        return EXIT_USAGE;
    }
    launch.spec.command = command;
    return mgc_lab_launch_run(&launch);
}
