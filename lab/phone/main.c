/* mgphone: the lab's phone. See docs/lab.md. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/cli/cli.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "common/plat/streams.h"
#include "lab/phone/flat.h"
#include "lab/phone/listen.h"
#include "lab/phone/ns.h"
#include "lab/phone/phone.h"

enum { END_GRACE_S = 2, PORT_WAIT_MS = 2000, PORT_PAUSE_MS = 20 };

/* Options of ours around those that the phone knows. */
struct line {
    struct mgl_options options;
    int64_t inside_fd;  /* -1: not inside */
    int64_t journal_fd; /* inside only */
};

#define PHONE(field) (offsetof(struct line, options) + offsetof(struct mgl_options, field))

static const struct mgc_cli_range fds = {0, 65535};

static const struct mgc_cli_option options_table[] = {
    {"data", 0, "DIR", "host directory for the phone's /data and /sdcard; made when missing",
        mgc_cli_string, PHONE(data), NULL},
    {"listen", 0, "ADDR:PORT", "where adb connects (default 127.0.0.1:5555)", mgc_cli_string,
        PHONE(listen), NULL},
    {"app-lib", 0, "DIR", "native library directory of the trace app, with libMobileGLServer.so",
        mgc_cli_string, PHONE(app_lib), NULL},
    {"run-dir", 0, "DIR", "the lab's run directory, seen as /run/mglab (default: that path)",
        mgc_cli_string, PHONE(run_dir), NULL},
    {"tools", 0, "DIR", "where mgphone-cmd and mgphone-app are (default: beside mgphone)",
        mgc_cli_string, PHONE(tools), NULL},
    {"toybox", 0, "FILE", "toybox program (default /usr/bin/toybox)", mgc_cli_string, PHONE(toybox),
        NULL},
    {"shell", 0, "FILE", "mksh program (default /usr/bin/mksh-static)", mgc_cli_string,
        PHONE(shell), NULL},
    {"latency", 0, "NAME", "what adb and am cost: none (default), usb or wifi", mgc_cli_string,
        PHONE(latency), NULL},
    {"serialno", 0, "TEXT", "what ro.serialno says (default mglab0001)", mgc_cli_string,
        PHONE(serialno), NULL},
    {"no-namespaces", 0, NULL, "run under proot, for where namespaces cannot be made", mgc_cli_flag,
        PHONE(flat), NULL},
    {"inside-fd", 0, "N", "(used by --no-namespaces) we are under proot; N listens", mgc_cli_int,
        offsetof(struct line, inside_fd), &fds},
    {"journal-fd", 0, "N", "(used by --no-namespaces) where the journal is written", mgc_cli_int,
        offsetof(struct line, journal_fd), &fds},
    {0},
};

static const struct mgc_cli cli = {
    .program = "mgphone",
    .synopsis = "--data DIR [options]",
    .summary = "The simulated phone of the lab: adb's device side, Android commands, a trace app.",
    .options = options_table,
    .notes = "Everything on the phone ends with this process. It prints one line, \"ready ...\", "
             "when adb may connect.",
};

/* Paths must mean the same after the root has changed. */
static bool make_absolute(struct mgl_options *options, struct mgc_error *err)
{
    static char absolute[6][PATH_MAX];
    const char **const paths[] = {&options->data, &options->app_lib, &options->run_dir,
        &options->tools, &options->toybox, &options->shell};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (!*paths[i])
            continue;
        if (!realpath(*paths[i], absolute[i]))
            return mgc_error_errno(err, errno, "find '%s'", *paths[i]);
        *paths[i] = absolute[i];
    }
    return true;
}

static bool find_tools(struct mgl_options *options, struct mgc_error *err)
{
    static char program[PATH_MAX];
    if (options->tools)
        return true;
    if (!mgc_host_program(program, sizeof(program), err))
        return false;
    *strrchr(program, '/') = 0;
    options->tools = program;
    return true;
}

/* A phone that was killed a moment ago may still hold the port: the kernel ends its first process
 * after ours, and takes a while for its inotify watches. Nothing tells when the port is free. */
static int listen_when_free(const char *where, struct mgc_error *err)
{
    int64_t deadline_ns = mgc_deadline_in_ms(PORT_WAIT_MS);
    int fd;
    while ((fd = mgl_listen(where, err)) < 0 && err->code == MGC_E_BUSY &&
           !mgc_deadline_past(deadline_ns))
        mgc_sleep_ms(PORT_PAUSE_MS);
    return fd;
}

static bool prepare(struct mgl_phone *phone, struct mgl_options *options, struct mgc_error *err)
{
    if (!options->data)
        return mgc_error_set(err, MGC_E_USAGE, "--data DIR is needed");
    if (!options->listen)
        options->listen = "127.0.0.1:5555";
    phone->options = options;
    if (options->inside) {
        phone->journal_fd = options->journal_fd;
        phone->latency_at_start = mgl_latency_find(options->latency);
        return phone->latency_at_start != NULL;
    }
    if (!mgc_dir_make(options->data, 0755, err) || !make_absolute(options, err) ||
        !find_tools(options, err))
        return false;
    phone->latency_at_start = mgl_latency_find(options->latency ? options->latency : "none");
    if (!phone->latency_at_start)
        return mgc_error_set(
            err, MGC_E_USAGE, "--latency '%s': none, usb or wifi expected", options->latency);
    phone->journal_fd = mgl_journal_open(options->data, err);
    if (phone->journal_fd < 0)
        return false;
    phone->listener = listen_when_free(options->listen, err);
    return phone->listener >= 0;
}

static int run_phone(void *arg)
{
    return mgl_phone_run(arg);
}

/* SIGTERM lets PID 1 tidy up; the rest of the phone dies with it in any case. */
static void end_phone(pid_t phone_pid, bool flat)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    struct timespec grace = {.tv_sec = END_GRACE_S};
    if (flat)
        mgl_flat_end(phone_pid);
    else
        kill(phone_pid, SIGTERM);
    if (sigtimedwait(&child, NULL, &grace) < 0)
        kill(phone_pid, SIGKILL);
}

/* Until we are asked to end, or the phone ends by itself, which is always a failure. Building the
 * phone may have had other children, whose SIGCHLD is still to come. */
static int wait_for_end(pid_t phone_pid, bool flat, const sigset_t *signals)
{
    int status, sig;
    pid_t ended = 0;
    do {
        sig = sigwaitinfo(signals, NULL);
        if (sig == SIGCHLD)
            ended = waitpid(phone_pid, &status, WNOHANG);
        else if (sig > 0)
            end_phone(phone_pid, flat);
    } while (sig < 0 || (sig == SIGCHLD && ended == 0));
    while (ended == 0 && waitpid(phone_pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (sig != SIGCHLD)
        return 0;
    if (WIFSIGNALED(status))
        mgc_err("the phone was ended by signal %d", WTERMSIG(status));
    return 1;
}

int main(int argc, char **argv)
{
    struct line line = {.inside_fd = -1, .journal_fd = -1};
    struct mgl_options *options = &line.options;
    struct mgl_phone phone = {.listener = -1, .journal_fd = -1};
    struct mgc_error err;
    mgc_streams_open();
    mgc_log_init("mgphone", MGC_LOG_INFO);
    switch (mgc_cli_parse_args(&cli, argc, argv, &line, NULL, NULL, &err)) {
    case MGC_CLI_HELP:
        mgc_cli_print_help(&cli, stdout);
        return 0;
    case MGC_CLI_BAD:
        mgc_err("%s", err.text);
        return 2;
    case MGC_CLI_RUN:
        break;
    }
    signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    pid_t pid = -1;
    options->inside = line.inside_fd >= 0;
    options->journal_fd = (int)line.journal_fd;
    phone.listener = (int)line.inside_fd;
    if (!prepare(&phone, options, &err))
        pid = -1;
    else if (options->inside)
        return mgl_phone_run(&phone);
    else
        pid = options->flat ? mgl_flat_start(&phone, &err) : mgl_ns_start(run_phone, &phone, &err);
    if (pid < 0) {
        mgc_err("%s", err.text);
        return err.code == MGC_E_USAGE ? 2 : 1;
    }
    close(phone.listener); /* only the phone listens, or its death would go unnoticed */
    int code = wait_for_end(pid, options->flat, &signals);
    if (options->flat)
        mgl_flat_clean(options);
    return code;
}
