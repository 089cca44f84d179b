#include "lab/world/first_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "lab/world/loopback.h"
#include "lab/world/last_words.h"
#include "lab/world/visitors.h"

/* A visitor that is told to end may have a run to undo and report. */
enum { MEMBER_GRACE_MS = 2000, COMMAND_GRACE_MS = 10000, VISITOR_GRACE_MS = 30000 };
enum { SAME_SIGNAL_MS = 1000 }; /* between its way to us and its way through our owner */
enum source {
    FROM_SIGNALS,
    FROM_OWNER,
    FROM_CONTROL,
    FROM_VISITORS = FROM_CONTROL + MGC_LAB_CONTROL_FDS,
    SOURCE_COUNT = FROM_VISITORS + MGC_LAB_VISITORS_MAX
};

void mgc_lab_first_fail(
    struct mgc_lab_first *first, const char *layer, int code, struct mgc_error *err)
{
    first->report.exit_code = code;
    mgc_error_prefix(err, "%s", layer);
    memcpy(first->report.text, err->text, sizeof first->report.text);
    mgc_err("%s", first->report.text);
    first->phase = MGC_LAB_GONE;
}

static void begin_ending(struct mgc_lab_first *first, int exit_code)
{
    first->report.exit_code = exit_code;
    first->phase = MGC_LAB_ENDING;
    first->deadline_ns = mgc_deadline_in_ms(MEMBER_GRACE_MS);
    mgc_lab_members_stop(&first->stage.members);
}

/* Commands of `mglab exec` are killed with the lab's PID namespace: first they may end by
 * themselves, while the workers that they talk to are still there. */
static void begin_leaving(struct mgc_lab_first *first, int exit_code)
{
    if (!first->spec->loopback) /* else they are not killed */
        first->visitor_count = mgc_lab_ask_visitors(first->visitors, MGC_LAB_VISITORS_MAX);
    if (first->visitor_count == 0) {
        begin_ending(first, exit_code);
        return;
    }
    first->report.exit_code = exit_code;
    first->phase = MGC_LAB_LEAVING;
    first->deadline_ns = mgc_deadline_in_ms(VISITOR_GRACE_MS);
}

static void on_visitors(struct mgc_lab_first *first, const struct pollfd *fds)
{
    bool left = false;
    for (size_t i = 0; i < first->visitor_count; i++) {
        if (fds[i].revents != 0 && first->visitors[i] >= 0) {
            close(first->visitors[i]);
            first->visitors[i] = -1;
        }
        left = left || first->visitors[i] >= 0;
    }
    if (first->phase == MGC_LAB_LEAVING && (!left || mgc_deadline_past(first->deadline_ns)))
        begin_ending(first, first->report.exit_code);
}

/* ---- events ---- */

void mgc_lab_first_used(struct mgc_lab_first *first)
{
    if (first->spec->command == NULL && first->spec->idle_limit_ms > 0)
        first->idle_ns = mgc_deadline_in_ms(first->spec->idle_limit_ms);
}

void mgc_lab_first_signal(struct mgc_lab_first *first, int sig)
{
    if (first->phase == MGC_LAB_STARTING) {
        first->report.interrupted = sig;
        begin_ending(first, 128 + sig);
    }
    if (first->phase == MGC_LAB_RUNNING && first->spec->command == NULL)
        begin_leaving(first, 0);
    if (first->phase != MGC_LAB_RUNNING || first->command == 0)
        return;
    kill(first->command, sig);
    if (sig != SIGINT && first->deadline_ns == MGC_NEVER)
        first->deadline_ns = mgc_deadline_in_ms(COMMAND_GRACE_MS);
}

static void on_waiter_ended(struct mgc_lab_first *first, int status)
{
    struct mgc_lab_phone phone;
    struct mgc_error err = {0};
    first->waiter = 0;
    if (first->phase != MGC_LAB_STARTING)
        return;
    if (status == 0) {
        mgc_lab_first_start_command(first);
        return;
    }
    int number = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    mgc_lab_roster_phone(&first->spec->roster, number, &phone);
    mgc_error_set(&err, MGC_E_TIMEOUT, "nothing listened on %s within %d s; see %s/%s.log",
        phone.adb, mgc_lab_stage_await_ms(&first->spec->roster) / 1000, first->spec->layout->log,
        phone.member);
    mgc_lab_first_fail(first, "phone", MGC_LAB_EXIT_BROKEN, &err);
}

static void on_member_ended(struct mgc_lab_first *first, const struct mgc_lab_member *member)
{
    char text[64], words[200];
    struct mgc_error err = {0};
    if (first->phase != MGC_LAB_STARTING)
        return;
    mgc_error_set(&err, MGC_E_FAILED, "%s ended with %s while starting (%s); see %s", member->name,
        mgc_lab_exit_text(member->last_status, text, sizeof text),
        mgc_lab_last_words(member->log_path, words, sizeof words), member->log_path);
    mgc_lab_first_fail(
        first, member->host == MGC_LAB_PHONE ? "phone" : "proxy", MGC_LAB_EXIT_BROKEN, &err);
}

/* Also reaps what was orphaned in the lab, such as an adb server. */
static void reap(struct mgc_lab_first *first)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct mgc_lab_member *member = mgc_lab_member_ended(&first->stage.members, pid, status);
        if (member != NULL)
            on_member_ended(first, member);
        else if (pid == first->waiter)
            on_waiter_ended(first, status);
        else if (pid == first->command) {
            first->command = 0;
            if (first->phase == MGC_LAB_RUNNING)
                begin_leaving(first, mgc_lab_exit_code(status));
        }
    }
}

/* We share a process group with our owner and the command. A SIGINT that comes to us came to the
 * whole group: from the terminal, which our owner knows, or by a kill of the group, which it cannot
 * tell from one of its own. As long as there is no command, we are the only one to act on it. */
static void on_group_int(struct mgc_lab_first *first, int code)
{
    if (first->phase == MGC_LAB_STARTING)
        mgc_lab_first_signal(first, SIGINT);
    else if (first->command > 0 && code != SI_KERNEL)
        first->group_int_ns = mgc_deadline_in_ms(SAME_SIGNAL_MS);
}

/* Nobody can tell whether one that waits came to the group before or after the fork, so whether the
 * command has had it. Twice in the same moment is no harm, never at all is. */
void mgc_lab_first_pass_on(struct mgc_lab_first *first)
{
    static const struct timespec now = {0, 0};
    siginfo_t info;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    if (sigtimedwait(&set, &info, &now) != SIGINT)
        return;
    kill(first->command, SIGINT);
    on_group_int(first, info.si_code);
}

static bool command_has_had(const struct mgc_lab_first *first, int sig)
{
    return sig == SIGINT && !mgc_deadline_past(first->group_int_ns);
}

static void on_signals(struct mgc_lab_first *first)
{
    struct signalfd_siginfo info;
    while (read(first->signal_fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            reap(first);
        else if (info.ssi_signo == SIGINT)
            on_group_int(first, info.ssi_code);
        else
            mgc_lab_first_signal(first, (int)info.ssi_signo);
    }
}

/* A byte is a signal for the command; end of stream means that our owner is dead. */
static void on_owner(struct mgc_lab_first *first)
{
    unsigned char sig;
    ssize_t n = recv(first->sock, &sig, 1, MSG_DONTWAIT);
    if (n == 1) {
        on_signals(first); /* what came before it */
        if (!command_has_had(first, sig))
            mgc_lab_first_signal(first, sig);
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        first->phase = MGC_LAB_GONE;
}

static void on_idle(struct mgc_lab_first *first)
{
    if (first->spec->loopback ? mgc_lab_has_local_visitors(first->spec->layout->state)
                              : mgc_lab_has_visitors()) {
        mgc_lab_first_used(first);
        return;
    }
    mgc_info(
        "nobody used the lab for %lld s, it ends", (long long)first->spec->idle_limit_ms / 1000);
    first->idle_ns = MGC_NEVER;
    begin_ending(first, 0);
}

static void on_time(struct mgc_lab_first *first)
{
    if (first->phase == MGC_LAB_ENDING &&
        (!mgc_lab_members_running(&first->stage.members) || mgc_deadline_past(first->deadline_ns)))
        first->phase = MGC_LAB_GONE;
    if (first->phase == MGC_LAB_RUNNING && mgc_deadline_past(first->deadline_ns)) {
        kill(first->command, SIGKILL);
        first->deadline_ns = MGC_NEVER;
    }
    if (first->phase == MGC_LAB_RUNNING && mgc_deadline_past(first->idle_ns))
        on_idle(first);
    mgc_lab_members_restart(&first->stage.members, &first->stage.world);
    mgc_lab_knobs_work(&first->knobs);
}

static void turn(struct mgc_lab_first *first)
{
    struct pollfd fds[SOURCE_COUNT] = {
        [FROM_SIGNALS] = {.fd = first->signal_fd, .events = POLLIN},
        [FROM_OWNER] = {.fd = first->sock, .events = POLLIN},
    };
    mgc_lab_control_polls(&first->control, &fds[FROM_CONTROL]);
    for (size_t i = 0; i < MGC_LAB_VISITORS_MAX; i++)
        fds[FROM_VISITORS + i] = (struct pollfd){
            .fd = i < first->visitor_count ? first->visitors[i] : -1, .events = POLLIN};
    int64_t until =
        mgc_deadline_min(mgc_deadline_min(mgc_deadline_min(first->deadline_ns, first->idle_ns),
                             mgc_lab_knobs_next(&first->knobs)),
            mgc_deadline_min(mgc_lab_members_next(&first->stage.members),
                mgc_lab_control_next(&first->control)));
    if (poll(fds, SOURCE_COUNT, mgc_deadline_poll_ms(until)) < 0)
        return;
    if (fds[FROM_SIGNALS].revents != 0)
        on_signals(first);
    if (fds[FROM_OWNER].revents != 0)
        on_owner(first);
    mgc_lab_control_work(&first->control, &fds[FROM_CONTROL]);
    on_visitors(first, &fds[FROM_VISITORS]);
    on_time(first);
}

/* The terminal's signals go to our process group, so to the command as well; we do not act on
 * them. */
static bool take_signals(struct mgc_lab_first *first, struct mgc_error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    signal(SIGQUIT, SIG_IGN); /* before the mask: our owner has blocked all of them */
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &set, NULL);
    first->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return first->signal_fd >= 0 || mgc_error_errno(err, errno, "signalfd");
}

static FILE *open_log(const struct mgc_lab_layout *layout)
{
    char path[MGC_LAB_PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/mglab.log", layout->log);
    FILE *file = fopen(path, "ae");
    if (file != NULL)
        mgc_log_to(file);
    return file;
}

int mgc_lab_first(int sock, void *arg)
{
    struct mgc_error err = {0};
    struct mgc_lab_first *first = calloc(1, sizeof *first);
    if (first == NULL)
        return 1;
    first->spec = arg;
    first->stage.layout = first->spec->layout;
    first->stage.roster = &first->spec->roster;
    first->stage.run = first->spec->loopback ? first->spec->layout->run : "/run/mglab";
    first->stage.world.plain_link = first->spec->link == NULL;
    first->stage.members.worker_restart_ms = MGC_LAB_RESTART_MS;
    snprintf(first->fault_dir, sizeof first->fault_dir, "%s/faults", first->stage.run);
    mgc_lab_knobs_init(&first->knobs, &first->stage, first->fault_dir);
    first->sock = sock;
    first->deadline_ns = first->idle_ns = MGC_NEVER;
    prctl(PR_SET_NAME, "mglab-first");
    FILE *log = open_log(first->spec->layout);
    if (!take_signals(first, &err))
        mgc_lab_first_fail(first, "namespaces", MGC_LAB_EXIT_BROKEN, &err);
    else
        mgc_lab_first_start(first);
    while (first->phase != MGC_LAB_GONE)
        turn(first);
    if (first->spec->loopback)
        mgc_lab_loopback_end(first->spec->layout);
    bool told = send(sock, &first->report, sizeof first->report, MSG_NOSIGNAL) > 0;
    mgc_log_to(NULL);
    if (log != NULL)
        fclose(log);
    return told ? 0 : 1; /* the kernel ends everybody else */
}
