/* A lab without a command, in the background: `mglab up` and `mglab down`. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "lab/world/commands.h"
#include "lab/world/control.h"
#include "lab/world/launch.h"
#include "lab/world/report.h"
#include "lab/world/target.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, DOWN_MS = 60000 };

/* ---- up ---- */

/* The process behind a lab that stays. It is started before the lab, and has nothing of our
 * terminal or pipes from the beginning: the lab's own processes are copies of it. */
struct keeper {
    struct mgc_lab_launch *launch;
    int ready_fd; /* to the `mglab up` that waits for us */
    int said_fd;  /* what it is to say when there will be no lab */
};

static bool set_streams(int out_fd)
{
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool ok = null_fd >= 0 && dup2(null_fd, STDIN_FILENO) >= 0 &&
              dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(out_fd, STDERR_FILENO) >= 0;
    if (null_fd >= 0)
        close(null_fd);
    return ok;
}

/* False when who asked has gone: it was interrupted and wants no lab. */
static bool tell_ready(void *arg)
{
    struct keeper *keeper = arg;
    char path[MGC_LAB_PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/keeper.log", keeper->launch->layout.log);
    int log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool ok = log_fd >= 0 && set_streams(log_fd) && chdir("/") == 0 &&
              write(keeper->ready_fd, "u", 1) == 1;
    if (log_fd >= 0)
        close(log_fd);
    close(keeper->ready_fd);
    return ok;
}

static int keep(struct keeper *keeper)
{
    signal(SIGPIPE, SIG_IGN);
    if (setsid() < 0 || !set_streams(keeper->said_fd))
        return MGC_LAB_EXIT_BROKEN;
    keeper->launch->on_up = tell_ready;
    keeper->launch->arg = keeper;
    return mgc_lab_launch_run(keeper->launch);
}

static void repeat_what_it_said(int said_fd)
{
    char text[1024];
    ssize_t n = pread(said_fd, text, sizeof text, 0);
    if (n > 0)
        fwrite(text, 1, (size_t)n, stderr);
}

/* Whether the lab is up; else the exit code. */
static int await_keeper(pid_t pid, int ready_fd, int said_fd)
{
    int status = 0;
    char up;
    if (read(ready_fd, &up, 1) == 1)
        return 0;
    waitpid(pid, &status, 0);
    repeat_what_it_said(said_fd);
    return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status)
                                                         : MGC_LAB_EXIT_BROKEN;
}

static int start_keeper(struct mgc_lab_launch *launch, struct mgc_error *err)
{
    int ready[2];
    struct keeper keeper = {.launch = launch, .said_fd = memfd_create("said", MFD_CLOEXEC)};
    if (keeper.said_fd < 0 || pipe2(ready, O_CLOEXEC) < 0) {
        mgc_error_errno(err, errno, "making a pipe");
        return MGC_LAB_EXIT_BROKEN;
    }
    keeper.ready_fd = ready[1];
    pid_t pid = fork();
    if (pid == 0) {
        close(ready[0]);
        _exit(keep(&keeper));
    }
    int code = MGC_LAB_EXIT_BROKEN;
    if (pid < 0)
        mgc_error_errno(err, errno, "fork");
    close(ready[1]);
    if (pid > 0)
        code = await_keeper(pid, ready[0], keeper.said_fd);
    close(ready[0]);
    close(keeper.said_fd);
    return code;
}

int mgc_lab_cmd_up(int argc, char **argv)
{
    struct mgc_error err = {0};
    struct mgc_lab_launch launch = {.program = "mglab up"};
    enum mgc_cli_outcome outcome = mgc_lab_up_parse(argc, argv, &launch.options, &err);
    if (outcome == MGC_CLI_HELP) {
        mgc_cli_print_help(&mgc_lab_up_cli, stdout);
        return 0;
    }
    if (outcome == MGC_CLI_BAD || !mgc_lab_launch_fill(&launch, &err)) {
        fprintf(stderr, "mglab up: %s\n", err.text);
        return EXIT_USAGE;
    }
    int code = start_keeper(&launch, &err);
    if (err.code != MGC_OK)
        fprintf(stderr, "mglab up: %s\n", err.text);
    if (code == 0)
        printf("a lab runs on %s; `mglab down` ends it\n", launch.layout.state);
    return code;
}

/* ---- down ---- */

static int open_pid(pid_t pid)
{
    return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

/* Who holds the lock of the state directory: the `mglab` behind the lab, which tidies up last. */
static pid_t keeper_of(const char *state)
{
    struct mgc_lab_layout layout;
    struct mgc_buf text = {0};
    int64_t pid = 0;
    if (mgc_lab_layout_fill(&layout, state, NULL, NULL) &&
        mgc_file_read(layout.lock, 64, &text, NULL)) {
        char line[64];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(mgc_buf_text(&text), "\n"),
            mgc_buf_text(&text));
        mgc_parse_int(line, 1, INT32_MAX, &pid);
    }
    mgc_buf_destroy(&text);
    return (pid_t)pid;
}

static bool await_end(int pid_fd, int64_t deadline_ns, const char *who, struct mgc_error *err)
{
    struct pollfd ended = {.fd = pid_fd, .events = POLLIN};
    int rc = pid_fd < 0 ? 1 : poll(&ended, 1, mgc_deadline_poll_ms(deadline_ns));
    return rc > 0 ||
           mgc_error_set(err, MGC_E_TIMEOUT, "%s did not end within %d s", who, DOWN_MS / 1000);
}

static bool end_lab(const struct mgc_lab_target *target, struct mgc_error *err)
{
    struct mgc_buf out = {0};
    int64_t deadline = mgc_deadline_in_ms(DOWN_MS);
    /* Opened before anything ends, so that no number can be somebody else's by then. */
    int first_fd = target->inside ? -1 : open_pid(target->pid);
    int keeper_fd = target->inside ? -1 : open_pid(keeper_of(target->state));
    bool ok = mgc_lab_control_ask(target->control_path, "end\n", &out, err) &&
              await_end(first_fd, deadline, "the lab", err) &&
              await_end(keeper_fd, deadline, "the mglab behind it", err);
    if (first_fd >= 0)
        close(first_fd);
    if (keeper_fd >= 0)
        close(keeper_fd);
    mgc_buf_destroy(&out);
    return ok;
}

int mgc_lab_cmd_down(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        {"state", 0, "DIR", "the lab of this state directory", mgc_cli_string, 0, NULL}, {0}};
    static const struct mgc_cli cli = {.program = "mglab down",
        .synopsis = "[options]",
        .summary = "End a running lab and wait until nothing of it is left.",
        .options = rows,
        .notes = "A lab of `mglab run` ends too: its command gets SIGTERM. "
                 "Exit code 0 when it is gone, 1 when none ran."};
    const char *state = NULL;
    struct mgc_lab_target target;
    struct mgc_error err = {0};
    char **operands;
    int count;
    switch (mgc_cli_parse_args(&cli, argc, argv, &state, &operands, &count, &err)) {
    case MGC_CLI_HELP:
        mgc_cli_print_help(&cli, stdout);
        return 0;
    case MGC_CLI_BAD:
        fprintf(stderr, "mglab down: %s\n", err.text);
        return EXIT_USAGE;
    case MGC_CLI_RUN:
        break;
    }
    if (mgc_lab_target_find(state, &target, &err) && end_lab(&target, &err))
        return 0;
    fprintf(stderr, "mglab down: %s\n", err.text);
    return EXIT_FAILED;
}
