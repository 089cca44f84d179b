#include "lab/world/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAB_FLAGS (CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC)

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t len = strlen(text);
    bool ok = write(fd, text, len) == (ssize_t)len;
    int saved = errno;
    close(fd);
    errno = saved;
    return ok;
}

static bool map_ids(pid_t pid, struct mgc_error *err)
{
    const struct {
        const char *file;
        unsigned id;
    } rows[] = {{"setgroups", 0}, {"uid_map", geteuid()}, {"gid_map", getegid()}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[64], text[64] = "deny";
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, rows[i].file);
        if (i > 0)
            snprintf(text, sizeof text, "0 %u 1\n", rows[i].id);
        if (!write_text(path, text))
            return mgc_lab_ns_explain(MGC_LAB_NS_MAP, errno, rows[i].file, err);
    }
    return true;
}

static int run_first(int sock, mgc_lab_first_fn *first, void *arg)
{
    char go;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (recv(sock, &go, 1, 0) != 1)
        return 1;
    return first(sock, arg);
}

/* A raw clone, because the child goes on as a copy of us, without a stack of its own. */
static pid_t clone_lab(unsigned long flags)
{
    return (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, 0UL);
}

bool mgc_lab_ns_start(
    mgc_lab_first_fn *first, void *arg, pid_t *ret_pid, int *ret_sock, struct mgc_error *err)
{
    int pair[2];
    bool user = geteuid() != 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return mgc_error_errno(err, errno, "making a socket pair");
    pid_t pid = clone_lab(LAB_FLAGS | (user ? CLONE_NEWUSER : 0));
    if (pid < 0 && errno == EPERM && !user) { /* root without the capability, in a container */
        user = true;
        pid = clone_lab(LAB_FLAGS | CLONE_NEWUSER);
    }
    if (pid == 0) {
        close(pair[0]);
        _exit(run_first(pair[1], first, arg));
    }
    int saved = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return mgc_lab_ns_explain(MGC_LAB_NS_CLONE, saved, "making namespaces", err);
    }
    *ret_pid = pid;
    *ret_sock = pair[0];
    return !user || map_ids(pid, err);
}

bool mgc_lab_ns_start_plain(
    mgc_lab_first_fn *first, void *arg, pid_t *ret_pid, int *ret_sock, struct mgc_error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return mgc_error_errno(err, errno, "making a socket pair");
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        _exit(run_first(pair[1], first, arg));
    }
    int saved = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return mgc_error_errno(err, saved, "fork");
    }
    *ret_pid = pid;
    *ret_sock = pair[0];
    return true;
}

bool mgc_lab_ns_go(int sock, struct mgc_error *err)
{
    if (send(sock, "g", 1, MSG_NOSIGNAL) != 1)
        return mgc_error_errno(err, errno, "starting the lab's first process");
    return true;
}

bool mgc_lab_ns_loopback_up(struct mgc_error *err)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return mgc_error_errno(err, errno, "opening a socket in a new network namespace");
    int rc = ioctl(fd, SIOCSIFFLAGS, &request);
    int saved = errno;
    close(fd);
    return rc == 0 || mgc_lab_ns_explain(MGC_LAB_NS_USE, saved, "bringing lo up", err);
}

static bool mount_at(const char *type, const char *where, unsigned long flags, const char *options,
    struct mgc_error *err)
{
    char what[64];
    snprintf(what, sizeof what, "mounting %s on %s", type, where);
    return mount(type, where, type, flags, options) == 0 ||
           mgc_lab_ns_explain(MGC_LAB_NS_MOUNT, errno, what, err);
}

/* Without a name server a look-up fails at once instead of asking a real one in vain. A system
 * without the file, or with one that is a link into the hidden /run, needs nothing. */
static bool hide_name_servers(struct mgc_error *err)
{
    static const char path[] = "/run/mglab/resolv.conf";
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
    if (fd < 0)
        return mgc_error_errno(err, errno, "%s", path);
    close(fd);
    if (access("/etc/resolv.conf", F_OK) < 0)
        return true;
    return mount(path, "/etc/resolv.conf", NULL, MS_BIND, NULL) == 0 ||
           mgc_lab_ns_explain(MGC_LAB_NS_MOUNT, errno, "hiding /etc/resolv.conf", err);
}

bool mgc_lab_ns_settle(struct mgc_error *err)
{
    if (!mgc_lab_ns_loopback_up(err))
        return false;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return mgc_lab_ns_explain(MGC_LAB_NS_MOUNT, errno, "making mounts private", err);
    if (!mount_at("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL, err) ||
        !mount_at("tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755", err))
        return false;
    if (access("/dev/shm", F_OK) == 0 &&
        !mount_at("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777", err))
        return false;
    static const char *const dirs[] = {
        "/run/netns", "/run/mglab", "/run/mglab/uts", "/run/mglab/faults"};
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        if (mkdir(dirs[i], 0755) < 0)
            return mgc_error_errno(err, errno, "making %s", dirs[i]);
    }
    /* Who strikes a fault of one stroke takes its file away, whatever its user id. */
    if (chmod("/run/mglab/faults", 0777) < 0)
        return mgc_error_errno(err, errno, "opening /run/mglab/faults to every user");
    return hide_name_servers(err);
}
