#include "worker-host/tasks/server_follow.h"

#include <inttypes.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "worker-host/adb/devices.h"
#include "worker-host/tasks/helper_open.h"

/* The watch says something every 5 s; a frozen device shows no other sign (lab notes: adb's server
 * goes on calling it online). */
enum {
    SILENT_MS = 4 * MGC_SERVER_ALIVE_MS,
    READ_MS = 10000,
    OPEN_MS = 10000,
    BACK_MS = 10000,
    LAST_WORDS_MS = 5000
};

/* --- open ------------------------------------------------------------------------------------- */

bool mgc_server_follow_open(struct mgc_server_follow *follow, struct mgc_error *err)
{
    struct mgc_error why = {0};
    struct mgc_fields *facts = mgc_task_facts(follow->task);
    follow->helper = mgc_host_helper_open(follow->task, follow->package, &why);
    /* What the device program cannot do here, a loop of the shell can. */
    if (!follow->helper && !mgc_host_helper_is_no_need(follow->task, &why)) {
        *err = why;
        return mgc_host_failed(follow->task, err);
    }
    bool ok = mgc_fields_set_str(facts, "watch", follow->helper ? "helper" : "shell") &&
              (follow->helper || mgc_fields_set_str(facts, "watch_why", why.text));
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for facts");
}

static void on_process(void *ctx, const struct mgc_device_msg *msg)
{
    struct mgc_server_watch *watch = ctx;
    if (msg->type != MGC_DEVICE_PROC)
        return;
    if (msg->proc.what == MGC_DEVICE_PROC_ENDED) {
        watch->gone = true;
        return;
    }
    watch->started = true;
    watch->start_ticks = msg->proc.start_ticks;
}

/* A row now and then is the sign of life. */
static bool watch_by_helper(struct mgc_server_follow *follow, int64_t pid, struct mgc_error *err)
{
    static const char *const no_nodes[] = {NULL};
    uint32_t id;
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, OPEN_MS);
    struct mgc_helper_watch what = {.pid = (uint32_t)pid};
    if (!mgc_helper_watch(follow->helper, &what, on_process, &follow->watch, &id, &wait, err) ||
        !mgc_helper_sample(
            follow->helper, no_nodes, MGC_SERVER_ALIVE_MS, 0, NULL, NULL, &id, &wait, err))
        return false;
    if (!follow->watch.started)
        follow->watch.gone = true; /* before it could be looked at */
    return true;
}

static bool watch_by_shell(struct mgc_server_follow *follow, int64_t pid, struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, OPEN_MS);
    bool ok = mgc_server_watch_script(&script, pid) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for watching a server");
    ok = ok && mgc_adb_shell_open(&follow->shell, mgc_host_adb(follow->task),
                   mgc_task_str(follow->task, "serial"), mgc_buf_text(&script), &wait, err);
    mgc_buf_destroy(&script);
    return ok;
}

bool mgc_server_follow_pid(struct mgc_server_follow *follow, int64_t pid, struct mgc_error *err)
{
    follow->pid = pid;
    follow->watching =
        follow->helper ? watch_by_helper(follow, pid, err) : watch_by_shell(follow, pid, err);
    follow->silent_ns = mgc_deadline_in_ms(SILENT_MS);
    return follow->watching || mgc_host_failed(follow->task, err);
}

void mgc_server_follow_close(struct mgc_server_follow *follow)
{
    if (follow->watching && !follow->helper)
        mgc_adb_shell_close(&follow->shell);
    mgc_helper_free(follow->helper);
    follow->helper = NULL;
    follow->watching = false;
}

/* --- wait ------------------------------------------------------------------------------------- */

static bool there(const struct mgc_server_follow *follow, enum mgc_server_until until)
{
    switch (until) {
    case MGC_SERVER_UNTIL_LISTEN:
        return follow->said->markers.listening.known || follow->said->ended[0];
    case MGC_SERVER_UNTIL_STARTED:
        return follow->watch.started;
    case MGC_SERVER_UNTIL_FINISH:
        return follow->finished;
    case MGC_SERVER_UNTIL_BROKEN:
        return follow->finished || mgc_server_log_broken(follow->said);
    case MGC_SERVER_UNTIL_REAPED:
        return mgc_server_log_reap(follow->said) || mgc_server_log_only_refused(follow->said);
    }
    return false;
}

/* The process is gone; the log says why a moment later, and what comes first is not what it was. */
static void hear_last_words(struct mgc_server_follow *follow)
{
    enum { STOP, LOG, COUNT };
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, LAST_WORDS_MS);
    mgc_socket sockets[COUNT] = {mgc_task_stop_fd(follow->task), mgc_adb_log_socket(follow->log)};
    while (!mgc_server_log_has_last_words(follow->said)) {
        bool ready[COUNT] = {false};
        if (!mgc_adb_log_buffered(follow->log) &&
            (!mgc_net_wait_readable(sockets, ready, COUNT, wait.deadline_ns, NULL) || ready[STOP]))
            return;
        if (!mgc_adb_log_read(follow->log, &wait, NULL))
            return;
    }
}

static bool server_gone(struct mgc_server_follow *follow, struct mgc_error *err)
{
    char words[400];
    hear_last_words(follow);
    return mgc_error_set(err, MGC_E_FAILED, "device %s: the server process %" PRId64 " ended; %s",
        mgc_task_str(follow->task, "serial"), follow->pid,
        mgc_server_log_words(follow->said, words, sizeof(words)));
}

static mgc_socket watch_socket(const struct mgc_server_follow *follow)
{
    if (!follow->watching)
        return MGC_SOCKET_NONE;
    return follow->helper ? mgc_helper_socket(follow->helper) : follow->shell.conn.socket;
}

static bool watch_buffered(const struct mgc_server_follow *follow)
{
    return follow->watching && (follow->helper ? mgc_helper_buffered(follow->helper)
                                               : mgc_adb_shell_buffered(&follow->shell));
}

static bool read_watch(struct mgc_server_follow *follow, struct mgc_error *err)
{
    struct mgc_adb_shell_piece piece;
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, READ_MS);
    follow->silent_ns = mgc_deadline_in_ms(SILENT_MS);
    if (follow->helper)
        return mgc_helper_pump(follow->helper, &wait, err);
    if (!mgc_adb_shell_next(&follow->shell, &piece, &wait, err))
        return false;
    if (piece.id == MGC_ADB_STDOUT)
        mgc_server_watch_feed(&follow->watch, piece.data, piece.len);
    if (piece.id == MGC_ADB_EXIT && !follow->watch.gone)
        return mgc_error_set(err, MGC_E_FAILED,
            "device %s: the watch on process %" PRId64 " ended with code %d",
            mgc_task_str(follow->task, "serial"), follow->pid, follow->shell.exit_code);
    return true;
}

/* Nothing came in time: the caller's deadline, the task's, or a silent device. */
static bool nothing_came(
    struct mgc_server_follow *follow, int64_t deadline_ns, struct mgc_error *err)
{
    if (mgc_deadline_past(mgc_task_deadline(follow->task, -1)))
        return mgc_task_stop_error(follow->task, err);
    if (mgc_deadline_past(deadline_ns))
        return mgc_error_set(err, MGC_E_TIMEOUT, "nothing before the deadline");
    if (follow->watching && mgc_deadline_past(follow->silent_ns))
        return mgc_error_set(err, MGC_E_LOST, "device %s has been silent for %d s",
            mgc_task_str(follow->task, "serial"), SILENT_MS / 1000);
    return true; /* woken a little early */
}

/* One wait and what it brought. */
static bool step(struct mgc_server_follow *follow, int64_t deadline_ns, struct mgc_error *err)
{
    enum { STOP, LOG, WATCH, FINISH, COUNT };
    bool buffered_log = mgc_adb_log_buffered(follow->log);
    bool buffered_watch = watch_buffered(follow);
    mgc_socket sockets[COUNT] = {mgc_task_stop_fd(follow->task), mgc_adb_log_socket(follow->log),
        watch_socket(follow),
        follow->finished ? MGC_SOCKET_NONE : mgc_task_finish_fd(follow->task)};
    bool ready[COUNT] = {false};
    int64_t limit_ns = mgc_deadline_min(deadline_ns, mgc_task_deadline(follow->task, -1));
    if (follow->watching)
        limit_ns = mgc_deadline_min(limit_ns, follow->silent_ns);
    if (buffered_log || buffered_watch)
        limit_ns = 0; /* only look */
    if (!mgc_net_wait_readable(sockets, ready, COUNT, limit_ns, err)) {
        if (err->code != MGC_E_TIMEOUT)
            return false;
        if (!buffered_log && !buffered_watch)
            return nothing_came(follow, deadline_ns, err);
    }
    if (ready[STOP])
        return mgc_task_stop_error(follow->task, err);
    follow->finished |= ready[FINISH];
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, READ_MS);
    if ((ready[LOG] || buffered_log) && !mgc_adb_log_read(follow->log, &wait, err))
        return false;
    return !(ready[WATCH] || buffered_watch) || read_watch(follow, err);
}

/* --- a lost device ---------------------------------------------------------------------------- */

/* The number may have gone to another process meanwhile. */
static bool is_another(const struct mgc_server_follow *follow, const struct mgc_server_watch *was)
{
    return was->started && follow->watch.started && follow->watch.start_ticks != was->start_ticks;
}

/* Until the watch has found its process again, or not: the shell's tells it a moment later. */
static bool watch_again(struct mgc_server_follow *follow, const struct mgc_server_watch *was,
    bool by_helper, struct mgc_error *err)
{
    follow->watch = (struct mgc_server_watch){0};
    if (by_helper && !(follow->helper = mgc_host_helper_open(follow->task, follow->package, err)))
        return false;
    if (!follow->pid)
        return true;
    int64_t deadline_ns = mgc_task_deadline(follow->task, OPEN_MS);
    bool ok = mgc_server_follow_pid(follow, follow->pid, err);
    while (ok && !follow->watch.started && !follow->watch.gone)
        ok = step(follow, deadline_ns, err);
    follow->watch.gone |= is_another(follow, was);
    return ok;
}

static bool attach(struct mgc_server_follow *follow, const struct mgc_server_watch *was,
    bool by_helper, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, OPEN_MS);
    mgc_server_follow_close(follow);
    return mgc_adb_log_reopen(follow->log, &wait, err) && watch_again(follow, was, by_helper, err);
}

/* A device that comes back may take its first streams down again. */
static bool come_back(struct mgc_server_follow *follow, struct mgc_error *err)
{
    struct mgc_error first = *err;
    struct mgc_server_watch was = follow->watch;
    bool by_helper = follow->helper != NULL, ok = false;
    int64_t limit_ns =
        mgc_deadline_in_ms(mgc_task_int_or(follow->task, "device_timeout_ms", BACK_MS));
    mgc_warn("%s; waiting for the device", err->text);
    do {
        follow->how = mgc_server_why_lost(follow->task, follow->boot_id, err);
        if (follow->how != MGC_SERVER_BACK)
            break;
        ok = attach(follow, &was, by_helper, err);
    } while (!ok && err->code == MGC_E_LOST && !mgc_task_stopped(follow->task) &&
             !mgc_deadline_past(limit_ns));
    follow->lost = !ok;
    follow->losses += ok;
    if (!ok && !mgc_task_stopped(follow->task) && follow->how != MGC_SERVER_REBOOTED)
        *err = first;
    if (ok)
        mgc_error_clear(err);
    return ok;
}

bool mgc_server_follow_wait(struct mgc_server_follow *follow, enum mgc_server_until until,
    int64_t deadline_ns, struct mgc_error *err)
{
    while (!there(follow, until)) {
        if (follow->watch.gone)
            return server_gone(follow, err);
        if (step(follow, deadline_ns, err))
            continue;
        int64_t lost_ns = mgc_mono_ns();
        if (err->code != MGC_E_LOST || mgc_task_stopped(follow->task) || !come_back(follow, err))
            return mgc_host_failed(follow->task, err);
        if (deadline_ns != MGC_NEVER)
            deadline_ns += mgc_mono_ns() - lost_ns;
    }
    return true;
}
