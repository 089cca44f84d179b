#include "lab/phone/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { FD_SPARE = 64 }; /* above every stream we move */

static bool tied;

void mgl_spawn_tie(void)
{
    tied = true;
}

static void reset_signals(void)
{
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Through spare numbers first: `out` may be descriptor 0. */
static bool place_streams(const struct mgl_spawn *spawn)
{
    const int from[3] = {spawn->in, spawn->out, spawn->err};
    int spare[3];
    for (int i = 0; i < 3; i++) {
        spare[i] = fcntl(from[i], F_DUPFD_CLOEXEC, FD_SPARE);
        if (spare[i] < 0)
            return false;
    }
    for (int i = 0; i < 3; i++)
        if (dup2(spare[i], i) < 0)
            return false;
    return close_range(3, ~0U, 0) == 0;
}

static void run_child(const struct mgl_spawn *spawn)
{
    reset_signals();
    if (tied)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    if (!place_streams(spawn))
        return;
    if (spawn->controlling_tty)
        ioctl(0, TIOCSCTTY, 0);
    if (!mgl_identity_take(spawn->identity))
        return;
    if (spawn->cwd && chdir(spawn->cwd) != 0)
        return;
    if (spawn->path)
        execve(spawn->path, (char *const *)spawn->argv, (char *const *)spawn->env);
    else
        _exit(spawn->function(spawn->arg));
}

pid_t mgl_spawn(const struct mgl_spawn *spawn, struct mgc_error *err)
{
    pid_t pid = fork();
    if (pid < 0)
        mgc_error_errno(err, errno, "fork");
    if (pid != 0)
        return pid;
    run_child(spawn);
    _exit(127);
}
