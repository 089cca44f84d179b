/* dumpsys: the few lines of each service that people's scripts read. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"
#include "lab/phone/identity.h"
#include "lab/phone/packages.h"

static bool get(const char *space, const char *key, char *ret_value, size_t size)
{
    const char *const words[] = {"get", space, key, NULL};
    return mgl_control_get(words, ret_value, size) == MGL_CONTROL_OK;
}

static int battery(int argc, char **argv)
{
    char level[32], tenths[32], plugged[32];
    if (argc > 1) {
        fprintf(stderr, "Unknown option: %s\n", argv[1]);
        return 255;
    }
    if (!get("power", "battery.level", level, sizeof(level)) ||
        !get("power", "battery.temperature", tenths, sizeof(tenths)) ||
        !get("power", "plugged", plugged, sizeof(plugged)))
        return MGL_EXIT_DEAD;
    bool usb = strcmp(plugged, "usb") == 0;
    printf("Current Battery Service state:\n"
           "  AC powered: false\n  USB powered: %s\n  Wireless powered: false\n"
           "  status: %d\n  health: 2\n  present: true\n  level: %s\n  scale: 100\n"
           "  voltage: 4200\n  temperature: %s\n  technology: Li-ion\n",
        usb ? "true" : "false", usb ? 2 : 3, level, tenths);
    return 0;
}

static int power(int argc, char **argv)
{
    char wakefulness[32], stay_on[32], plugged[32];
    if (!get("power", "wakefulness", wakefulness, sizeof(wakefulness)) ||
        !get("power", "plugged", plugged, sizeof(plugged)) ||
        !get("global", "stay_on_while_plugged_in", stay_on, sizeof(stay_on)))
        return MGL_EXIT_DEAD;
    bool awake = strcmp(wakefulness, "Awake") == 0, usb = strcmp(plugged, "usb") == 0;
    printf("POWER MANAGER (dumpsys power)\n\nPower Manager State:\n"
           "  mWakefulness=%s\n  mIsPowered=%s\n  mPlugType=%d\n  mStayOn=%s\n"
           "\nSettings and Configuration:\n  mStayOnWhilePluggedInSetting=%s\n"
           "\nDisplay Power: state=%s\n",
        wakefulness, usb ? "true" : "false", usb ? 2 : 0,
        awake && usb && strcmp(stay_on, "0") != 0 ? "true" : "false", stay_on,
        awake ? "ON" : "OFF");
    return 0;
}

static int window(int argc, char **argv)
{
    char wakefulness[32];
    if (!get("power", "wakefulness", wakefulness, sizeof(wakefulness)))
        return MGL_EXIT_DEAD;
    printf("WINDOW MANAGER POLICY STATE (dumpsys window policy)\n"
           "    mAwake=%s\n    isKeyguardShowing=false\n    mShowingLockscreen=false\n"
           "    mDreamingLockscreen=false\n",
        strcmp(wakefulness, "Awake") == 0 ? "true" : "false");
    return 0;
}

/* As long as nobody touches the APK, the app is the one that was installed. */
static void print_update_time(const char *name)
{
    char path[256], time[32] = "1970-01-01 00:00:00";
    struct stat st;
    struct tm tm;
    snprintf(path, sizeof(path), "/data/app/%s/base.apk", name);
    if (stat(path, &st) == 0 && gmtime_r(&st.st_mtime, &tm))
        strftime(time, sizeof(time), "%Y-%m-%d %H:%M:%S", &tm);
    printf("    lastUpdateTime=%s\n", time);
}

static int package(int argc, char **argv)
{
    const struct mgl_package *found = argc > 1 ? mgl_package_find(argv[1]) : NULL;
    if (!found) {
        printf("Unable to find package: %s\n", argc > 1 ? argv[1] : "null");
        return 0;
    }
    printf("Packages:\n  Package [%s] (lab):\n    userId=%u\n    versionCode=%d minSdk=26 "
           "targetSdk=35\n"
           "    versionName=lab-%d\n",
        found->name, mgl_package_uid(found), found->version_code, found->version_code);
    if (mgl_package_is_app(found))
        print_update_time(found->name);
    if (mgl_package_is_app(found))
        printf("    codePath=/data/app/%s\n    legacyNativeLibraryDir=/data/app/%s/lib\n"
               "    primaryCpuAbi=" MGL_ABI "\n    dataDir=/data/user/0/%s\n",
            found->name, found->name, found->name);
    printf("    flags=[ %sHAS_CODE ]\n", found->debuggable ? "DEBUGGABLE " : "");
    return 0;
}

static const struct {
    const char *name;
    mgl_command_main *run;
} services[] = {
    {"battery", battery},
    {"deviceidle", mgl_deviceidle},
    {"package", package},
    {"power", power},
    {"thermalservice", mgl_thermal_dump},
    {"window", window},
};

int mgl_command_dumpsys(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "-l") == 0) {
        puts("Currently running services:");
        for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++)
            printf("  %s\n", services[i].name);
        return 0;
    }
    for (size_t i = 0; argc > 1 && i < sizeof(services) / sizeof(services[0]); i++)
        if (strcmp(services[i].name, argv[1]) == 0)
            return services[i].run(argc - 1, argv + 1);
    fprintf(stderr, "Can't find service: %s\n", argc > 1 ? argv[1] : "null");
    return 0; /* Android's exit code, too, says nothing */
}
