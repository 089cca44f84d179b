#include "common/plat/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/open.h"
#include "common/base/path.h"
#include "common/plat/internal.h"

enum { COPY_CHUNK = 128 * 1024 };

static ssize_t read_retry(int fd, void *data, size_t len)
{
    ssize_t got;
    do {
        got = read(fd, data, len);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* 0, or the errno value. */
static int write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t put = write(fd, data, len);
        if (put < 0 && errno != EINTR)
            return errno;
        if (put > 0) {
            data += put;
            len -= (size_t)put;
        }
    }
    return 0;
}

/* Reads until the end instead of trusting st_size, which is 0 for files of /proc. */
static bool read_to_end(
    int fd, const char *path, size_t max, struct mgc_buf *buf, struct mgc_error *err)
{
    size_t start = buf->len;
    for (;;) {
        if (!mgc_buf_reserve(buf, 16384))
            return mgc_error_set(err, MGC_E_NO_MEMORY, "read '%s': out of memory", path);
        ssize_t got = read_retry(fd, buf->data + buf->len, 16384);
        if (got < 0)
            return mgc_error_errno(err, errno, "read '%s'", path);
        if (got == 0)
            return true;
        buf->len += (size_t)got;
        if (buf->len - start > max)
            return mgc_error_set(
                err, MGC_E_NO_MEMORY, "read '%s': larger than the limit of %zu bytes", path, max);
    }
}

bool mgc_file_read(const char *path, size_t max, struct mgc_buf *buf, struct mgc_error *err)
{
    int fd = mgc_open_regular(path, err);
    if (fd < 0)
        return false;
    size_t before = buf->len;
    bool ok = read_to_end(fd, path, max, buf, err);
    close(fd);
    if (!ok)
        buf->len = before;
    if (buf->data)
        buf->data[buf->len] = '\0';
    return ok;
}

/* A neighbour of `path` that either becomes it (commit) or goes away (discard). */
struct draft {
    const char *path; /* borrowed */
    char name[MGC_PATH_MAX];
    int fd;
};

static bool draft_open(struct draft *draft, const char *path, unsigned mode, struct mgc_error *err)
{
    draft->path = path;
    int len = snprintf(draft->name, sizeof(draft->name), "%s.XXXXXX", path);
    if (len < 0 || (size_t)len >= sizeof(draft->name))
        return mgc_error_set(err, MGC_E_IO, "write '%.80s...': path is too long", path);
    draft->fd = mkostemp(draft->name, O_CLOEXEC);
    if (draft->fd < 0)
        return mgc_error_errno(err, errno, "write '%s': cannot make a file beside it", path);
    if (fchmod(draft->fd, mode) == 0)
        return true;
    int errnum = errno;
    close(draft->fd);
    unlink(draft->name);
    return mgc_error_errno(err, errnum, "write '%s': permission %o", path, mode);
}

static void draft_discard(struct draft *draft)
{
    if (draft->fd >= 0)
        close(draft->fd);
    unlink(draft->name);
}

bool mgc_plat_sync_parent(const char *path, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX];
    size_t len = (size_t)(mgc_path_base(path) - path);
    snprintf(dir, sizeof(dir), "%.*s", len ? (int)len : 1, len ? path : ".");
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return true; /* may be changed, not read: then nobody can sync it */
    if (fd < 0)
        return mgc_error_errno(err, errno, "write '%s': open directory '%s'", path, dir);
    int errnum = fsync(fd) == 0 || errno == EINVAL ? 0 : errno; /* EINVAL: not offered here */
    close(fd);
    if (errnum)
        return mgc_error_errno(err, errnum, "write '%s': sync directory '%s'", path, dir);
    return true;
}

static bool draft_commit(struct draft *draft, struct mgc_error *err)
{
    int errnum = fsync(draft->fd) == 0 || errno == EINVAL ? 0 : errno;
    /* close may be the first to tell of a full quota on a network file system */
    if (close(draft->fd) != 0 && !errnum)
        errnum = errno;
    draft->fd = -1;
    if (!errnum && rename(draft->name, draft->path) != 0)
        errnum = errno;
    if (errnum) {
        draft_discard(draft);
        return mgc_error_errno(err, errnum, "write '%s'", draft->path);
    }
    return mgc_plat_sync_parent(draft->path, err);
}

bool mgc_file_write(
    const char *path, const void *data, size_t len, unsigned mode, struct mgc_error *err)
{
    struct draft draft;
    if (!draft_open(&draft, path, mode, err))
        return false;
    int errnum = write_all(draft.fd, data, len);
    if (errnum) {
        draft_discard(&draft);
        return mgc_error_errno(err, errnum, "write '%s' (%zu bytes)", path, len);
    }
    return draft_commit(&draft, err);
}

static bool copy_bytes(int from, const struct draft *to, const char *path, struct mgc_error *err)
{
    char *chunk = malloc(COPY_CHUNK);
    if (!chunk)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "copy '%s': out of memory", path);
    ssize_t got;
    int write_errnum = 0;
    while ((got = read_retry(from, chunk, COPY_CHUNK)) > 0 && !write_errnum)
        write_errnum = write_all(to->fd, chunk, (size_t)got);
    int read_errnum = got < 0 ? errno : 0;
    free(chunk);
    if (read_errnum)
        return mgc_error_errno(err, read_errnum, "copy '%s': read", path);
    if (write_errnum)
        return mgc_error_errno(err, write_errnum, "copy '%s' to '%s'", path, to->path);
    return true;
}

bool mgc_file_copy(const char *from, const char *to, unsigned mode, struct mgc_error *err)
{
    int fd = mgc_open_regular(from, err);
    if (fd < 0)
        return mgc_error_prefix(err, "copy");
    struct draft draft;
    bool ok = draft_open(&draft, to, mode, err);
    if (ok) {
        ok = copy_bytes(fd, &draft, from, err);
        if (ok)
            ok = draft_commit(&draft, err);
        else
            draft_discard(&draft);
    }
    close(fd);
    return ok;
}

bool mgc_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool mgc_file_size(const char *path, uint64_t *ret_bytes, struct mgc_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return mgc_error_errno(err, errno, "size of '%s'", path);
    if (!S_ISREG(st.st_mode))
        return mgc_error_set(err, MGC_E_IO, "size of '%s': not a regular file", path);
    *ret_bytes = (uint64_t)st.st_size;
    return true;
}

bool mgc_file_changed(const char *path, int64_t *ret_wall_ns, struct mgc_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return mgc_error_errno(err, errno, "time of '%s'", path);
    *ret_wall_ns = (int64_t)st.st_mtim.tv_sec * MGC_NS_PER_S + st.st_mtim.tv_nsec;
    return true;
}

bool mgc_file_rename(const char *from, const char *to, struct mgc_error *err)
{
    if (rename(from, to) != 0)
        return mgc_error_errno(err, errno, "rename '%s' to '%s'", from, to);
    return mgc_plat_sync_parent(to, err);
}

bool mgc_stream_sync(FILE *stream, const char *path, struct mgc_error *err)
{
    if (fflush(stream) != 0 || (fsync(fileno(stream)) != 0 && errno != EINVAL))
        return mgc_error_errno(err, errno, "write '%s'", path);
    return mgc_plat_sync_parent(path, err);
}

bool mgc_file_remove(const char *path, struct mgc_error *err)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return mgc_error_errno(err, errno, "remove '%s'", path);
    return true;
}
