#include "lab/phone/app/server_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts `entry` at its first '='. An entry without name is ignored. */
static bool apply(struct mgc_fields *env, char *entry)
{
    char *equals = strchr(entry, '=');
    if (equals)
        *equals = 0;
    if (!*entry)
        return true;
    return mgc_fields_set_str(env, entry, equals ? equals + 1 : NULL);
}

static bool apply_list(struct mgc_fields *env, const char *const *list)
{
    bool ok = true;
    for (; ok && *list; list++) {
        char *copy = strdup(*list);
        ok = copy && apply(env, copy);
        free(copy);
    }
    return ok;
}

static bool apply_extra(struct mgc_fields *env, const char *extra)
{
    char *copy = strdup(extra), *rest = copy, *entry;
    bool ok = copy != NULL;
    while (ok && (entry = strsep(&rest, ";")))
        ok = apply(env, entry);
    free(copy);
    return ok;
}

bool mgl_server_env_build(const struct mgl_server_env *spec, struct mgc_fields *ret_env)
{
    static const char *const removed[] = {"MOBILEGL_TRANSPORT", "MOBILEGL_IPC_CONTROL",
        "MOBILEGL_IPC_ENDPOINT", "MOBILEGL_IPC_SERVER_PATH", "MOBILEGL_IPC_RING_MB",
        "MOBILEGL_IPC_STAGE_MB"};
    static const char *const forced[] = {
        "MOBILEGL_IPC_ROLE=server", "MOBILEGL_IPC_DIAL=no", "MOBILEGL_IPC_LOG_FORWARD=1", NULL};
    *ret_env = (struct mgc_fields){0};
    bool ok = apply_list(ret_env, spec->base) &&
              (!spec->extra || apply_extra(ret_env, spec->extra)) && apply_list(ret_env, forced);
    for (size_t i = 0; i < sizeof(removed) / sizeof(removed[0]); i++)
        mgc_fields_remove(ret_env, removed[i]);
    if (ok && spec->token && *spec->token)
        ok = mgc_fields_set_str(ret_env, "MOBILEGL_IPC_TOKEN", spec->token);
    if (ok && !mgc_fields_get(ret_env, "MOBILEGL_LOG_FILE_PATH"))
        ok = mgc_fields_setf(ret_env, "MOBILEGL_LOG_FILE_PATH", "%s/mgl.log", spec->files_dir);
    return ok;
}
