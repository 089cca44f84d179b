#include "lab/world/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"

extern char **environ;

static const int held[] = {SIGINT, SIGTERM, SIGHUP};
static bool tied;

void mgc_lab_spawn_tie(void)
{
    tied = true;
}

bool mgc_lab_enter(const struct mgc_lab_place *place, struct mgc_error *err)
{
    if (place->net_fd >= 0 && setns(place->net_fd, CLONE_NEWNET) < 0)
        return mgc_error_errno(err, errno, "entering a network namespace of the lab");
    if (place->uts_fd >= 0 && setns(place->uts_fd, CLONE_NEWUTS) < 0)
        return mgc_error_errno(err, errno, "entering a host name namespace of the lab");
    return true;
}

/* PID 1 blocks what it reads from a signalfd and ignores the terminal's signals. */
static void default_signals(bool hold, bool nohup)
{
    sigset_t kept;
    sigemptyset(&kept);
    for (size_t i = 0; hold && i < sizeof held / sizeof *held; i++)
        sigaddset(&kept, held[i]);
    sigprocmask(SIG_BLOCK, &kept, NULL); /* before a default action can strike */
    for (int sig = 1; sig < NSIG; sig++) {
        if (sig != SIGKILL && sig != SIGSTOP && !(nohup && sig == SIGHUP))
            signal(sig, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &kept, NULL);
}

/* A session of our own, in which no signal to PID 1's process group reaches us. One that came since
 * the fork is still blocked; to be ignored for a moment takes it away. */
static void leave_group(void)
{
    setsid();
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        signal(held[i], SIG_IGN);
}

static bool move_fd(int from, int to)
{
    if (from == to)
        return fcntl(to, F_SETFD, 0) == 0;
    return dup2(from, to) == to;
}

static bool set_streams(const struct mgc_lab_spawn *spawn)
{
    if (!spawn->foreground) {
        int in = spawn->stdin_fd >= 0 ? spawn->stdin_fd : open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (in < 0 || !move_fd(in, STDIN_FILENO))
            return false;
    }
    if (spawn->output_fd >= 0 &&
        (!move_fd(spawn->output_fd, STDOUT_FILENO) || !move_fd(spawn->output_fd, STDERR_FILENO)))
        return false;
    return spawn->pass_fd < 0 || move_fd(spawn->pass_fd, 3);
}

/* In the child; only returns when something failed, with errno set. */
static void become(const struct mgc_lab_spawn *spawn)
{
    if (tied)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!spawn->foreground)
        leave_group();
    if (!mgc_lab_enter(&spawn->place, NULL))
        return;
    if (spawn->cwd != NULL && chdir(spawn->cwd) < 0)
        return;
    if (!set_streams(spawn))
        return;
    default_signals(spawn->hold_signals, spawn->nohup);
    if (spawn->env != NULL) /* before the search, which reads PATH from here */
        environ = (char **)spawn->env;
    execvp(spawn->argv[0], (char *const *)spawn->argv);
}

/* The pipe's write end closes at exec; what comes through it is why there was none. */
static bool exec_worked(int read_fd, pid_t pid, const char *program, struct mgc_error *err)
{
    int errnum = 0;
    ssize_t n;
    do
        n = read(read_fd, &errnum, sizeof errnum);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return true;
    waitpid(pid, NULL, 0);
    return mgc_error_errno(err, errnum, "starting %s", program);
}

pid_t mgc_lab_spawn(const struct mgc_lab_spawn *spawn, struct mgc_error *err)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0) {
        mgc_error_errno(err, errno, "making a pipe");
        return -1;
    }
    /* Descriptor 3 may be handed on, so the report must not sit there. */
    int write_fd = fcntl(report[1], F_DUPFD_CLOEXEC, 10);
    close(report[1]);
    pid_t pid = fork();
    if (pid == 0) {
        become(spawn);
        int errnum = errno;
        if (write(write_fd, &errnum, sizeof errnum) != sizeof errnum)
            _exit(126);
        _exit(127);
    }
    int saved = errno;
    close(write_fd);
    if (pid < 0)
        mgc_error_errno(err, saved, "fork for %s", spawn->argv[0]);
    else if (!exec_worked(report[0], pid, spawn->argv[0], err))
        pid = -1;
    close(report[0]);
    return pid;
}

pid_t mgc_lab_spawn_call(
    const struct mgc_lab_place *place, int (*fn)(void *arg), void *arg, struct mgc_error *err)
{
    pid_t pid = fork();
    if (pid == 0) {
        leave_group();
        default_signals(false, false);
        _exit(mgc_lab_enter(place, NULL) ? fn(arg) : 1);
    }
    if (pid < 0)
        mgc_error_errno(err, errno, "fork");
    return pid;
}

static bool wait_until(pid_t pid, int64_t deadline_ns, int *ret_status)
{
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int rc;
    do
        rc = poll(&ended, 1, mgc_deadline_poll_ms(deadline_ns));
    while (rc < 0 && errno == EINTR);
    if (rc <= 0)
        kill(pid, SIGKILL);
    close(ended.fd);
    waitpid(pid, ret_status, 0);
    return rc > 0;
}

static void first_line(int fd, char *ret_text, size_t size)
{
    ssize_t n = pread(fd, ret_text, size - 1, 0);
    ret_text[n > 0 ? n : 0] = '\0';
    ret_text[strcspn(ret_text, "\n")] = '\0';
}

bool mgc_lab_run_tool(const struct mgc_lab_place *place, const char *const *argv, const char *input,
    int64_t deadline_ns, struct mgc_error *err)
{
    int status = 0;
    char line[200], ending[64];
    bool ok = false;
    int in = memfd_create("input", MFD_CLOEXEC);
    int out = memfd_create("output", MFD_CLOEXEC);
    /* A user's PATH often lacks the sbin directories, where ip and nft are. */
    static const char *const env[] = {
        "PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
    struct mgc_lab_spawn spawn = {
        .place = *place, .argv = argv, .env = env, .stdin_fd = in, .output_fd = out, .pass_fd = -1};
    if (in < 0 || out < 0 || write(in, input, strlen(input)) != (ssize_t)strlen(input) ||
        lseek(in, 0, SEEK_SET) != 0) {
        mgc_error_errno(err, errno, "preparing the input of %s", argv[0]);
        goto out;
    }
    pid_t pid = mgc_lab_spawn(&spawn, err);
    if (pid < 0)
        goto out;
    if (!wait_until(pid, deadline_ns, &status)) {
        mgc_error_set(err, MGC_E_TIMEOUT, "%s did not end in time", argv[0]);
        goto out;
    }
    first_line(out, line, sizeof line);
    ok = status == 0 || mgc_error_set(err, MGC_E_FAILED, "%s ended with %s: %s", argv[0],
                            mgc_lab_exit_text(status, ending, sizeof ending), line);
out:
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok;
}

int mgc_lab_exit_code(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

const char *mgc_lab_exit_text(int wait_status, char *buf, size_t size)
{
    if (WIFSIGNALED(wait_status))
        snprintf(
            buf, size, "signal %d (%s)", WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    else
        snprintf(buf, size, "exit code %d", WEXITSTATUS(wait_status));
    return buf;
}
