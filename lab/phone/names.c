#include "lab/phone/names.h"

#include <stddef.h>

const char *const mgl_command_names[] = {"am", "cmd", "dumpsys", "getprop", "input", "log",
    "logcat", "pm", "screencap", "setprop", "settings", "start", "stop", "svc", "wm", NULL};
