/* mgphone-cmd: picks the command by the name it was started with. */
#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "lab/phone/commands/commands.h"

static const struct {
    const char *name;
    mgl_command_main *run;
} commands[] = {
    {"am", mgl_command_am},
    {"cmd", mgl_command_cmd},
    {"dumpsys", mgl_command_dumpsys},
    {"getprop", mgl_command_getprop},
    {"input", mgl_command_input},
    {"log", mgl_command_log},
    {"logcat", mgl_command_logcat},
    {"pidof", mgl_command_pidof},
    {"pm", mgl_command_pm},
    {"run-as", mgl_command_run_as},
    {"screencap", mgl_command_screencap},
    {"setprop", mgl_command_setprop},
    {"settings", mgl_command_settings},
    {"start", mgl_command_start},
    {"stop", mgl_command_stop},
    {"su", mgl_command_su},
    {"svc", mgl_command_svc},
    {"wm", mgl_command_wm},
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
