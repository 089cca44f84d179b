#include "common/plat/process.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/unix/group.h"
#include "common/plat/unix/procfs.h"
#include "common/plat/unix/spawn.h"
#include "common/plat/unix/wait.h"

/* The ended child stays a zombie until stop or free. That keeps its number, and with it the group's
 * number, from being given to strangers, so a signal to the group can never hit the wrong one. */
struct mgc_process {
    pid_t pid;
    int pidfd;     /* owned */
    int stdout_fd; /* owned; -1 without a pipe */
    pthread_mutex_t lock;
    bool reaped; /* guarded by lock: kill_tree may come from any thread */
    bool ended;
    struct mgc_exit exit; /* valid once ended */
    char name[64];
};

static void destroy(struct mgc_process *process)
{
    if (process->pidfd >= 0)
        close(process->pidfd);
    if (process->stdout_fd >= 0)
        close(process->stdout_fd);
    pthread_mutex_destroy(&process->lock);
    free(process);
}

struct mgc_process *mgc_process_start(const struct mgc_process_spec *spec, struct mgc_error *err)
{
    struct mgc_process *process = calloc(1, sizeof(*process));
    if (!process) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "start '%s': out of memory", spec->argv[0]);
        return NULL;
    }
    pthread_mutex_init(&process->lock, NULL);
    process->pidfd = -1;
    process->stdout_fd = -1;
    snprintf(process->name, sizeof(process->name), "%s", spec->argv[0]);
    process->pid = mgc_plat_spawn(spec, &process->stdout_fd, err);
    if (process->pid < 0) {
        destroy(process);
        return NULL;
    }
    process->pidfd = mgc_plat_pidfd_open(process->pid);
    if (process->pidfd < 0) {
        mgc_error_errno(err, errno, "start '%s': pidfd_open (needs Linux 5.3)", process->name);
        mgc_process_free(process);
        return NULL;
    }
    return process;
}

int64_t mgc_process_pid(const struct mgc_process *process)
{
    return process->pid;
}

int mgc_process_stdout(const struct mgc_process *process)
{
    return process->stdout_fd;
}

int mgc_process_fd(const struct mgc_process *process)
{
    return process->pidfd;
}

static int waitid_retry(pid_t pid, siginfo_t *info, int options)
{
    int result;
    do {
        result = waitid(P_PID, (id_t)pid, info, options);
    } while (result != 0 && errno == EINTR);
    return result;
}

/* Read the exit status and leave the zombie. */
static bool collect(struct mgc_process *process, struct mgc_error *err)
{
    siginfo_t info = {0};
    if (waitid_retry(process->pid, &info, WEXITED | WNOWAIT) != 0)
        return mgc_error_errno(err, errno, "wait for '%s'", process->name);
    process->exit.kind = info.si_code == CLD_EXITED ? MGC_EXIT_CODE : MGC_EXIT_SIGNAL;
    process->exit.value = info.si_status;
    process->ended = true;
    return true;
}

bool mgc_process_wait(struct mgc_process *process, int64_t deadline_ns, struct mgc_exit *ret_exit,
    struct mgc_error *err)
{
    if (!process->ended) {
        char what[96];
        snprintf(what, sizeof(what), "wait for '%s' to end", process->name);
        if (!mgc_plat_wait_fd(process->pidfd, POLLIN, deadline_ns, -1, what, err) ||
            !collect(process, err))
            return false;
    }
    if (ret_exit)
        *ret_exit = process->exit;
    return true;
}

static void reap(struct mgc_process *process)
{
    siginfo_t info = {0};
    pthread_mutex_lock(&process->lock);
    if (!process->reaped)
        waitid_retry(process->pid, &info, WEXITED);
    process->reaped = true;
    pthread_mutex_unlock(&process->lock);
}

void mgc_process_stop(struct mgc_process *process, int64_t grace_ms)
{
    if (process->reaped) /* only this thread writes it */
        return;
    mgc_plat_group_end(process->pid, grace_ms);
    /* For one that was born during the last look at /proc, and for a system without /proc. */
    mgc_process_kill_tree(process);
    /* Killed, it ends; only one stuck in the kernel for good would hold us here. */
    if (!process->ended)
        collect(process, NULL);
    reap(process);
}

void mgc_process_kill_tree(struct mgc_process *process)
{
    pthread_mutex_lock(&process->lock);
    if (!process->reaped)
        kill(-process->pid, SIGKILL);
    pthread_mutex_unlock(&process->lock);
}

void mgc_process_free(struct mgc_process *process)
{
    if (!process)
        return;
    mgc_process_stop(process, 0);
    destroy(process);
}

const char *mgc_exit_text(const struct mgc_exit *exit, char *buf, size_t size)
{
    if (exit->kind == MGC_EXIT_CODE)
        snprintf(buf, size, "exit code %d", exit->value);
    else
        snprintf(buf, size, "signal %d (%s)", exit->value, strsignal(exit->value));
    return buf;
}

bool mgc_process_start_time(int64_t pid, uint64_t *ret_ticks)
{
    struct mgc_procfs_stat stat;
    if (!mgc_procfs_stat_read(pid, &stat))
        return false;
    *ret_ticks = stat.start_ticks;
    return true;
}

enum { ORPHANS_MAX = 64 };

/* One member is proof enough: while a group has members, the kernel gives its number to no new
 * process, so nobody else can lead or have made it. */
static bool has_orphans(int64_t group, uint64_t start_ticks, const char *dir)
{
    int64_t pids[ORPHANS_MAX];
    size_t count = mgc_procfs_group_members(group, pids, ORPHANS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct mgc_procfs_stat stat;
        if (mgc_procfs_uses_dir(pids[i], dir) && mgc_procfs_stat_read(pids[i], &stat) &&
            stat.group == group && stat.start_ticks >= start_ticks)
            return true;
    }
    return false;
}

bool mgc_process_kill_stale(
    int64_t pid, uint64_t start_ticks, const char *dir, struct mgc_error *err)
{
    struct mgc_procfs_stat stat;
    bool led = pid > 1 && mgc_procfs_stat_read(pid, &stat);
    if (pid <= 1 ||
        (led ? stat.start_ticks != start_ticks : !dir || !has_orphans(pid, start_ticks, dir)))
        return true;
    if (led && stat.group != pid)
        return mgc_error_set(err, MGC_E_FAILED,
            "end stale process %lld: it leads no group of its own, so it is not one we started",
            (long long)pid);
    if (!mgc_plat_group_end((pid_t)pid, 0))
        return mgc_error_set(err, MGC_E_TIMEOUT,
            "end stale process %lld: its group is still alive after SIGKILL", (long long)pid);
    return true;
}
