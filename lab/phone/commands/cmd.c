/* cmd: the same services by their binder names. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lab/phone/commands/commands.h"

static const struct {
    const char *name;
    mgl_command_main *run;
} services[] = {
    {"activity", mgl_command_am},
    {"deviceidle", mgl_deviceidle},
    {"package", mgl_command_pm},
    {"settings", mgl_command_settings},
    {"thermalservice", mgl_thermal_cmd},
    {"window", mgl_command_wm},
};

int mgl_command_cmd(int argc, char **argv)
{
    if (argc < 2) {
        fputs("cmd: No service specified; use -l to list all services\n", stderr);
        return 20;
    }
    bool list = strcmp(argv[1], "-l") == 0;
    if (list)
        puts("Currently running services:");
    for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
        if (list)
            printf("  %s\n", services[i].name);
        else if (strcmp(services[i].name, argv[1]) == 0)
            return services[i].run(argc - 1, argv + 1);
    }
    if (list)
        return 0;
    fprintf(stderr, "cmd: Can't find service: %s\n", argv[1]);
    return 20;
}
