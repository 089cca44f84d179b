#include "lab/world/launch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/world/ns.h"
#include "lab/world/prepare.h"
#include "lab/world/report.h"
#include "lab/world/spawn.h"
#include "lab/world/target.h"

/* By a signal that came before there was a command or, without one, before the lab was up. */
static int interrupted(const struct mgc_lab_launch *launch, int sig)
{
    fprintf(stderr, "%s: interrupted before %s\n", launch->program,
        launch->spec.command ? "the command ran" : "the lab was up");
    return launch->options.interrupted_code ? (int)launch->options.interrupted_code : 128 + sig;
}

/* The signal that waits to be read, and no longer does; 0: none. */
static int next_signal(int signal_fd)
{
    struct signalfd_siginfo info;
    struct pollfd fd = {.fd = signal_fd, .events = POLLIN};
    return poll(&fd, 1, 0) == 1 && read(signal_fd, &info, sizeof info) == sizeof info
               ? (int)info.ssi_signo
               : 0;
}

/* What a signal broke is not told as broken. */
static int broken(const struct mgc_lab_launch *launch, const struct mgc_error *err)
{
    int sig = next_signal(launch->signal_fd);
    if (sig != 0)
        return interrupted(launch, sig);
    fprintf(stderr, "%s: %s\n", launch->program, err->text);
    return MGC_LAB_EXIT_BROKEN;
}

/* A signal of the terminal has reached the command already, which is in our process group. */
static void pass_on(int signal_fd, int sock)
{
    struct signalfd_siginfo info;
    if (read(signal_fd, &info, sizeof info) != sizeof info)
        return;
    /* The terminal's own keys reach the command as well; its end is told to a session's leader
     * only, which we may be. */
    if (info.ssi_code == SI_KERNEL && info.ssi_signo != SIGHUP)
        return;
    unsigned char sig = (unsigned char)info.ssi_signo;
    if (send(sock, &sig, 1, MSG_NOSIGNAL) < 0)
        return; /* the lab has just ended, which the socket tells next */
}

/* Until the lab's first process has reported its end or is gone. No deadline: the command has
 * none. */
static bool await_report(
    const struct mgc_lab_launch *launch, int signal_fd, int sock, struct mgc_lab_report *ret_report)
{
    struct pollfd fds[2] = {{.fd = signal_fd, .events = POLLIN}, {.fd = sock, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return false;
        if (fds[1].revents != 0) {
            struct mgc_lab_report report;
            if (recv(sock, &report, sizeof report, 0) != sizeof report)
                return false;
            *ret_report = report;
            if (!report.up || (launch->on_up != NULL && !launch->on_up(launch->arg)))
                return true;
        }
        if (fds[0].revents != 0)
            pass_on(signal_fd, sock);
    }
}

/* Started by nohup: the terminal may go, the lab and its command are to stay. */
static bool is_nohup(void)
{
    struct sigaction was;
    return sigaction(SIGHUP, NULL, &was) == 0 && was.sa_handler == SIG_IGN;
}

/* Before anything is made, so that no signal falls between; the command's are reset in the lab. Who
 * executes us may have blocked them already, for the same reason. */
static int take_signals(bool nohup, struct mgc_error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGTERM);
    if (!nohup)
        sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (fd < 0)
        mgc_error_errno(err, errno, "signalfd");
    return fd;
}

static int follow(const struct mgc_lab_launch *launch, pid_t pid, int sock)
{
    struct mgc_error err = {0};
    struct mgc_lab_report report = {.exit_code = MGC_LAB_EXIT_BROKEN};
    char text[64];
    int status = 0;
    /* From the clone on the terminal's signals come to the first process, too, which acts on them;
     * one before it came to us alone. */
    int sig = next_signal(launch->signal_fd);
    bool told = sig == 0 &&
                mgc_lab_target_write(&launch->layout, pid, &launch->spec.roster, &err) &&
                mgc_lab_ns_go(sock, &err) && await_report(launch, launch->signal_fd, sock, &report);
    close(sock); /* if it still lives, this ends it */
    waitpid(pid, &status, 0);
    mgc_lab_target_remove(&launch->layout);
    if (sig != 0 || report.interrupted != 0)
        return interrupted(launch, sig != 0 ? sig : report.interrupted);
    if (!told && err.code != MGC_OK)
        return broken(launch, &err);
    if (!told)
        fprintf(stderr, "%s: the lab's first process ended with %s\n", launch->program,
            mgc_lab_exit_text(status, text, sizeof text));
    else if (report.text[0] != '\0')
        fprintf(stderr, "%s: %s\n", launch->program, report.text);
    return told ? report.exit_code : MGC_LAB_EXIT_BROKEN;
}

static int run_lab(struct mgc_lab_launch *launch)
{
    struct mgc_error err = {0};
    pid_t pid = 0;
    int sock = -1;
    if (launch->spec.loopback
            ? mgc_lab_ns_start_plain(mgc_lab_first, &launch->spec, &pid, &sock, &err)
            : mgc_lab_ns_start(mgc_lab_first, &launch->spec, &pid, &sock, &err))
        return follow(launch, pid, sock);
    if (sock >= 0)
        close(sock);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    mgc_error_prefix(&err, "namespaces");
    return broken(launch, &err);
}

static bool lock_state(struct mgc_lab_launch *launch, struct mgc_error *err)
{
    if (mgc_lock_take(&launch->lock, launch->layout.lock, err))
        return true;
    if (err->code == MGC_E_BUSY)
        return mgc_error_set(err, MGC_E_BUSY,
            "another lab runs on %s; run the command in it (mglab exec wsl -- COMMAND), end it "
            "(mglab down), or give this one its own --state DIR (mgcoord: --lab-state DIR)",
            launch->layout.state);
    return false;
}

bool mgc_lab_launch_fill(struct mgc_lab_launch *launch, struct mgc_error *err)
{
    const struct mgc_lab_run_options *options = &launch->options;
    struct mgc_lab_first_spec *spec = &launch->spec;
    launch->lock = (struct mgc_lock)MGC_LOCK_INIT;
    spec->layout = &launch->layout;
    spec->loopback = options->loopback;
    if (!mgc_lab_run_roster(options, &spec->roster, err))
        return false;
    spec->link = options->loopback ? NULL : options->link;
    spec->phone = !options->no_phone;
    spec->phone_latency = options->phone_latency;
    spec->workers = !options->no_workers;
    spec->idle_limit_ms = options->idle_limit_ms;
    spec->hold_signals = options->interrupted_code != 0;
    return mgc_lab_run_faults(options, spec->faults, MGC_LAB_FAULT_MAX, &spec->fault_count, err) &&
           mgc_lab_run_latency(options, err) &&
           mgc_lab_layout_fill(&launch->layout, options->state, options->bin, err);
}

static int launch_locked(struct mgc_lab_launch *launch)
{
    struct mgc_error err = {0};
    const struct mgc_lab_prepare prepare = {launch->options.frames_divisor,
        launch->options.heartbeat_ms, launch->options.silence_ms, launch->spec.roster,
        launch->signal_fd};
    return !launch->spec.workers || mgc_lab_prepare(&launch->layout, &prepare, &err)
               ? run_lab(launch)
               : broken(launch, &err);
}

int mgc_lab_launch_run(struct mgc_lab_launch *launch)
{
    struct mgc_error err = {0};
    launch->spec.nohup = is_nohup();
    launch->signal_fd = take_signals(launch->spec.nohup, &err);
    if (launch->signal_fd < 0 ||
        !(mgc_lab_layout_make(&launch->layout, &err) || mgc_error_prefix(&err, "state")) ||
        !lock_state(launch, &err))
        return broken(launch, &err);
    int code = launch_locked(launch);
    mgc_lock_release(&launch->lock);
    return code;
}
