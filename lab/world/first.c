#include "lab/world/first.h"

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
#include "common/base/parse.h"
#include "common/plat/file.h"
#include "lab/world/control.h"
#include "lab/world/knobs.h"
#include "lab/world/loopback.h"
#include "lab/world/last_words.h"
#include "lab/world/ns.h"
#include "lab/world/report.h"
#include "lab/world/stage.h"
#include "lab/world/status.h"
#include "lab/world/visitors.h"

/* A visitor that is told to end may have a run to undo and report. */
enum { MEMBER_GRACE_MS = 2000, COMMAND_GRACE_MS = 10000, VISITOR_GRACE_MS = 30000 };
enum { VISITORS_MAX = 32 };
enum { SAME_SIGNAL_MS = 1000 }; /* between its way to us and its way through our owner */
enum phase { STARTING, RUNNING, LEAVING, ENDING, GONE };
enum source {
    FROM_SIGNALS,
    FROM_OWNER,
    FROM_CONTROL,
    FROM_VISITORS = FROM_CONTROL + MGC_LAB_CONTROL_FDS,
    SOURCE_COUNT = FROM_VISITORS + VISITORS_MAX
};

struct first {
    const struct mgc_lab_first_spec *spec;
    struct mgc_lab_stage stage;
    struct mgc_lab_control control;
    struct mgc_lab_knobs knobs;
    char fault_dir[MGC_LAB_PATH_MAX + 16];
    struct mgc_lab_report report;
    enum phase phase;
    int sock;
    int signal_fd;
    int64_t group_int_ns; /* until then a SIGINT of our owner is one that the command has had */
    pid_t waiter;         /* watches for the phone's port; 0: none */
    pid_t command;        /* 0: not running */
    int visitors[VISITORS_MAX]; /* pidfds of those told to end; -1: gone */
    size_t visitor_count;
    int64_t idle_ns;     /* without a command: when unused for too long */
    int64_t deadline_ns; /* of a command told to end, or of ending members */
};

static void fail(struct first *first, const char *layer, int code, struct mgc_error *err)
{
    first->report.exit_code = code;
    mgc_error_prefix(err, "%s", layer);
    memcpy(first->report.text, err->text, sizeof first->report.text);
    mgc_err("%s", first->report.text);
    first->phase = GONE;
}

static void begin_ending(struct first *first, int exit_code)
{
    first->report.exit_code = exit_code;
    first->phase = ENDING;
    first->deadline_ns = mgc_deadline_in_ms(MEMBER_GRACE_MS);
    mgc_lab_members_stop(&first->stage.members);
}

/* Commands of `mglab exec` are killed with the lab's PID namespace: first they may end by
 * themselves, while the workers that they talk to are still there. */
static void begin_leaving(struct first *first, int exit_code)
{
    if (!first->spec->loopback) /* else they are not killed */
        first->visitor_count = mgc_lab_ask_visitors(first->visitors, VISITORS_MAX);
    if (first->visitor_count == 0) {
        begin_ending(first, exit_code);
        return;
    }
    first->report.exit_code = exit_code;
    first->phase = LEAVING;
    first->deadline_ns = mgc_deadline_in_ms(VISITOR_GRACE_MS);
}

static void on_visitors(struct first *first, const struct pollfd *fds)
{
    bool left = false;
    for (size_t i = 0; i < first->visitor_count; i++) {
        if (fds[i].revents != 0 && first->visitors[i] >= 0) {
            close(first->visitors[i]);
            first->visitors[i] = -1;
        }
        left = left || first->visitors[i] >= 0;
    }
    if (first->phase == LEAVING && (!left || mgc_deadline_past(first->deadline_ns)))
        begin_ending(first, first->report.exit_code);
}

/* ---- starting ---- */

/* What the phone says of the world that it stands in (lab/phone/conditions.h). */
static bool write_conditions(const struct first *first, struct mgc_error *err)
{
    char text[128];
    const struct mgc_lab_first_spec *spec = first->spec;
    const char *link = first->stage.world.loopback ? "none, all on loopback"
                       : spec->link                ? spec->link
                                                   : "none, a plain cable";
    snprintf(text, sizeof text, "link %s%s%s\n", link,
        spec->phone_latency ? ", phone latency " : "",
        spec->phone_latency ? spec->phone_latency : "");
    return mgc_lab_faultdirs_make(&first->knobs.phones, text, err);
}

/* The files must be there before anybody looks at them; the world acts when it is built. */
static bool write_faults(const struct first *first, struct mgc_error *err)
{
    const struct mgc_lab_first_spec *spec = first->spec;
    if (!write_conditions(first, err))
        return false;
    for (size_t i = 0; i < spec->fault_count; i++) {
        if (!mgc_lab_knob_plant(&first->knobs, &spec->faults[i], err))
            return false;
    }
    return true;
}

static bool set_faults(struct first *first, struct mgc_error *err)
{
    for (size_t i = 0; i < first->spec->fault_count; i++) {
        if (!mgc_lab_knob_set(&first->knobs, &first->spec->faults[i], err))
            return false;
    }
    return true;
}

static void used_now(struct first *first)
{
    if (first->spec->command == NULL && first->spec->idle_limit_ms > 0)
        first->idle_ns = mgc_deadline_in_ms(first->spec->idle_limit_ms);
}

static void stay_up(struct first *first)
{
    const struct mgc_lab_report up = {.up = true};
    first->phase = RUNNING;
    used_now(first);
    if (send(first->sock, &up, sizeof up, MSG_NOSIGNAL) < 0)
        first->phase = GONE; /* nobody is there to own it */
}

static void start_command(struct first *first)
{
    struct mgc_error err = {0};
    if (first->spec->workers && !mgc_lab_stage_workers(&first->stage, &err)) {
        fail(first, "workers", MGC_LAB_EXIT_BROKEN, &err);
        return;
    }
    if (first->spec->command == NULL) {
        stay_up(first);
        return;
    }
    first->command = mgc_lab_stage_command(&first->stage, first->spec->command, &err);
    if (first->command > 0) {
        first->phase = RUNNING;
        return;
    }
    first->command = 0;
    fail(first, "command",
        err.code == MGC_E_NOT_FOUND ? MGC_LAB_EXIT_NOT_FOUND : MGC_LAB_EXIT_NOT_RUN, &err);
}

static void start_phone(struct first *first)
{
    struct mgc_error err = {0};
    if (mgc_lab_stage_phones(&first->stage, first->spec->phone_latency, &err))
        first->waiter = mgc_lab_stage_await_phones(&first->stage, &err);
    if (first->waiter <= 0) {
        first->waiter = 0;
        fail(first, "phone", MGC_LAB_EXIT_BROKEN, &err);
    }
}

/* ---- requests ---- */

static bool fault_request(
    struct first *first, char **words, size_t count, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_lab_fault fault;
    char text[MGC_LAB_CONTROL_LINE];
    if (count == 4 && strcmp(words[1], "set") == 0) {
        snprintf(text, sizeof text, "%s=%s", words[2], words[3]);
        return mgc_lab_fault_parse(text, &fault, err) &&
               mgc_lab_knob_set(&first->knobs, &fault, err);
    }
    if ((count == 2 || count == 3) && strcmp(words[1], "clear") == 0)
        return mgc_lab_knob_clear(&first->knobs, words[2], err);
    if (count == 2 && strcmp(words[1], "list") == 0)
        return mgc_lab_knob_list(&first->knobs, out, err);
    return mgc_error_set(err, MGC_E_USAGE, "fault wants set NAME VALUE, clear [NAME] or list");
}

static bool status_request(struct first *first, struct mgc_buf *out, struct mgc_error *err)
{
    const struct mgc_lab_status_row command = {.host = MGC_LAB_WSL, .pid = first->command};
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++) {
        char name[32];
        const struct mgc_lab_status_row row = {
            .host = (enum mgc_lab_host)host, .pid = first->stage.world.hosts[host].holder};
        if (row.pid == 0)
            continue; /* the link, in a lab with a plain cable */
        snprintf(name, sizeof name, "host-%s", mgc_lab_host_name(row.host));
        mgc_lab_status_line(&row, name, out);
    }
    return (mgc_lab_members_status(&first->stage.members, out) &&
               (first->spec->command == NULL || mgc_lab_status_line(&command, "command", out))) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the status");
}

static void on_signal_for_command(struct first *first, int sig);

static bool handle(
    char **words, size_t count, struct mgc_buf *out, void *arg, struct mgc_error *err)
{
    struct first *first = arg;
    int64_t sig;
    used_now(first);
    if (strcmp(words[0], "touch") == 0 && count == 1)
        return true;
    if (strcmp(words[0], "end") == 0 && count == 1) {
        on_signal_for_command(first, SIGTERM);
        return true;
    }
    if (strcmp(words[0], "status") == 0 && count == 1)
        return status_request(first, out, err);
    if (strcmp(words[0], "fault") == 0)
        return fault_request(first, words, count, out, err);
    if (strcmp(words[0], "kill") == 0 && count == 3 && mgc_parse_int(words[2], 1, 64, &sig))
        return mgc_lab_member_signal(&first->stage.members, words[1], (int)sig, err);
    return mgc_error_set(err, MGC_E_USAGE, "the lab does not know the request \"%s\"", words[0]);
}

static void start_here(struct first *first)
{
    struct mgc_error err = {0};
    char control[MGC_LAB_CONTROL_SHORT];
    mgc_lab_world_loopback(&first->stage.world);
    if (!mgc_lab_loopback_settle(first->spec->layout, &first->spec->roster, &err) ||
        !write_faults(first, &err) ||
        !mgc_lab_control_short(first->spec->layout->run, control, &err) ||
        !mgc_lab_control_open(&first->control, control, handle, first, &err) ||
        !set_faults(first, &err))
        fail(first, "loopback", MGC_LAB_EXIT_BROKEN, &err);
    else if (!first->spec->phone)
        start_command(first);
    else if (!mgc_lab_stage_adb(&first->stage, &err))
        fail(first, "adb", MGC_LAB_EXIT_BROKEN, &err);
    else
        start_phone(first);
}

static void start(struct first *first)
{
    struct mgc_error err = {0};
    /* The socket is there before the command that may use it; requests wait until the loop runs. */
    if (!mgc_lab_ns_settle(&err) || !write_faults(first, &err) ||
        !mgc_lab_control_open(&first->control, MGC_LAB_CONTROL_PATH, handle, first, &err))
        fail(first, "namespaces", MGC_LAB_EXIT_BROKEN, &err);
    else if (!mgc_lab_world_build(&first->stage.world, &err))
        fail(first, "links", MGC_LAB_EXIT_BROKEN, &err);
    else if (!mgc_lab_stage_proxy(&first->stage, &err))
        fail(first, "proxy", MGC_LAB_EXIT_BROKEN, &err);
    else if ((first->spec->link != NULL &&
                 !mgc_lab_stage_link(&first->stage, first->spec->link, &err)) ||
             !set_faults(first, &err))
        fail(first, "links", MGC_LAB_EXIT_BROKEN, &err);
    else if (first->spec->phone)
        start_phone(first);
    else
        start_command(first);
}

/* ---- events ---- */

static void on_signal_for_command(struct first *first, int sig)
{
    if (first->phase == STARTING)
        begin_ending(first, 128 + sig);
    if (first->phase == RUNNING && first->spec->command == NULL)
        begin_leaving(first, 0);
    if (first->phase != RUNNING || first->command == 0)
        return;
    kill(first->command, sig);
    if (sig != SIGINT && first->deadline_ns == MGC_NEVER)
        first->deadline_ns = mgc_deadline_in_ms(COMMAND_GRACE_MS);
}

static void on_waiter_ended(struct first *first, int status)
{
    struct mgc_lab_phone phone;
    struct mgc_error err = {0};
    first->waiter = 0;
    if (first->phase != STARTING)
        return;
    if (status == 0) {
        start_command(first);
        return;
    }
    int number = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    mgc_lab_roster_phone(&first->spec->roster, number, &phone);
    mgc_error_set(&err, MGC_E_TIMEOUT, "nothing listened on %s within %d s; see %s/%s.log",
        phone.adb, mgc_lab_stage_await_ms(&first->spec->roster) / 1000, first->spec->layout->log,
        phone.member);
    fail(first, "phone", MGC_LAB_EXIT_BROKEN, &err);
}

static void on_member_ended(struct first *first, const struct mgc_lab_member *member)
{
    char text[64], words[200];
    struct mgc_error err = {0};
    if (first->phase != STARTING)
        return;
    mgc_error_set(&err, MGC_E_FAILED, "%s ended with %s while starting (%s); see %s", member->name,
        mgc_lab_exit_text(member->last_status, text, sizeof text),
        mgc_lab_last_words(member->log_path, words, sizeof words), member->log_path);
    fail(first, member->host == MGC_LAB_PHONE ? "phone" : "proxy", MGC_LAB_EXIT_BROKEN, &err);
}

/* Also reaps what was orphaned in the lab, such as an adb server. */
static void reap(struct first *first)
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
            if (first->phase == RUNNING)
                begin_leaving(first, mgc_lab_exit_code(status));
        }
    }
}

/* We share a process group with our owner and the command. A SIGINT that comes to us came to the
 * whole group: from the terminal, which our owner knows, or by a kill of the group, which it cannot
 * tell from one of its own. */
static void on_group_int(struct first *first, const struct signalfd_siginfo *info)
{
    if (info->ssi_code != SI_KERNEL)
        first->group_int_ns = mgc_deadline_in_ms(SAME_SIGNAL_MS);
}

static bool command_has_had(const struct first *first, int sig)
{
    return sig == SIGINT && !mgc_deadline_past(first->group_int_ns);
}

static void on_signals(struct first *first)
{
    struct signalfd_siginfo info;
    while (read(first->signal_fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            reap(first);
        else if (info.ssi_signo == SIGINT)
            on_group_int(first, &info);
        else
            on_signal_for_command(first, (int)info.ssi_signo);
    }
}

/* A byte is a signal for the command; end of stream means that our owner is dead. */
static void on_owner(struct first *first)
{
    unsigned char sig;
    ssize_t n = recv(first->sock, &sig, 1, MSG_DONTWAIT);
    if (n == 1) {
        on_signals(first); /* what came before it */
        if (!command_has_had(first, sig))
            on_signal_for_command(first, sig);
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        first->phase = GONE;
}

static void on_idle(struct first *first)
{
    if (first->spec->loopback ? mgc_lab_has_local_visitors(first->spec->layout->state)
                              : mgc_lab_has_visitors()) {
        used_now(first);
        return;
    }
    mgc_info(
        "nobody used the lab for %lld s, it ends", (long long)first->spec->idle_limit_ms / 1000);
    first->idle_ns = MGC_NEVER;
    begin_ending(first, 0);
}

static void on_time(struct first *first)
{
    if (first->phase == ENDING &&
        (!mgc_lab_members_running(&first->stage.members) || mgc_deadline_past(first->deadline_ns)))
        first->phase = GONE;
    if (first->phase == RUNNING && mgc_deadline_past(first->deadline_ns)) {
        kill(first->command, SIGKILL);
        first->deadline_ns = MGC_NEVER;
    }
    if (first->phase == RUNNING && mgc_deadline_past(first->idle_ns))
        on_idle(first);
    mgc_lab_members_restart(&first->stage.members, &first->stage.world);
    mgc_lab_knobs_work(&first->knobs);
}

static void turn(struct first *first)
{
    struct pollfd fds[SOURCE_COUNT] = {
        [FROM_SIGNALS] = {.fd = first->signal_fd, .events = POLLIN},
        [FROM_OWNER] = {.fd = first->sock, .events = POLLIN},
    };
    mgc_lab_control_polls(&first->control, &fds[FROM_CONTROL]);
    for (size_t i = 0; i < VISITORS_MAX; i++)
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
static bool take_signals(struct first *first, struct mgc_error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_SETMASK, &set, NULL);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
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
    struct first *first = calloc(1, sizeof *first);
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
        fail(first, "namespaces", MGC_LAB_EXIT_BROKEN, &err);
    else if (first->spec->loopback)
        start_here(first);
    else
        start(first);
    while (first->phase != GONE)
        turn(first);
    if (first->spec->loopback)
        mgc_lab_loopback_end(first->spec->layout);
    bool told = send(sock, &first->report, sizeof first->report, MSG_NOSIGNAL) > 0;
    mgc_log_to(NULL);
    if (log != NULL)
        fclose(log);
    return told ? 0 : 1; /* the kernel ends everybody else */
}
