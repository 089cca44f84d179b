#include "lab/world/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

bool mgc_lab_env_passes(const char *entry)
{
    static const char *const prefixes[] = {"PATH=", "LANG=", "MGC_", "MGLAB_",
        "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS="};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

/* Takes over `entry`; a NULL (no memory) is passed on as failure. */
static bool add(struct mgc_lab_env *env, char *entry)
{
    char **items = entry != NULL ? realloc(env->items, (env->count + 2) * sizeof *items) : NULL;
    if (items == NULL) {
        free(entry);
        return false;
    }
    env->items = items;
    env->items[env->count++] = entry;
    env->items[env->count] = NULL;
    return true;
}

static char *pair(const char *key, const char *dir, const char *rest)
{
    char *text = NULL;
    return asprintf(&text, "%s=%s%s", key, dir, rest) < 0 ? NULL : text;
}

bool mgc_lab_env_service(
    struct mgc_lab_env *env, const char *home, const char *adb_port, struct mgc_error *err)
{
    bool ok = add(env, pair("HOME", home, "")) && add(env, pair("TMPDIR", home, "/tmp")) &&
              (adb_port == NULL || add(env, pair("ANDROID_ADB_SERVER_PORT", adb_port, "")));
    for (char **entry = environ; ok && *entry != NULL; entry++) {
        if (mgc_lab_env_passes(*entry))
            ok = add(env, strdup(*entry));
    }
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for an environment");
}

void mgc_lab_env_destroy(struct mgc_lab_env *env)
{
    if (env == NULL)
        return;
    for (size_t i = 0; i < env->count; i++)
        free(env->items[i]);
    free(env->items);
    *env = (struct mgc_lab_env){0};
}
