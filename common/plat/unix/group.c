#include "common/plat/unix/group.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/unix/procfs.h"
#include "common/plat/unix/wait.h"

/* How long a killed process may take to leave the kernel. */
enum { KILL_WAIT_MS = 5000 };
enum { MEMBERS_AT_ONCE = 64 };

int mgc_plat_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* True when that process has gone, or is no member any more. */
static bool wait_member(pid_t pid, pid_t group, int64_t deadline_ns)
{
    int fd = mgc_plat_pidfd_open(pid);
    if (fd < 0)
        return true;
    /* The number may have been given to a stranger between the scan and pidfd_open. */
    struct mgc_procfs_stat stat;
    bool gone = !mgc_procfs_stat_read(pid, &stat) || stat.group != group ||
                mgc_plat_wait_fd(fd, POLLIN, deadline_ns, -1, "end of a group member", NULL);
    close(fd);
    return gone;
}

bool mgc_plat_group_wait(pid_t group, int64_t deadline_ns)
{
    int64_t pids[MEMBERS_AT_ONCE];
    size_t count;
    while ((count = mgc_procfs_group_members(group, pids, MEMBERS_AT_ONCE)) > 0) {
        for (size_t i = 0; i < count; i++) {
            if (!wait_member((pid_t)pids[i], group, deadline_ns))
                return false;
        }
    }
    return true;
}

bool mgc_plat_group_end(pid_t group, int64_t grace_ms)
{
    if (grace_ms > 0 && kill(-group, SIGTERM) == 0) {
        kill(-group, SIGCONT); /* a stopped process takes its SIGTERM only when it runs */
        if (mgc_plat_group_wait(group, mgc_deadline_in_ms(grace_ms)))
            return true;
    }
    kill(-group, SIGKILL);
    return mgc_plat_group_wait(group, mgc_deadline_in_ms(KILL_WAIT_MS));
}
