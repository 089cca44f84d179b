#include "lab/phone/env.h"

#include <assert.h>
#include <stddef.h>

void mgl_env_shell(const char **env, const char *const *extra)
{
    static const char *const base[] = {
        "ANDROID_ROOT=/system",
        "ANDROID_DATA=/data",
        "EXTERNAL_STORAGE=/sdcard",
        "HOME=/",
        "HOSTNAME=labphone",
        "LOGNAME=shell",
        ("PATH=" MGL_PATH),
        "SHELL=/system/bin/sh",
        "TMPDIR=/data/local/tmp",
        "USER=shell",
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof(base) / sizeof(base[0]); i++)
        env[count++] = base[i];
    for (; *extra; extra++) {
        assert(count + 1 < MGL_ENV_MAX);
        env[count++] = *extra;
    }
    env[count] = NULL;
}
