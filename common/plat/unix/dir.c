/* The directory half of file.h. */
#include "common/plat/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/plat/internal.h"

/* Every level of remove_below holds one descriptor. */
enum { REMOVE_DEPTH_MAX = 128 };

bool mgc_plat_mkdir(const char *path, unsigned mode, struct mgc_error *err)
{
    if (mkdir(path, mode) == 0)
        return mgc_plat_sync_parent(path, err);
    int errnum = errno;
    struct stat st;
    /* Looked at after the failure: an existing parent may also say EROFS or EACCES. */
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    return mgc_error_errno(err, errnum, "make directory '%s'", path);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool remove_below(
    int parent, const char *name, const char *top, int depth, struct mgc_error *err);

static bool remove_entry(
    int dir, const char *name, const char *top, int depth, struct mgc_error *err)
{
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return true;
    int errnum = errno;
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        return remove_below(dir, name, top, depth + 1, err);
    return mgc_error_errno(err, errnum, "remove '%s': entry '%s'", top, name);
}

/* By directory descriptors with O_NOFOLLOW, so that a link swapped in meanwhile leads nowhere. */
static bool remove_below(
    int parent, const char *name, const char *top, int depth, struct mgc_error *err)
{
    if (depth > REMOVE_DEPTH_MAX)
        return mgc_error_set(
            err, MGC_E_IO, "remove '%s': nested deeper than %d", top, REMOVE_DEPTH_MAX);
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        int errnum = errno;
        if (fd >= 0)
            close(fd);
        return mgc_error_errno(err, errnum, "remove '%s': open '%s'", top, name);
    }
    bool ok = true;
    struct dirent *entry;
    while (ok && (entry = readdir(dir)))
        ok = is_dots(entry->d_name) || remove_entry(fd, entry->d_name, top, depth, err);
    closedir(dir);
    if (ok && unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        return mgc_error_errno(err, errno, "remove '%s': directory '%s'", top, name);
    return ok;
}

bool mgc_dir_remove(const char *path, struct mgc_error *err)
{
    struct stat st;
    if (lstat(path, &st) != 0) {
        if (errno == ENOENT)
            return true;
        return mgc_error_errno(err, errno, "remove '%s'", path);
    }
    if (S_ISLNK(st.st_mode))
        return mgc_file_remove(path, err);
    return remove_below(AT_FDCWD, path, path, 0, err);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool names_add(struct mgc_dir_names *names, const char *name)
{
    /* Room doubles at powers of two, so that the struct needs no capacity. */
    if ((names->count & (names->count - 1)) == 0) {
        size_t cap = names->count ? names->count * 2 : 1;
        char **grown = realloc(names->names, cap * sizeof(*grown));
        if (!grown)
            return false;
        names->names = grown;
    }
    char *copy = strdup(name);
    if (!copy)
        return false;
    names->names[names->count++] = copy;
    return true;
}

bool mgc_dir_list(const char *path, struct mgc_dir_names *ret_names, struct mgc_error *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return mgc_error_errno(err, errno, "list '%s'", path);
    struct mgc_dir_names names = {0};
    int errnum = 0;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry) {
            errnum = errno;
            break;
        }
        if (!is_dots(entry->d_name) && !names_add(&names, entry->d_name)) {
            errnum = ENOMEM;
            break;
        }
    }
    closedir(dir);
    if (errnum) {
        mgc_dir_names_destroy(&names);
        return mgc_error_errno(err, errnum, "list '%s'", path);
    }
    if (names.count)
        qsort(names.names, names.count, sizeof(*names.names), by_bytes);
    *ret_names = names;
    return true;
}

bool mgc_dir_free_bytes(const char *path, uint64_t *ret_bytes, struct mgc_error *err)
{
    struct statvfs st;
    if (statvfs(path, &st) != 0)
        return mgc_error_errno(err, errno, "free space at '%s'", path);
    *ret_bytes = (uint64_t)st.f_bavail * st.f_frsize;
    return true;
}
