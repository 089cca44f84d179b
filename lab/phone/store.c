#include "lab/phone/store.h"

#include <stdio.h>
#include <string.h>

#include "common/base/hash.h"
#include "lab/phone/identity.h"

enum { PROP_VALUE_MAX = 92, KEY_MAX = 255, ENTRIES_MAX = 4096 };

static const char *const space_names[MGL_SPACE_COUNT] = {
    [MGL_SPACE_PROP] = "prop",
    [MGL_SPACE_GLOBAL] = "global",
    [MGL_SPACE_SYSTEM] = "system",
    [MGL_SPACE_SECURE] = "secure",
    [MGL_SPACE_DOZE] = "doze",
    [MGL_SPACE_POWER] = "power",
};

static const struct {
    enum mgl_space space;
    const char *key, *value;
} first_values[] = {
    {MGL_SPACE_PROP, "init.svc.adbd", "running"},
    {MGL_SPACE_PROP, "init.svc.perf2-hal-1-0", "running"},
    {MGL_SPACE_PROP, "init.svc.thermal-engine", "running"},
    {MGL_SPACE_PROP, "init.svc.vendor.perfservice", "running"},
    {MGL_SPACE_PROP, "persist.sys.timezone", "UTC"},
    {MGL_SPACE_PROP, "ro.build.fingerprint", MGL_FINGERPRINT},
    {MGL_SPACE_PROP, "ro.build.type", "userdebug"},
    {MGL_SPACE_PROP, "ro.build.version.release", "16"},
    {MGL_SPACE_PROP, "ro.build.version.sdk", "36"},
    {MGL_SPACE_PROP, "ro.debuggable", "1"},
    {MGL_SPACE_PROP, "ro.hardware", "mglab"},
    {MGL_SPACE_PROP, "ro.product.brand", MGL_MANUFACTURER},
    {MGL_SPACE_PROP, "ro.product.cpu.abi", MGL_ABI},
    {MGL_SPACE_PROP, "ro.product.device", MGL_DEVICE},
    {MGL_SPACE_PROP, "ro.product.manufacturer", MGL_MANUFACTURER},
    {MGL_SPACE_PROP, "ro.product.model", MGL_MODEL},
    {MGL_SPACE_PROP, "ro.product.name", MGL_DEVICE},
    {MGL_SPACE_PROP, "ro.serialno", MGL_SERIALNO},
    {MGL_SPACE_PROP, "sys.boot_completed", "1"},
    {MGL_SPACE_GLOBAL, "adb_enabled", "1"},
    {MGL_SPACE_GLOBAL, "airplane_mode_on", "0"},
    {MGL_SPACE_GLOBAL, "device_name", MGL_MODEL},
    {MGL_SPACE_GLOBAL, "stay_on_while_plugged_in", "0"},
    {MGL_SPACE_GLOBAL, "wifi_on", "1"},
    {MGL_SPACE_SYSTEM, "screen_brightness", "102"},
    {MGL_SPACE_SYSTEM, "screen_off_timeout", "60000"},
    {MGL_SPACE_SECURE, "android_id", "6d676c6162303031"},
    {MGL_SPACE_POWER, "battery.level", "85"},
    {MGL_SPACE_POWER, "battery.temperature", MGL_BATTERY_DC},
    {MGL_SPACE_POWER, "plugged", "usb"},
    {MGL_SPACE_POWER, "wakefulness", "Awake"},
};

bool mgl_store_init(struct mgl_store *store, bool uids_real)
{
    *store = (struct mgl_store){0};
    bool ok = true;
    for (size_t i = 0; i < sizeof(first_values) / sizeof(first_values[0]); i++)
        ok = ok && mgl_store_put(
                       store, first_values[i].space, first_values[i].key, first_values[i].value);
    /* The kernel's boot id is the host's; this one changes with every start of the phone. */
    char boot[17];
    mgc_random_text(boot, sizeof(boot) - 1);
    return ok && mgl_store_put(store, MGL_SPACE_PROP, "ro.mglab.boot", boot) &&
           mgl_store_put(store, MGL_SPACE_PROP, "ro.mglab.uids", uids_real ? "real" : "none");
}

void mgl_store_destroy(struct mgl_store *store)
{
    for (int i = 0; store && i < MGL_SPACE_COUNT; i++)
        mgc_fields_destroy(&store->spaces[i]);
}

bool mgl_space_parse(const char *name, enum mgl_space *ret_space)
{
    for (int i = 0; i < MGL_SPACE_COUNT; i++) {
        if (strcmp(space_names[i], name) != 0)
            continue;
        *ret_space = (enum mgl_space)i;
        return true;
    }
    return false;
}

bool mgl_store_may_put(
    const struct mgl_store *store, enum mgl_space space, const char *key, const char *value)
{
    size_t len = strlen(key);
    if (len == 0 || len > KEY_MAX || store->spaces[space].count >= ENTRIES_MAX)
        return false;
    if (space != MGL_SPACE_PROP)
        return true;
    if (strncmp(key, "ro.", 3) == 0)
        return !mgl_store_get(store, space, key);
    return strlen(value) < PROP_VALUE_MAX;
}

bool mgl_store_control(struct mgl_store *store, const char *key, const char *service)
{
    char name[KEY_MAX + 1];
    bool start = strcmp(key, "ctl.start") == 0 || strcmp(key, "ctl.restart") == 0;
    if ((!start && strcmp(key, "ctl.stop") != 0) ||
        (size_t)snprintf(name, sizeof(name), "init.svc.%s", service) >= sizeof(name) ||
        !mgl_store_get(store, MGL_SPACE_PROP, name))
        return false;
    return mgl_store_put(store, MGL_SPACE_PROP, name, start ? "running" : "stopped");
}

bool mgl_store_put(
    struct mgl_store *store, enum mgl_space space, const char *key, const char *value)
{
    return mgc_fields_set_str(&store->spaces[space], key, value);
}

const char *mgl_store_get(const struct mgl_store *store, enum mgl_space space, const char *key)
{
    return mgc_fields_get_str(&store->spaces[space], key);
}
