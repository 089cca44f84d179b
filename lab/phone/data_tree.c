#include "lab/phone/data_tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/path.h"
#include "lab/phone/ids.h"
#include "lab/phone/mounts.h"
#include "lab/phone/packages.h"

struct place {
    const char *path;
    mode_t mode;
    enum mgl_identity owner;
};

static bool make_places(const struct place *places, size_t count, struct mgc_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!mgl_make_owned_dir(places[i].path, places[i].mode, places[i].owner, err))
            return false;
    return true;
}

/* Something to hash where `pm path` points: it says what it is. */
static bool make_apk(const struct mgl_package *package, struct mgc_error *err)
{
    char path[256], text[256];
    snprintf(path, sizeof(path), "data/app/%s/base.apk", package->name);
    int len = snprintf(text, sizeof(text),
        "mgcoord lab phone: package %s, version %s, no real APK\n", package->name, MGC_VERSION);
    return mgl_make_file(path, text, (size_t)len, 0644, err);
}

static bool make_app_places(const struct mgl_package *package, struct mgc_error *err)
{
    char home[256], files[256], cache[256], lib[256];
    snprintf(home, sizeof(home), "data/user/0/%s", package->name);
    snprintf(files, sizeof(files), "data/user/0/%s/files", package->name);
    snprintf(cache, sizeof(cache), "data/user/0/%s/cache", package->name);
    snprintf(lib, sizeof(lib), "data/app/%s/lib", package->name);
    const struct place places[] = {
        {home, 0700, package->identity},
        {files, 0771, package->identity},
        {cache, 0771, package->identity},
        {lib, 0755, MGL_ROOT},
    };
    return make_places(places, sizeof(places) / sizeof(places[0]), err) && make_apk(package, err);
}

bool mgl_data_tree_make(const struct mgl_options *options, struct mgc_error *err)
{
    static const struct place places[] = {
        {"data", 0771, MGL_ROOT},
        {"data/local", 0751, MGL_ROOT},
        {"data/local/tmp", 0771, MGL_SHELL},
        {"data/app", 0771, MGL_ROOT},
        {"data/user", 0711, MGL_ROOT},
        {"data/user/0", 0771, MGL_ROOT},
        {"sdcard", 0777, MGL_SHELL},
        {"sdcard/Download", 0777, MGL_SHELL},
    };
    if (chdir(options->data) != 0)
        return mgc_error_errno(err, errno, "enter '%s'", options->data);
    if (!make_places(places, sizeof(places) / sizeof(places[0]), err) ||
        !mgl_make_link("/data/user/0", "data/data", err))
        return false;
    for (const struct mgl_package *package = mgl_packages; package->name; package++)
        if (mgl_package_is_app(package) && !make_app_places(package, err))
            return false;
    return true;
}

static bool bind_app_lib(const struct mgl_options *options, struct mgc_error *err)
{
    char path[256];
    if (!options->app_lib)
        return true;
    for (const struct mgl_package *package = mgl_packages; package->name; package++) {
        snprintf(path, sizeof(path), "data/app/%s/lib", package->name);
        if (mgl_package_is_app(package) && !mgl_bind(options->app_lib, path, true, err))
            return false;
    }
    return true;
}

static bool bind_part(
    const struct mgl_options *options, const char *part, const char *target, struct mgc_error *err)
{
    char source[PATH_MAX];
    if (!mgc_path_join(source, sizeof(source), options->data, part))
        return mgc_error_set(err, MGC_E_CONFIG, "the path '%s' is too long", options->data);
    return mgl_make_dir(target, 0755, err) && mgl_bind(source, target, false, err);
}

bool mgl_data_tree_bind(const struct mgl_options *options, struct mgc_error *err)
{
    return bind_part(options, "data", "data", err) &&
           bind_part(options, "sdcard", "storage/emulated/0", err) &&
           mgl_make_link("/storage/emulated/0", "sdcard", err) && bind_app_lib(options, err);
}
