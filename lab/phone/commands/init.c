/* start and stop: services of init, by the properties that control them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"

static int control(const char *verb, const char *service)
{
    const char *const words[] = {"put", "prop", verb, service, NULL};
    switch (mgl_control_call(words, NULL, NULL)) {
    case MGL_CONTROL_OK:
        return 0;
    case MGL_CONTROL_LOST:
        return MGL_EXIT_DEAD;
    default:
        fprintf(
            stderr, "Unable to %s service '%s'\nSee dmesg for error reason.\n", verb + 4, service);
        return 1;
    }
}

static int run(int argc, char **argv, const char *verb)
{
    if (getuid() != 0) {
        fputs("Must be root\n", stderr);
        return 1;
    }
    if (argc < 2) {
        fprintf(stderr, "%s: the lab phone cannot %s its framework\n", verb + 4, verb + 4);
        return 1;
    }
    int code = 0;
    for (int i = 1; i < argc && code == 0; i++)
        code = control(verb, argv[i]);
    return code;
}

int mgl_command_start(int argc, char **argv)
{
    return run(argc, argv, "ctl.start");
}

int mgl_command_stop(int argc, char **argv)
{
    return run(argc, argv, "ctl.stop");
}
