/* dumpsys thermalservice and cmd thermalservice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"
#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"

/* Types and levels of android.os.Temperature. */
static const struct {
    const char *key, *name;
    int type;
} sensors[] = {
    {"thermal.cpu", "cpu-1-4-0", 0},
    {"thermal.gpu", "gpuss-0", 1},
    {"battery.temperature", "battery", 2},
    {"thermal.skin", "skin-therm", 3},
};

static bool get(const char *key, int64_t *ret_value)
{
    char text[32];
    const char *const words[] = {"get", "power", key, NULL};
    return mgl_control_get(words, text, sizeof(text)) == MGL_CONTROL_OK &&
           mgc_parse_int(text, INT32_MIN, INT32_MAX, ret_value);
}

static bool print_sensors(int status)
{
    for (size_t i = 0; i < sizeof(sensors) / sizeof(sensors[0]); i++) {
        int64_t tenths;
        if (!get(sensors[i].key, &tenths))
            return false;
        printf("\tTemperature{mValue=%.1f, mType=%d, mName=%s, mStatus=%d}\n", (double)tenths / 10,
            sensors[i].type, sensors[i].name, sensors[i].type == 2 ? 0 : status);
    }
    return true;
}

int mgl_thermal_dump(int argc, char **argv)
{
    int64_t status, forced;
    if (!get("thermal.status", &status))
        return MGL_EXIT_DEAD;
    bool is_forced = get("thermal.override", &forced);
    printf("IsStatusOverride: %s\nThermalEventListeners:\n\tcallbacks: 0\nThermalStatusListeners:\n"
           "\tcallbacks: 0\nThermal Status: %d\nCached temperatures:\n",
        is_forced ? "true" : "false", (int)(is_forced ? forced : status));
    if (!print_sensors((int)status))
        return MGL_EXIT_DEAD;
    puts("HAL Ready: true\nHAL connection:\n\tThermal AIDL 2 connected: yes\n"
         "Current temperatures from HAL:");
    return print_sensors((int)status) ? 0 : MGL_EXIT_DEAD;
}

int mgl_thermal_cmd(int argc, char **argv)
{
    int64_t level;
    if (argc == 3 && strcmp(argv[1], "override-status") == 0 &&
        mgc_parse_int(argv[2], 0, 6, &level)) {
        const char *const words[] = {"put", "power", "thermal.override", argv[2], NULL};
        return mgl_control_call(words, NULL, NULL) == MGL_CONTROL_OK ? 0 : MGL_EXIT_DEAD;
    }
    if (argc == 2 && strcmp(argv[1], "reset") == 0) {
        static const char *const words[] = {"delete", "power", "thermal.override", NULL};
        return mgl_control_call(words, NULL, NULL) == MGL_CONTROL_LOST ? MGL_EXIT_DEAD : 0;
    }
    fputs(
        "Thermal service (thermalservice) commands:\n  override-status STATUS\n  reset\n", stderr);
    return 255;
}
