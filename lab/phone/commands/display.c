/* input, wm, screencap and svc: what a phone without a display can truly do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"

static int set_wakefulness(const char *value)
{
    const char *const words[] = {"put", "power", "wakefulness", value, NULL};
    return mgl_control_call(words, NULL, NULL) == MGL_CONTROL_OK ? 0 : MGL_EXIT_DEAD;
}

static int toggle_power(void)
{
    static const char *const words[] = {"get", "power", "wakefulness", NULL};
    char now[32];
    if (mgl_control_get(words, now, sizeof(now)) != MGL_CONTROL_OK)
        return MGL_EXIT_DEAD;
    return set_wakefulness(strcmp(now, "Awake") == 0 ? "Asleep" : "Awake");
}

/* Keys that change nothing here are accepted too: on a phone they also "work" unseen. */
static int press(const char *key)
{
    static const struct {
        const char *name, *number;
    } keys[] = {{"HOME", "3"}, {"BACK", "4"}, {"POWER", "26"}, {"ENTER", "66"}, {"MENU", "82"},
        {"SLEEP", "223"}, {"WAKEUP", "224"}};
    const char *name = strncmp(key, "KEYCODE_", 8) == 0 ? key + 8 : key;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(keys[i].name, name) != 0 && strcmp(keys[i].number, name) != 0)
            continue;
        if (strcmp(keys[i].name, "WAKEUP") == 0)
            return set_wakefulness("Awake");
        if (strcmp(keys[i].name, "SLEEP") == 0)
            return set_wakefulness("Asleep");
        return strcmp(keys[i].name, "POWER") == 0 ? toggle_power() : 0;
    }
    fprintf(stderr, "Error: Unknown keycode: %s\n", key);
    return 255;
}

int mgl_command_input(int argc, char **argv)
{
    if (argc < 3 || strcmp(argv[1], "keyevent") != 0) {
        fprintf(stderr, "Error: Unknown command: %s\n", argc > 1 ? argv[1] : "null");
        return 255;
    }
    for (int i = 2; i < argc; i++) {
        int code = press(argv[i]);
        if (code != 0)
            return code;
    }
    return 0;
}

int mgl_command_wm(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "size") == 0) {
        puts("Physical size: 1080x2400");
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "density") == 0) {
        puts("Physical density: 440");
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "dismiss-keyguard") == 0)
        return 0; /* there is none */
    fprintf(stderr, "Unknown command: %s\n", argc > 1 ? argv[1] : "null");
    return 255;
}

int mgl_command_screencap(int argc, char **argv)
{
    fputs("screencap: the lab phone has no display to capture\n", stderr);
    return 1;
}

/* Bits of stay_on_while_plugged_in: AC 1, USB 2, wireless 4, dock 8. */
static int stay_on(const char *when)
{
    static const struct {
        const char *name, *bits;
    } values[] = {{"true", "15"}, {"false", "0"}, {"ac", "1"}, {"usb", "2"}, {"wireless", "4"},
        {"dock", "8"}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(values[i].name, when) != 0)
            continue;
        const char *const words[] = {
            "put", "global", "stay_on_while_plugged_in", values[i].bits, NULL};
        return mgl_control_call(words, NULL, NULL) == MGL_CONTROL_OK ? 0 : MGL_EXIT_DEAD;
    }
    fputs("usage: svc power stayon [true|false|usb|ac|wireless|dock]\n", stderr);
    return 1;
}

int mgl_command_svc(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "power") == 0 && strcmp(argv[2], "stayon") == 0)
        return stay_on(argv[3]);
    if (argc == 3 && strcmp(argv[1], "wifi") == 0 && strcmp(argv[2], "enable") == 0)
        return 0; /* it always is */
    if (argc == 3 && strcmp(argv[1], "wifi") == 0 && strcmp(argv[2], "disable") == 0) {
        fputs("svc: the lab phone cannot switch its Wi-Fi off\n", stderr);
        return 1;
    }
    fputs("Available commands:\n    help     Show information about the subcommands\n"
          "    power    Control the power manager\n    wifi     Control the Wi-Fi manager\n",
        stderr);
    return 1;
}
