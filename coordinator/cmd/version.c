#include <stdio.h>

#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"

int mgc_cmd_version(int argc, char **argv)
{
    static const struct mgc_cli cli = {.program = "mgcoord version",
        .synopsis = "",
        .summary = "Print the version of this program."};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, NULL, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    printf("mgcoord %s\n", MGC_VERSION);
    return MGC_EXIT_OK;
}
