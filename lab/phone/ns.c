#include "lab/phone/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "lab/phone/io.h"

static bool write_map(pid_t pid, const char *name, const char *text, struct mgc_error *err)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return mgc_error_errno(err, errno, "open '%s'", path);
    ssize_t len = 0;
    while (text[len])
        len++;
    bool ok = write(fd, text, (size_t)len) == len;
    int errnum = errno;
    close(fd);
    return ok || mgc_error_errno(err, errnum, "write '%s' to '%s'", text, path);
}

/* We are root inside, ourselves outside. */
static bool map_ids(pid_t pid, struct mgc_error *err)
{
    char uid[32], gid[32];
    snprintf(uid, sizeof(uid), "0 %u 1", geteuid());
    snprintf(gid, sizeof(gid), "0 %u 1", getegid());
    return write_map(pid, "setgroups", "deny", err) && write_map(pid, "uid_map", uid, err) &&
           write_map(pid, "gid_map", gid, err);
}

/* The go-ahead comes once the maps are written; end of file means that the creator is gone, which
 * also closes the gap before PDEATHSIG is set. */
static void run_child(int go_fd, int (*function)(void *), void *arg)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char go;
    if (!mgl_io_read_all(go_fd, &go, 1))
        _exit(1);
    close(go_fd);
    _exit(function(arg));
}

pid_t mgl_ns_start(int (*function)(void *arg), void *arg, struct mgc_error *err)
{
    int go[2];
    if (pipe2(go, O_CLOEXEC) != 0) {
        mgc_error_errno(err, errno, "pipe");
        return -1;
    }
    bool as_user = geteuid() != 0;
    unsigned long flags = CLONE_NEWNS | CLONE_NEWPID | SIGCHLD | (as_user ? CLONE_NEWUSER : 0);
    pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        close(go[1]);
        run_child(go[0], function, arg);
    }
    close(go[0]);
    bool ok =
        pid > 0 || mgc_error_errno(err, errno,
                       "make the phone's namespaces, of processes and mounts, without which a "
                       "lab can have one phone only (mglab --loopback)");
    ok = ok && (!as_user || map_ids(pid, err));
    ok = ok && (mgl_io_write_all(go[1], "g", 1) || mgc_error_errno(err, errno, "start the phone"));
    close(go[1]);
    if (!ok && pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return ok ? pid : -1;
}
