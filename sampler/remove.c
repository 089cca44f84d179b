/* REMOVE: files, trees and patterns below one directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sampler/path.h"
#include "sampler/session.h"

enum { DEPTH_MAX = 8 };

static void tell(
    struct mgd_session *session, uint32_t id, const char *name, int errnum, const struct stat *st)
{
    struct mgc_device_removed removed = {.name = name,
        .state = errnum == 0                             ? MGC_DEVICE_PRESENT
                 : errnum == ENOENT || errnum == ENOTDIR ? MGC_DEVICE_ABSENT
                                                         : MGC_DEVICE_UNUSABLE,
        .errnum = (uint32_t)errnum,
        .size_bytes = st ? st->st_size : -1,
        .mtime_ns = st ? st->st_mtim.tv_sec * MGC_NS_PER_S + st->st_mtim.tv_nsec : -1};
    mgd_send(session,
        &(struct mgc_device_msg){.type = MGC_DEVICE_REMOVED, .id = id, .removed = removed});
}

/* All below an open directory (which is closed here), links as links. 0, or the first errno; the
 * rest is removed all the same. */
static int empty_tree(int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;
    int errnum = 0;
    if (!dir) {
        close(fd);
        return ENOMEM;
    }
    while ((entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT)
            continue;
        int why = errno;
        int below = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0 && depth < DEPTH_MAX) {
            why = empty_tree(below, depth + 1);
            if (!why && unlinkat(fd, entry->d_name, AT_REMOVEDIR) != 0)
                why = errno;
        } else if (below >= 0) {
            close(below);
            why = ENOTEMPTY;
        }
        errnum = errnum ? errnum : why;
    }
    closedir(dir);
    return errnum;
}

static int remove_tree(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int errnum = empty_tree(fd, 1);
    return errnum || rmdir(path) == 0 ? errnum : errno;
}

static void remove_one(
    struct mgd_session *session, uint32_t id, const char *dir, const char *name, bool tree)
{
    char path[MGD_PATH_MAX];
    struct stat st;
    if (!mgd_path_join(path, sizeof(path), dir, name)) {
        tell(session, id, name, ENAMETOOLONG, NULL);
        return;
    }
    if (tree)
        path[strlen(path) - 1] = '\0'; /* with the '/' a link would be followed */
    if (lstat(path, &st) != 0) {
        tell(session, id, name, errno, NULL);
        return;
    }
    int errnum = tree ? remove_tree(path) : unlink(path) == 0 ? 0 : errno;
    tell(session, id, name, errnum, &st);
}

static void remove_matching(
    struct mgd_session *session, uint32_t id, const char *dir, const char *name)
{
    char folder[MGD_PATH_MAX], full[MGD_PATH_MAX];
    const char *slash = strrchr(name, '/'), *pattern = slash ? slash + 1 : name;
    int lead = (int)(pattern - name);
    bool fits = snprintf(folder, sizeof(folder), "%s/%.*s", dir, lead, name) < (int)sizeof(folder);
    DIR *open = fits ? opendir(folder) : NULL;
    const struct dirent *entry;
    size_t matches = 0;
    if (!open) {
        tell(session, id, name, fits ? errno : ENAMETOOLONG, NULL);
        return;
    }
    while ((entry = readdir(open))) {
        struct stat st;
        if (fnmatch(pattern, entry->d_name, FNM_PERIOD | FNM_NOESCAPE) != 0 ||
            fstatat(dirfd(open), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            S_ISDIR(st.st_mode))
            continue;
        int errnum = unlinkat(dirfd(open), entry->d_name, 0) == 0 ? 0 : errno;
        snprintf(full, sizeof(full), "%.*s%s", lead, name, entry->d_name);
        tell(session, id, full, errnum, &st);
        matches++;
    }
    closedir(open);
    if (matches == 0)
        tell(session, id, name, ENOENT, NULL);
}

void mgd_start_remove(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    const struct mgc_device_remove *remove = &msg->remove;
    const char *name = NULL;
    while ((name = mgc_device_list_next(&remove->names, name))) {
        if (mgd_path_ok(remove->dir) && mgd_name_ok(name))
            continue;
        mgd_failed(session, msg->id, MGC_E_USAGE, 0,
            "remove \"%s\" in \"%s\": expected a name below an absolute path, without \"..\"", name,
            remove->dir);
        return;
    }
    for (name = NULL; (name = mgc_device_list_next(&remove->names, name));) {
        const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
        if (strpbrk(last, "*?["))
            remove_matching(session, msg->id, remove->dir, name);
        else
            remove_one(session, msg->id, remove->dir, name, *last == '\0');
    }
    mgd_done(session, msg->id);
}
