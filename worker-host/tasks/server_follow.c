#include "worker-host/tasks/server_follow.h"

#include <inttypes.h>

#include "common/base/clock.h"
#include "worker-host/adb/devices.h"

/* The watch says "alive" every 5 s; a frozen device shows no other sign (lab notes: adb's server
 * goes on calling it online). */
enum { SILENT_MS = 4 * MGC_SERVER_ALIVE_MS, READ_MS = 10000, OPEN_MS = 10000 };

bool mgc_server_follow_pid(struct mgc_server_follow *follow, int64_t pid, struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, OPEN_MS);
    bool ok = mgc_server_watch_script(&script, pid) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for watching a server");
    ok = ok && mgc_adb_shell_open(&follow->shell, mgc_host_adb(follow->task),
                   mgc_task_str(follow->task, "serial"), mgc_buf_text(&script), &wait, err);
    mgc_buf_destroy(&script);
    follow->watching = ok;
    follow->pid = pid;
    follow->silent_ns = mgc_deadline_in_ms(SILENT_MS);
    return ok;
}

void mgc_server_follow_close(struct mgc_server_follow *follow)
{
    if (follow->watching)
        mgc_adb_shell_close(&follow->shell);
    follow->watching = false;
}

static bool there(const struct mgc_server_follow *follow, enum mgc_server_until until)
{
    switch (until) {
    case MGC_SERVER_UNTIL_LISTEN:
        return follow->said->markers.listening.known;
    case MGC_SERVER_UNTIL_STARTED:
        return follow->watch.started;
    case MGC_SERVER_UNTIL_FINISH:
        return follow->finished;
    case MGC_SERVER_UNTIL_BROKEN:
        return follow->finished || mgc_server_log_broken(follow->said);
    case MGC_SERVER_UNTIL_REAPED:
        return follow->said->markers.reap_count > 0 || mgc_server_log_only_refused(follow->said);
    }
    return false;
}

static bool server_gone(const struct mgc_server_follow *follow, struct mgc_error *err)
{
    char words[400];
    return mgc_error_set(err, MGC_E_FAILED, "device %s: the server process %" PRId64 " ended; %s",
        mgc_task_str(follow->task, "serial"), follow->pid,
        mgc_server_log_words(follow->said, words, sizeof(words)));
}

static bool read_watch(struct mgc_server_follow *follow, struct mgc_error *err)
{
    struct mgc_adb_shell_piece piece;
    struct mgc_adb_wait wait = mgc_host_wait(follow->task, READ_MS);
    if (!mgc_adb_shell_next(&follow->shell, &piece, &wait, err))
        return false;
    follow->silent_ns = mgc_deadline_in_ms(SILENT_MS);
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
    bool buffered_watch = follow->watching && mgc_adb_shell_buffered(&follow->shell);
    mgc_socket sockets[COUNT] = {mgc_task_stop_fd(follow->task), mgc_adb_log_socket(follow->log),
        follow->watching ? follow->shell.conn.socket : MGC_SOCKET_NONE,
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

bool mgc_server_follow_wait(struct mgc_server_follow *follow, enum mgc_server_until until,
    int64_t deadline_ns, struct mgc_error *err)
{
    while (!there(follow, until)) {
        if (follow->watch.gone)
            return server_gone(follow, err);
        if (!step(follow, deadline_ns, err))
            return mgc_host_failed(follow->task, err);
    }
    return true;
}
