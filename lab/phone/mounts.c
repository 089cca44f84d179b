#include "lab/phone/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lab/phone/io.h"

bool mgl_make_dir(const char *path, mode_t mode, struct mgc_error *err)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(copy, 0755) != 0 && errno != EEXIST)
            return mgc_error_errno(err, errno, "make the directory '%s'", copy);
        *slash = '/';
    }
    if (mkdir(path, mode) != 0 && errno != EEXIST)
        return mgc_error_errno(err, errno, "make the directory '%s'", path);
    return true;
}

bool mgl_make_owned_dir(
    const char *path, mode_t mode, enum mgl_identity owner, struct mgc_error *err)
{
    if (!mgl_make_dir(path, mode, err))
        return false;
    uid_t uid = mgl_identity_uid(owner);
    if (chmod(path, mode) != 0 || chown(path, uid, uid) != 0)
        return mgc_error_errno(err, errno, "give '%s' to uid %u", path, uid);
    return true;
}

bool mgl_make_file(
    const char *path, const void *data, size_t len, mode_t mode, struct mgc_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0)
        return mgc_error_errno(err, errno, "make the file '%s'", path);
    bool ok = mgl_io_write_all(fd, data, len);
    int errnum = errno;
    close(fd);
    return ok || mgc_error_errno(err, errnum, "write '%s'", path);
}

/* An existing one stays as it is. */
bool mgl_make_link(const char *target, const char *path, struct mgc_error *err)
{
    if (symlink(target, path) != 0 && errno != EEXIST)
        return mgc_error_errno(err, errno, "make the link '%s'", path);
    return true;
}

static struct mgl_mount_list *recorded; /* NULL: mounts are made */
static bool forbidden;

void mgl_mounts_record(struct mgl_mount_list *list)
{
    recorded = list;
}

void mgl_mounts_forbid(void)
{
    forbidden = true;
}

/* A source in the new root, such as dev/boot_id, is named from there. The '!' keeps proot from
 * following a link at the target. */
static bool record(const char *source, const char *target, struct mgc_error *err)
{
    char here[PATH_MAX] = "";
    char *item;
    if (recorded->count == MGL_MOUNTS_MAX)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "more than %d bindings", MGL_MOUNTS_MAX);
    if (source[0] != '/' && !getcwd(here, sizeof(here)))
        return mgc_error_errno(err, errno, "the current directory");
    if (asprintf(&item, "%s%s%s:/%s!", here, *here ? "/" : "", source, target) < 0)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a binding");
    recorded->items[recorded->count++] = item;
    return true;
}

/* A directory is as good as an empty tmpfs. */
static bool record_mount(const char *type, const char *target, struct mgc_error *err)
{
    if (strcmp(type, "proc") == 0)
        return record("/proc", target, err);
    if (strcmp(type, "devpts") == 0)
        return record("/dev/pts", target, err) && record("/dev/ptmx", "dev/ptmx", err);
    return true;
}

bool mgl_mount(const char *source, const char *target, const char *type, unsigned long flags,
    const char *data, struct mgc_error *err)
{
    if (forbidden)
        return mgc_error_set(
            err, MGC_E_UNSUPPORTED, "mount on '%s': not in a phone without namespaces", target);
    if (recorded)
        return record_mount(type, target, err);
    if (mount(source, target, type, flags, data) != 0)
        return mgc_error_errno(err, errno, "mount %s on '%s'", type, target);
    return true;
}

/* In a user namespace the flags that a mount had on the host are locked: repeat them. */
static unsigned long locked_flags(const char *path)
{
    static const unsigned long pairs[][2] = {{ST_NOSUID, MS_NOSUID}, {ST_NODEV, MS_NODEV},
        {ST_NOEXEC, MS_NOEXEC}, {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME},
        {ST_RELATIME, MS_RELATIME}};
    struct statvfs st;
    unsigned long flags = 0;
    if (statvfs(path, &st) != 0)
        return 0;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (st.f_flag & pairs[i][0])
            flags |= pairs[i][1];
    return flags;
}

bool mgl_bind(const char *source, const char *target, bool read_only, struct mgc_error *err)
{
    if (recorded)
        return record(source, target, err);
    if (mount(source, target, NULL, MS_BIND | MS_REC, NULL) != 0)
        return mgc_error_errno(err, errno, "bind '%s' to '%s'", source, target);
    if (!read_only)
        return true;
    unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | locked_flags(target);
    if (mount(NULL, target, NULL, flags, NULL) != 0)
        return mgc_error_errno(err, errno, "make '%s' read-only", target);
    return true;
}
