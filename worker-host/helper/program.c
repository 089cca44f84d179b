#include "worker-host/helper/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "common/plat/host.h"

static const struct {
    const char *android, *abi;
} abis[] = {{"arm64-v8a", "aarch64"}, {"x86_64", "x86_64"}, {"armeabi-v7a", "arm"}, {"x86", "x86"}};

enum { NAME_DIGITS = 12 };

const char *mgc_helper_abi(const char *android_abi)
{
    for (size_t i = 0; i < sizeof(abis) / sizeof(abis[0]); i++)
        if (strcmp(abis[i].android, android_abi) == 0)
            return abis[i].abi;
    return NULL;
}

static void look_in(const char *dir, struct mgc_helper_programs *programs)
{
    for (size_t i = 0; i < sizeof(abis) / sizeof(abis[0]); i++) {
        struct mgc_helper_program *program = &programs->items[programs->count];
        char name[32];
        snprintf(name, sizeof(name), "mgdevice-%s", abis[i].abi);
        if (!mgc_path_join(program->local, sizeof(program->local), dir, name) ||
            !mgc_file_exists(program->local) ||
            !mgc_sha256_file(program->local, program->sha256, &program->bytes, NULL))
            continue;
        snprintf(program->abi, sizeof(program->abi), "%s", abis[i].abi);
        strcpy(program->name, "mgdevice-");
        strncat(program->name, program->sha256, NAME_DIGITS);
        programs->count++;
    }
}

/* PREFIX/bin, or worker-host/ and tests/e2e/ of a build directory. */
void mgc_helper_programs_find(struct mgc_helper_programs *ret_programs)
{
    static const char *const places[] = {
        "", "/../libexec/mgcoord", "/../sampler", "/../../sampler"};
    char self[MGC_PATH_MAX], dir[MGC_PATH_MAX + 32];
    const char *pinned = getenv("MGC_DEVICE_DIR");
    ret_programs->count = 0;
    if (pinned) {
        look_in(pinned, ret_programs);
        return;
    }
    if (!mgc_host_program(self, sizeof(self), NULL))
        return;
    size_t len = (size_t)(mgc_path_base(self) - self);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !ret_programs->count; i++) {
        snprintf(dir, sizeof(dir), "%.*s%s", len ? (int)len - 1 : 0, self, places[i]);
        look_in(dir, ret_programs);
    }
}

const struct mgc_helper_program *mgc_helper_program_for(
    const struct mgc_helper_programs *programs, const char *android_abi, struct mgc_error *err)
{
    const char *abi = mgc_helper_abi(android_abi);
    for (size_t i = 0; abi && i < programs->count; i++)
        if (strcmp(programs->items[i].abi, abi) == 0)
            return &programs->items[i];
    if (abi)
        mgc_error_set(err, MGC_E_NOT_FOUND,
            "the file mgdevice-%s, which a phone with the ABI %s needs, is not on this host; it "
            "belongs beside the worker's program",
            abi, android_abi);
    else
        mgc_error_set(err, MGC_E_NOT_FOUND, "there is no mgdevice for a phone with the ABI \"%s\"",
            android_abi);
    return NULL;
}
