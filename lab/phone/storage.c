#include "lab/phone/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/phone/mounts.h"
#include "lab/phone/packages.h"

enum { PLACES_MAX = 1 + MGL_APPS_MAX };

static size_t list_places(char places[PLACES_MAX][PATH_MAX])
{
    size_t count = 1;
    strcpy(places[0], "/data/local/tmp");
    for (const struct mgl_package *package = mgl_packages; package->name; package++)
        if (mgl_package_is_app(package) && count < PLACES_MAX)
            snprintf(places[count++], PATH_MAX, "/data/user/0/%s/files", package->name);
    return count;
}

/* One page, taken by one file: names can be made, bytes cannot be written. */
static bool cover(const char *path, struct mgc_error *err)
{
    static const char page[4096];
    char full[PATH_MAX + 8];
    struct stat st;
    if (stat(path, &st) != 0)
        return mgc_error_errno(err, errno, "find '%s'", path);
    snprintf(full, sizeof(full), "%s/full", path);
    if (!mgl_mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "size=4096", err) ||
        !mgl_make_file(full, page, sizeof(page), 0600, err))
        return false;
    if (chown(path, st.st_uid, st.st_gid) != 0 || chmod(path, st.st_mode & 07777) != 0)
        return mgc_error_errno(err, errno, "give '%s' to its owner", path);
    return true;
}

bool mgl_storage_fill(struct mgc_error *err)
{
    char places[PLACES_MAX][PATH_MAX];
    size_t count = list_places(places);
    for (size_t i = 0; i < count; i++)
        if (!cover(places[i], err))
            return false;
    return true;
}

void mgl_storage_unfill(void)
{
    char places[PLACES_MAX][PATH_MAX];
    size_t count = list_places(places);
    for (size_t i = 0; i < count; i++)
        umount2(places[i], MNT_DETACH);
}
