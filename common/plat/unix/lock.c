/* The lock of file.h. flock belongs to the open file, so it ends with the last descriptor of it:
 * at release, or when the process is gone however it died. The file itself is never removed; to
 * remove it would let two holders lock two different files of one name. */
#include "common/plat/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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

static int write_pid(int fd)
{
    char pid[24];
    int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, pid, (size_t)len, 0) != len)
        return errno ? errno : EIO;
    return 0;
}

bool mgc_lock_take(struct mgc_lock *lock, const char *path, struct mgc_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return mgc_error_errno(err, errno, "lock '%s'", path);
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

void mgc_lock_release(struct mgc_lock *lock)
{
    if (!lock || lock->handle < 0)
        return;
    close((int)lock->handle);
    lock->handle = -1;
}
