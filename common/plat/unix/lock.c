/* The lock of file.h. flock belongs to the open file, so it ends with the last descriptor of it:
 * at release, or when the process is gone however it died. The file itself is never removed; to
 * remove it would let two holders lock two different files of one name. */
#include "common/plat/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool busy_error(int fd, const char *path, struct mgc_error *err)
{
    char pid[24];
    ssize_t got = pread(fd, pid, sizeof(pid) - 1, 0);
    pid[got > 0 ? got : 0] = '\0';
    pid[strspn(pid, "0123456789")] = '\0';
    if (!pid[0])
        return mgc_error_set(err, MGC_E_BUSY, "lock '%s' is held by another process", path);
    return mgc_error_set(err, MGC_E_BUSY, "lock '%s' is held by process %s", path, pid);
}

static int write_all(int fd, const char *text, size_t len)
{
    errno = 0;
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, len, 0) != (ssize_t)len)
        return errno ? errno : EIO;
    return 0;
}

static int write_pid(int fd)
{
    char pid[24];
    int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
    return write_all(fd, pid, (size_t)len);
}

static bool lock_open_file(struct mgc_lock *lock, int fd, const char *path, struct mgc_error *err)
{
    int result;
    do {
        result = flock(fd, LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    int errnum = result == 0 ? write_pid(fd) : errno;
    if (!errnum) {
        lock->handle = fd;
        return true;
    }
    if (result != 0 && errnum == EWOULDBLOCK)
        busy_error(fd, path, err);
    else
        mgc_error_errno(err, errnum, "lock '%s'", path);
    close(fd);
    return false;
}

bool mgc_lock_take(struct mgc_lock *lock, const char *path, struct mgc_error *err)
{
    /* It is truncated and written: a link that somebody put there must not lead to another file. */
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (fd < 0)
        return mgc_error_errno(err, errno, "lock '%s'", path);
    return lock_open_file(lock, fd, path, err);
}

bool mgc_lock_take_public(struct mgc_lock *lock, const char *path, struct mgc_error *err)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    /* Without O_CREAT first: with it, fs.protected_regular forbids to open what another user made
     * in a sticky directory. Whoever makes it first wins, then it is opened again. */
    int fd = open(path, flags);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, flags | O_CREAT | O_EXCL, 0666);
        if (fd >= 0)
            fchmod(fd, 0666); /* whatever the umask says */
        else if (errno == EEXIST)
            fd = open(path, flags);
    }
    if (fd < 0)
        return mgc_error_errno(err, errno, "lock '%s'", path);
    return lock_open_file(lock, fd, path, err);
}

bool mgc_lock_note(const struct mgc_lock *lock, const char *text, struct mgc_error *err)
{
    struct mgc_buf content = {0};
    if (*text)
        mgc_buf_printf(&content, "%ld\n%s", (long)getpid(), text);
    int errnum = mgc_buf_ok(&content)
                     ? write_all((int)lock->handle, mgc_buf_text(&content), content.len)
                     : ENOMEM;
    mgc_buf_destroy(&content);
    return errnum == 0 || mgc_error_errno(err, errnum, "write a note into a lock file");
}

void mgc_lock_release(struct mgc_lock *lock)
{
    if (!lock || lock->handle < 0)
        return;
    close((int)lock->handle);
    lock->handle = -1;
}
