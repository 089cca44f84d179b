#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "lab/world/commands.h"
#include "lab/world/first.h"
#include "lab/world/ns.h"
#include "lab/world/options.h"
#include "lab/world/prepare.h"
#include "lab/world/report.h"
#include "lab/world/spawn.h"
#include "lab/world/target.h"

enum { EXIT_USAGE = 2 };

static int broken(const struct mgc_error *err)
{
    fprintf(stderr, "mglab run: %s\n", err->text);
    return MGC_LAB_EXIT_BROKEN;
}

/* A signal of the terminal has reached the command already, which is in our process group. */
static void pass_on(int signal_fd, int sock)
{
    struct signalfd_siginfo info;
    if (read(signal_fd, &info, sizeof info) != sizeof info || info.ssi_code == SI_KERNEL)
        return;
    unsigned char sig = (unsigned char)info.ssi_signo;
    if (send(sock, &sig, 1, MSG_NOSIGNAL) < 0)
        return; /* the lab has just ended, which the socket tells next */
}

/* Until the lab's first process has reported or is gone. No deadline: the command has none. */
static bool await_report(int signal_fd, int sock, struct mgc_lab_report *ret_report)
{
    struct pollfd fds[2] = {{.fd = signal_fd, .events = POLLIN}, {.fd = sock, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return false;
        if (fds[1].revents != 0)
            return recv(sock, ret_report, sizeof *ret_report, 0) == sizeof *ret_report;
        if (fds[0].revents != 0)
            pass_on(signal_fd, sock);
    }
}

/* Before the clone, so that no signal falls between; the command's are reset in the lab. */
static int take_signals(struct mgc_error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (fd < 0)
        mgc_error_errno(err, errno, "signalfd");
    return fd;
}

static int follow(const struct mgc_lab_layout *layout, pid_t pid, int signal_fd, int sock)
{
    struct mgc_error err = {0};
    struct mgc_lab_report report = {.exit_code = MGC_LAB_EXIT_BROKEN};
    char text[64];
    int status = 0;
    bool told = mgc_lab_target_write(layout, pid, &err) && mgc_lab_ns_go(sock, &err) &&
                await_report(signal_fd, sock, &report);
    close(sock); /* if it still lives, this ends it */
    waitpid(pid, &status, 0);
    mgc_lab_target_remove(layout);
    if (!told && err.code != MGC_OK)
        return broken(&err);
    if (!told)
        fprintf(stderr, "mglab run: the lab's first process ended with %s\n",
            mgc_lab_exit_text(status, text, sizeof text));
    else if (report.text[0] != '\0')
        fprintf(stderr, "mglab run: %s\n", report.text);
    return report.exit_code;
}

static int run_lab(const struct mgc_lab_layout *layout, struct mgc_lab_first_spec *spec)
{
    struct mgc_error err = {0};
    pid_t pid = 0;
    int sock = -1;
    int signal_fd = take_signals(&err);
    if (signal_fd < 0)
        return broken(&err);
    if (mgc_lab_ns_start(mgc_lab_first, spec, &pid, &sock, &err))
        return follow(layout, pid, signal_fd, sock);
    if (sock >= 0)
        close(sock);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    mgc_error_prefix(&err, "namespaces");
    return broken(&err);
}

static bool lock_state(
    const struct mgc_lab_layout *layout, struct mgc_lock *lock, struct mgc_error *err)
{
    if (mgc_lock_take(lock, layout->lock, err))
        return true;
    if (err->code == MGC_E_BUSY)
        return mgc_error_set(err, MGC_E_BUSY,
            "another lab runs on %s; end it, or give this one its own --state DIR", layout->state);
    return false;
}

int mgc_lab_cmd_run(int argc, char **argv)
{
    struct mgc_error err = {0};
    struct mgc_lab_run_options options;
    struct mgc_lab_layout layout;
    struct mgc_lab_first_spec spec = {.layout = &layout};
    struct mgc_lock lock = MGC_LOCK_INIT;
    char **command = NULL;
    enum mgc_cli_outcome outcome = mgc_lab_run_parse(argc, argv, &options, &command, &err);
    if (outcome == MGC_CLI_HELP) {
        mgc_cli_print_help(&mgc_lab_run_cli, stdout);
        return 0;
    }
    if (outcome == MGC_CLI_BAD ||
        !mgc_lab_run_faults(&options, spec.faults, MGC_LAB_FAULT_MAX, &spec.fault_count, &err) ||
        !mgc_lab_run_latency(&options, &err) ||
        !mgc_lab_layout_fill(&layout, options.state, options.bin, &err)) {
        fprintf(stderr, "mglab run: %s\n", err.text);
        return EXIT_USAGE;
    }
    spec.command = command;
    spec.link = options.link;
    spec.phone = !options.no_phone;
    spec.phone_latency = options.phone_latency;
    spec.workers = !options.no_workers;
    const struct mgc_lab_prepare prepare = {
        options.frames_divisor, options.heartbeat_ms, options.silence_ms};
    if (!(mgc_lab_layout_make(&layout, &err) || mgc_error_prefix(&err, "state")) ||
        !lock_state(&layout, &lock, &err) ||
        (spec.workers && !mgc_lab_prepare(&layout, &prepare, &err)))
        return broken(&err);
    int code = run_lab(&layout, &spec);
    mgc_lock_release(&lock);
    return code;
}
