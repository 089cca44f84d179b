#include "sampler/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* the same on every architecture */
#endif

int mgd_pidfd(int pid)
{
    if (pid <= 0) {
        errno = ESRCH; /* a parent outside of our pid namespace */
        return -1;
    }
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int mgd_poll(struct pollfd *fds, size_t count, int64_t deadline_ns)
{
    int64_t left_ns = deadline_ns == MGC_NEVER ? 0 : deadline_ns - mgc_mono_ns();
    if (left_ns < 0)
        left_ns = 0;
    struct timespec left = {
        .tv_sec = (time_t)(left_ns / MGC_NS_PER_S), .tv_nsec = (long)(left_ns % MGC_NS_PER_S)};
    return ppoll(fds, count, deadline_ns == MGC_NEVER ? NULL : &left, NULL);
}

int mgd_read_text(const char *path, char *ret_text, size_t size)
{
    size_t len = 0;
    ssize_t got = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    while (got > 0 && len < size - 1) {
        got = read(fd, ret_text + len, size - 1 - len);
        len += got > 0 ? (size_t)got : 0;
    }
    int errnum = errno;
    close(fd);
    ret_text[len] = '\0';
    return got < 0 ? -errnum : (int)len;
}

bool mgd_stat_parse(const char *text, struct mgd_stat *ret_stat)
{
    struct mgd_stat stat = {0};
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    long long start;
    if (!open || !close || close < open)
        return false;
    snprintf(stat.comm, sizeof(stat.comm), "%.*s", (int)(close - open - 1), open + 1);
    if (sscanf(close + 1,
            " %c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld",
            &stat.state, &stat.ppid, &start) != 3 ||
        start < 0)
        return false;
    stat.start_ticks = start;
    *ret_stat = stat;
    return true;
}

bool mgd_of_package(const char *argv0, const char *package)
{
    size_t len = strlen(package);
    const char *base = strrchr(argv0, '/');
    if (len == 0)
        return false;
    if (!base)
        return strncmp(argv0, package, len) == 0 && (argv0[len] == '\0' || argv0[len] == ':');
    if (strncmp(base + 1, "mgdevice", strlen("mgdevice")) == 0)
        return false;
    for (const char *at = argv0; (at = strstr(at, package)) && at < base; at++)
        if (at > argv0 && at[-1] == '/' && (at[len] == '/' || at[len] == '-'))
            return true;
    return false;
}

static int read_of(uint32_t pid, const char *name, char *ret_text, size_t size)
{
    char path[48];
    snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
    return mgd_read_text(path, ret_text, size);
}

bool mgd_proc_argv0(uint32_t pid, char *ret_text, size_t size)
{
    return read_of(pid, "cmdline", ret_text, size) >= 0;
}

static bool read_stat(uint32_t pid, struct mgd_stat *ret_stat)
{
    char text[1024];
    return read_of(pid, "stat", text, sizeof(text)) > 0 && mgd_stat_parse(text, ret_stat) &&
           ret_stat->state != 'Z' && ret_stat->state != 'X';
}

static uint32_t owner(uint32_t pid)
{
    char path[32];
    struct stat st;
    snprintf(path, sizeof(path), "/proc/%u", pid);
    return stat(path, &st) == 0 ? (uint32_t)st.st_uid : UINT32_MAX;
}

bool mgd_proc_read(uint32_t pid, struct mgd_proc *ret_proc)
{
    struct mgd_proc proc = {.pid = pid};
    struct mgd_stat before;
    if (!read_stat(pid, &before))
        return false;
    int len = read_of(pid, "cmdline", proc.cmdline, sizeof(proc.cmdline));
    proc.uid = owner(pid);
    for (int i = 0; i + 1 < len; i++)
        if (proc.cmdline[i] == '\0')
            proc.cmdline[i] = ' ';
    if (len < 0 || !read_stat(pid, &proc.stat) || proc.stat.start_ticks != before.start_ticks)
        return false;
    *ret_proc = proc;
    return true;
}
