/* mgphone-cmd: picks the command by the name it was started with. */
#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "lab/phone/commands/commands.h"

static const struct {
    const char *name;
    mgl_command_main *run;
} commands[] = {
    {"log", mgl_command_log},
};

int main(int argc, char **argv)
{
    const char *name = argc > 0 ? mgc_path_base(argv[0]) : "";
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc, argv);
    fprintf(stderr, "mgphone-cmd: no command '%s'\n", name);
    return 127;
}
