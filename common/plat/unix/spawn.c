#include "common/plat/unix/spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/path.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

enum { IN, OUT, ERR, PIPE_READ, STREAM_COUNT };

/* Everything that the child needs, made ready before fork: between fork and exec in a program with
 * threads only async-signal-safe calls are allowed. */
struct launch {
    const struct mgc_process_spec *spec;
    char program[MGC_PATH_MAX];
    int streams[STREAM_COUNT]; /* owned; -1: none */
    int report_fd;             /* write end, close-on-exec: closes by a successful exec */
    pid_t parent;
};

enum step { STEP_GROUP, STEP_DEATH_SIGNAL, STEP_STREAMS, STEP_LIMITS, STEP_CWD, STEP_EXEC };
static const char *const step_names[] = {"set its process group", "set its death signal",
    "set its standard streams", "set its limits", "enter its working directory", "execute it"};

struct report {
    enum step step;
    int errnum;
};

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Looked up by ourselves: execvp would allocate after fork, and hand a text file to a shell. */
static bool find_program(const char *name, char *ret_path, size_t size, struct mgc_error *err)
{
    if (strchr(name, '/')) {
        if ((size_t)snprintf(ret_path, size, "%s", name) < size)
            return true;
        return mgc_error_set(err, MGC_E_NOT_FOUND, "start '%.80s...': path is too long", name);
    }
    const char *path = getenv("PATH");
    if (!path || !*path)
        path = "/usr/local/bin:/usr/bin:/bin";
    while (*name && *path) {
        int len = (int)strcspn(path, ":");
        int put = snprintf(ret_path, size, "%.*s/%s", len ? len : 1, len ? path : ".", name);
        if ((size_t)put < size && is_program(ret_path))
            return true;
        path += len + (path[len] == ':');
    }
    return mgc_error_set(err, MGC_E_NOT_FOUND, "start '%s': no such program in PATH", name);
}

/* Above 2, so that the dup2 calls of the child cannot overwrite one that is still needed. */
static int above_stdio(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int errnum = errno;
    close(fd);
    errno = errnum;
    return high;
}

static int open_output(const char *path)
{
    if (!path)
        return above_stdio(open("/dev/null", O_WRONLY | O_CLOEXEC));
    return above_stdio(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
}

static bool open_pipe(int *ret_read, int *ret_write)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return false;
    *ret_read = above_stdio(fds[0]);
    *ret_write = above_stdio(fds[1]);
    return *ret_read >= 0 && *ret_write >= 0;
}

static bool open_streams(struct launch *launch, struct mgc_error *err)
{
    const struct mgc_process_spec *spec = launch->spec;
    int *streams = launch->streams;
    const char *name = spec->argv[0];
    if (spec->inherit_stdio)
        return true;
    streams[IN] = above_stdio(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (streams[IN] < 0)
        return mgc_error_errno(err, errno, "start '%s': open '/dev/null'", name);
    if (spec->stdout_pipe && !open_pipe(&streams[PIPE_READ], &streams[OUT]))
        return mgc_error_errno(err, errno, "start '%s': make a pipe", name);
    if (!spec->stdout_pipe)
        streams[OUT] = open_output(spec->stdout_path);
    if (streams[OUT] < 0)
        return mgc_error_errno(err, errno, "start '%s': open '%s' for its output", name,
            spec->stdout_path ? spec->stdout_path : "/dev/null");
    bool shared = !spec->stdout_pipe && spec->stdout_path && spec->stderr_path &&
                  strcmp(spec->stdout_path, spec->stderr_path) == 0;
    streams[ERR] =
        shared ? fcntl(streams[OUT], F_DUPFD_CLOEXEC, 3) : open_output(spec->stderr_path);
    if (streams[ERR] < 0)
        return mgc_error_errno(err, errno, "start '%s': open '%s' for its errors", name,
            spec->stderr_path ? spec->stderr_path : "/dev/null");
    return true;
}

static void close_stream(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- in the child: async-signal-safe calls only ---- */

static _Noreturn void child_fail(const struct launch *launch, enum step step)
{
    struct report report = {.step = step, .errnum = errno};
    ssize_t ignored = write(launch->report_fd, &report, sizeof(report));
    (void)ignored;
    _exit(127);
}

/* Ignored signals and the mask pass through exec; our children start with neither. What came to our
 * parent's group since the fork, as a Ctrl-C may, is still blocked and was not meant for a child
 * that leads a group of its own: to be ignored for a moment takes it away. */
static void child_signals(void)
{
    static const int of_group[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof(of_group) / sizeof(of_group[0]); i++)
        sigaction(of_group[i], &action, NULL);
    action.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL); /* fails for KILL and STOP, as it should */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Down only: a lower limit that we are under ourselves stays. */
static bool child_limit(int what, rlim_t max)
{
    struct rlimit limit;
    if (getrlimit(what, &limit) != 0)
        return false;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < max)
        max = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = max;
    return setrlimit(what, &limit) == 0;
}

static _Noreturn void child_main(const struct launch *launch)
{
    const struct mgc_process_spec *spec = launch->spec;
    if (setpgid(0, 0) != 0)
        child_fail(launch, STEP_GROUP);
    child_signals();
    if (spec->die_with_us) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
            child_fail(launch, STEP_DEATH_SIGNAL);
        if (getppid() != launch->parent) /* died before the prctl */
            _exit(127);
    }
    for (int i = IN; i <= ERR; i++) {
        if (launch->streams[i] >= 0 && dup2(launch->streams[i], i) < 0)
            child_fail(launch, STEP_STREAMS);
    }
    /* Ours are all close-on-exec; this is for those of libraries. Linux before 5.11: not offered.
     */
    syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    if ((spec->file_size_max && !child_limit(RLIMIT_FSIZE, spec->file_size_max)) ||
        (spec->no_core && !child_limit(RLIMIT_CORE, 0)))
        child_fail(launch, STEP_LIMITS);
    if (spec->cwd && chdir(spec->cwd) != 0)
        child_fail(launch, STEP_CWD);
    char *const *argv = (char *const *)spec->argv;
    char *const *env = spec->env ? (char *const *)spec->env : environ;
    execve(launch->program, argv, env);
    child_fail(launch, STEP_EXEC);
}

/* ---- in the parent ---- */

/* True when the child passed exec; else the child is reaped and err says why. */
static bool await_exec(const struct launch *launch, pid_t pid, int fd, struct mgc_error *err)
{
    struct report report;
    ssize_t got;
    do {
        got = read(fd, &report, sizeof(report));
    } while (got < 0 && errno == EINTR);
    if (got == 0)
        return true;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (got != (ssize_t)sizeof(report))
        return mgc_error_set(
            err, MGC_E_FAILED, "start '%s': the child gave no report", launch->program);
    const char *cwd = report.step == STEP_CWD ? launch->spec->cwd : "";
    return mgc_error_errno(err, report.errnum, "start '%s': %s%s%s", launch->program,
        step_names[report.step], *cwd ? " " : "", cwd);
}

/* Our signal handlers must not run in the child, so everything is blocked across fork. */
static pid_t fork_blocked(const struct launch *launch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        child_main(launch);
    int errnum = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = errnum;
    return pid;
}

static pid_t launch_run(struct launch *launch, struct mgc_error *err)
{
    int report_read = -1;
    pid_t pid = -1;
    if (!open_pipe(&report_read, &launch->report_fd)) {
        mgc_error_errno(err, errno, "start '%s': make a pipe", launch->program);
    } else {
        pid = fork_blocked(launch);
        if (pid < 0)
            mgc_error_errno(err, errno, "start '%s': fork", launch->program);
        close_stream(&launch->report_fd); /* ours: now only the child holds it open */
        if (pid > 0 && !await_exec(launch, pid, report_read, err))
            pid = -1;
    }
    close_stream(&launch->report_fd);
    close_stream(&report_read);
    return pid;
}

pid_t mgc_plat_spawn(const struct mgc_process_spec *spec, int *ret_stdout_fd, struct mgc_error *err)
{
    assert(spec->argv && spec->argv[0]);
    struct launch launch = {
        .spec = spec, .streams = {-1, -1, -1, -1}, .report_fd = -1, .parent = getpid()};
    pid_t pid = -1;
    if (find_program(spec->argv[0], launch.program, sizeof(launch.program), err) &&
        open_streams(&launch, err))
        pid = launch_run(&launch, err);
    if (pid > 0) {
        *ret_stdout_fd = launch.streams[PIPE_READ];
        launch.streams[PIPE_READ] = -1;
    }
    for (int i = 0; i < STREAM_COUNT; i++)
        close_stream(&launch.streams[i]);
    return pid;
}
