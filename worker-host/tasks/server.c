/* host.server: the render server in the phone's app, from a clean start to a proved stop.
 *
 *   stop what lives -> begin marker -> journal -> am start -> listen line -> process watched
 *   -> journal -> "ready" -> [barrier] -> hold -> [reap line] -> stop -> pull its log
 *
 * Everything goes through the same end: stop, then the log file, which
 * does not change any more once the process is gone. Only a phone that is lost has neither; its
 * entry stays in the journal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/contract/backend.h"
#include "common/plat/file.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/quote.h"
#include "worker-host/tasks/installed.h"
#include "worker-host/tasks/server_check.h"
#include "worker-host/tasks/server_files.h"
#include "worker-host/tasks/server_follow.h"
#include "worker-host/tasks/server_undo.h"
#include "worker-host/tasks/server_why.h"

#define START_FILE  "server-start.txt"
#define LOGCAT_FILE "server-logcat.txt"

/* Stop and pull together stay below the 30 s that a worker gives a cancelled task: an undo that
 * fails is not tried again at its end (journal.h). */
enum {
    CLEAN_MS = 20000,
    AM_MS = 30000,
    READY_MS = 30000,
    STARTED_MS = 10000,
    SETTLE_MS = 5000, /* after the session's bad end: for its client to notice and say it better */
    NOBODY_MS = 5000, /* its client is done and had no session: for lines that are on their way */
    PULL_MS = 10000,
};

const struct mgc_param mgc_host_server_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app with the server"},
    {"listen", MGC_PARAM_STRING, true, 1, 255, mgc_host_check_endpoint, "tcp://HOST:PORT"},
    {"token", MGC_PARAM_SECRET, false, 1, 255, NULL, "session token; loopback needs none"},
    {"backend", MGC_PARAM_STRING, true, 1, 64, mgc_backend_check, MGC_BACKENDS_TEXT},
    {"env", MGC_PARAM_STRING, false, 0, 8192, mgc_host_check_env, "K=V;K=V for the server"},
    {"ready_timeout_ms", MGC_PARAM_INT, true, 1, 600000, NULL, "time to listen"},
    {"reap_timeout_ms", MGC_PARAM_INT, true, 1, 600000, NULL, "time to reap its session"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {"barrier", MGC_PARAM_STRING, false, 1, 200, NULL, "barrier to arrive at once ready"},
    {"expect_session", MGC_PARAM_BOOL, true, 0, 0, NULL, "wait for a session's reap line"},
    {"files", MGC_PARAM_STRING, false, 0, 4096, mgc_host_check_files, "more files: path=name,..."},
    {"check_after", MGC_PARAM_BOOL, false, 0, 0, NULL,
        "look at app and knobs at the end; default no"},
    {0},
};

struct server {
    struct mgc_task *task; /* borrowed */
    const char *serial, *package, *listen;
    char boot_id[MGC_HOST_BOOT_ID_SIZE]; /* of the device when it was started; empty: not known */
    int64_t clean_cs;                    /* device's uptime when nothing of the package ran */
    uint64_t entry;                      /* of the undo journal; 0: nothing was started */
    struct mgc_server_log *said;         /* owned */
    struct mgc_adb_log *log;             /* owned */
    struct mgc_server_follow follow;
    bool run_began, run_ended; /* as who samples the phone was told */
};

/* --- start ------------------------------------------------------------------------------------ */

static void tell_samplers(const struct server *server, struct mgc_host_moments moments)
{
    const struct mgc_host_worker *host = mgc_task_worker(server->task);
    mgc_host_samplers_tell(host->samplers, server->serial, moments);
}

/* A run that others began, on the phone, is theirs to end. */
static void on_line(void *ctx, const char *line, size_t len)
{
    struct server *server = ctx;
    mgc_server_log_line(server->said, line, len);
    if (!server->run_began || server->run_ended || !mgc_server_log_reap(server->said))
        return;
    server->run_ended = true;
    tell_samplers(server, (struct mgc_host_moments){.run_ends = true});
}

static bool read_clean(struct server *server, struct mgc_error *err)
{
    return mgc_server_stop_read(server->serial, server->package, 0, mgc_adb_log_stderr(server->log),
               &server->clean_cs, err) &&
           (server->clean_cs >= 0 || mgc_error_set(err, MGC_E_PROTOCOL,
                                         "device %s did not say its uptime", server->serial));
}

/* Stop whatever lives and begin to read the log, in one stream. */
static bool open_log(struct server *server, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf script = {0};
    struct mgc_adb_wait wait = mgc_host_wait(server->task, CLEAN_MS);
    if (!mgc_host_file(server->task, LOGCAT_FILE, path, err))
        return false;
    bool ok =
        (mgc_server_stop_script(&script, server->package) && mgc_server_room_script(&script)) ||
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a server task");
    struct mgc_adb_log_spec spec = {.filter = MGC_SERVER_LOG_FILTER,
        .path = path,
        .before = mgc_buf_text(&script),
        .line = on_line,
        .ctx = server};
    if (ok)
        server->log = mgc_adb_log_new(mgc_host_adb(server->task), server->serial, &spec, err);
    mgc_buf_destroy(&script);
    if (!server->log)
        return false;
    server->follow = (struct mgc_server_follow){.task = server->task,
        .log = server->log,
        .said = server->said,
        .package = server->package,
        .boot_id = server->boot_id};
    ok = mgc_adb_log_open(server->log, &wait, err);
    mgc_server_boot_id(mgc_adb_log_stderr(server->log), server->boot_id, sizeof(server->boot_id));
    if (ok)
        return read_clean(server, err);
    if (mgc_adb_log_exit(server->log) > 0) {
        int64_t uptime_cs;
        if (mgc_adb_log_exit(server->log) == MGC_SERVER_EXIT_LEFT)
            mgc_server_why(server->task, "left");
        mgc_server_stop_read(server->serial, server->package, mgc_adb_log_exit(server->log),
            mgc_adb_log_stderr(server->log), &uptime_cs, err);
    }
    return ok;
}

static bool write_start_file(struct server *server, const struct mgc_server_start *start,
    const struct mgc_adb_result *result, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    if (!mgc_host_file(server->task, START_FILE, path, err))
        return false;
    mgc_server_start_command(&text, start, true);
    mgc_buf_printf(&text, "\nexit code %d\n--- stdout ---\n%s\n--- stderr ---\n%s\n",
        result->exit_code, mgc_buf_text(&result->out), mgc_buf_text(&result->err));
    bool ok = mgc_buf_ok(&text) ? mgc_file_write(path, text.data, text.len, 0644, err)
                                : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a file");
    mgc_buf_destroy(&text);
    return ok;
}

/* The service's own extras have no backend; the environment pins it (contract section 6). */
static bool make_env(const struct server *server, struct mgc_buf *env)
{
    const char *more = mgc_task_str(server->task, "env");
    mgc_buf_printf(env, "MOBILEGL_BACKEND_TYPE=%s", mgc_task_str(server->task, "backend"));
    return more && *more ? mgc_buf_printf(env, ";%s", more) : mgc_buf_ok(env);
}

/* Which server an undo that comes later may stop. */
static bool journal(struct server *server, struct mgc_error *err)
{
    const struct mgc_server_watch *watch = &server->follow.watch;
    int64_t ready_ms = mgc_task_int_or(server->task, "ready_timeout_ms", READY_MS);
    struct mgc_server_mark mark = {.serial = server->serial,
        .package = server->package,
        .boot_id = server->boot_id,
        .from_cs = server->clean_cs,
        .to_cs = server->clean_cs + (AM_MS + ready_ms) / 10,
        .pid = watch->started ? server->follow.pid : 0,
        .start_ticks = watch->start_ticks};
    return mgc_server_journal(server->task, &mark, &server->entry, err);
}

static bool start_service(struct server *server, struct mgc_error *err)
{
    struct mgc_buf env = {0}, command = {0};
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = mgc_host_wait(server->task, AM_MS);
    bool ok = make_env(server, &env);
    struct mgc_server_start start = {.package = server->package,
        .listen = server->listen,
        .token = mgc_task_str(server->task, "token"),
        .env = mgc_buf_text(&env)};
    ok = ok && mgc_adb_check_env(start.env, err) &&
         (mgc_server_start_command(&command, &start, false) ||
             mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a server task"));
    ok = ok &&
         mgc_adb_run(mgc_host_adb(server->task), server->serial, mgc_buf_text(&command), NULL,
             &wait, &result, err) &&
         write_start_file(server, &start, &result, err) &&
         (mgc_server_start_judge(server->serial, &result, err) ||
             mgc_host_installed_or(server->task, server->package, err));
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&command);
    mgc_buf_destroy(&env);
    return ok;
}

/* --- ready ------------------------------------------------------------------------------------ */

/* No listen line in time: what there is instead, in one more command. */
static bool not_listening(struct server *server, int64_t timeout_ms, struct mgc_error *err)
{
    char words[400], pids[64] = "not known";
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = mgc_host_wait(server->task, MGC_ADB_QUERY_MS);
    if (mgc_adb_run(mgc_host_adb(server->task), server->serial, "pidof libMobileGLServer.so", NULL,
            &wait, &result, NULL))
        snprintf(pids, sizeof(pids), "%.*s", (int)strcspn(mgc_buf_text(&result.out), "\r\n"),
            mgc_buf_text(&result.out));
    mgc_adb_result_destroy(&result);
    mgc_server_why(server->task, pids[0] ? "not-listening" : "not-started");
    return mgc_error_set(err, MGC_E_TIMEOUT,
        "device %s: server did not listen within %.1f s; %s; server processes: %s", server->serial,
        (double)timeout_ms / 1000, mgc_server_log_words(server->said, words, sizeof(words)),
        pids[0] ? pids : "none");
}

/* It came and went without a listen line: waiting longer brings nothing. */
static bool ended_early(struct server *server, struct mgc_error *err)
{
    char words[400];
    bool port = mgc_server_log_cannot_listen(server->said);
    mgc_server_why(server->task, "ended");
    return mgc_error_set(err, MGC_E_FAILED,
        "device %s: the server ended before it listened%s%s%s; %s", server->serial,
        port ? ": it could not listen on " : "", port ? server->listen : "",
        port ? ", which something else on the phone may use" : "",
        mgc_server_log_words(server->said, words, sizeof(words)));
}

/* Newer than the moment when no server lived, by the phone's own boot clock. */
static bool check_newer(struct server *server, struct mgc_error *err)
{
    if (server->follow.watch.start_ticks >= server->clean_cs)
        return true;
    mgc_server_why(server->task, "older");
    return mgc_error_set(err, MGC_E_FAILED,
        "device %s: server process %" PRId64 " is older than this start (%" PRId64
        " against %" PRId64 " hundredths of a second since boot)",
        server->serial, server->follow.pid, server->follow.watch.start_ticks, server->clean_cs);
}

/* The listen line must be of what was asked for and of a process that is newer than the stop. */
static bool check_listener(struct server *server, struct mgc_error *err)
{
    const struct mgc_listen *listening = &server->said->markers.listening;
    if (strcmp(listening->endpoint, server->listen) != 0) {
        mgc_server_why(server->task, "older");
        return mgc_error_set(err, MGC_E_FAILED, "device %s: the server listens on %s, not on %s",
            server->serial, listening->endpoint, server->listen);
    }
    if (!listening->has_pid)
        return mgc_error_set(err, MGC_E_PROTOCOL, "device %s: no pid in the listen line \"%s\"",
            server->serial, server->said->listen_line);
    if (!mgc_server_follow_pid(&server->follow, listening->pid, err) ||
        !mgc_server_follow_wait(&server->follow, MGC_SERVER_UNTIL_STARTED,
            mgc_task_deadline(server->task, STARTED_MS), err))
        return mgc_error_prefix(err, "after the listen line");
    return check_newer(server, err);
}

static bool wait_ready(struct server *server, struct mgc_error *err)
{
    int64_t timeout_ms = mgc_task_int_or(server->task, "ready_timeout_ms", READY_MS);
    int64_t deadline_ns = mgc_deadline_in_ms(timeout_ms);
    if (!mgc_server_follow_wait(&server->follow, MGC_SERVER_UNTIL_LISTEN, deadline_ns, err)) {
        bool late = err->code == MGC_E_TIMEOUT && !mgc_task_stopped(server->task) &&
                    mgc_deadline_past(deadline_ns);
        return late ? not_listening(server, timeout_ms, err) : false;
    }
    return server->said->markers.listening.known ? check_listener(server, err)
                                                 : ended_early(server, err);
}

static bool tell_ready(struct server *server, struct mgc_error *err)
{
    struct mgc_fields ready = {0};
    struct mgc_fields *facts = mgc_task_facts(server->task);
    bool ok = mgc_fields_set_int(&ready, "server_pid", server->follow.pid) &&
              (!server->boot_id[0] || mgc_fields_set_str(&ready, "boot_id", server->boot_id)) &&
              mgc_fields_set_str(&ready, "listen_line", server->said->listen_line) &&
              mgc_fields_copy(facts, &ready);
    ok = ok ? mgc_task_event(server->task, "ready", &ready, err)
            : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for facts");
    mgc_fields_destroy(&ready);
    return ok;
}

/* --- hold and end ----------------------------------------------------------------------------- */

static bool session_broke(struct server *server, const struct mgc_reap *reap, struct mgc_error *err)
{
    bool by_signal = reap->kind == MGC_REAP_SIGNAL;
    if (by_signal)
        mgc_server_why(server->task, "session-signal");
    return mgc_error_set(err, MGC_E_FAILED,
        "device %s: the session (pid %" PRId64 ") was ended %s %" PRId64 " while it was needed",
        server->serial, reap->pid, by_signal ? "by signal" : "with exit code", reap->value);
}

/* Until finish. A client that hangs would let us wait for its own time limit when the session under
 * it breaks; a client that ends by itself brings finish soon. */
static bool hold_session(struct server *server, struct mgc_error *err)
{
    struct mgc_server_follow *follow = &server->follow;
    while (mgc_server_follow_wait(follow, MGC_SERVER_UNTIL_BROKEN, MGC_NEVER, err)) {
        int64_t deadline_ns = mgc_deadline_in_ms(SETTLE_MS);
        if (mgc_server_follow_wait(follow, MGC_SERVER_UNTIL_FINISH, deadline_ns, err))
            return true;
        if (err->code != MGC_E_TIMEOUT || mgc_task_stopped(server->task) ||
            !mgc_deadline_past(deadline_ns))
            return false;
        const struct mgc_reap *reap = mgc_server_log_broken(server->said);
        if (reap)
            return session_broke(server, reap, err);
        mgc_error_clear(err); /* another session is ready by now */
    }
    return false;
}

static bool hold(struct server *server, struct mgc_error *err)
{
    const char *barrier = mgc_task_str(server->task, "barrier");
    int64_t instant_ns;
    if (barrier && *barrier) {
        if (!mgc_task_barrier(server->task, barrier, &instant_ns, err))
            return false;
        server->run_began = true;
        tell_samplers(server, (struct mgc_host_moments){.run_begins = true});
    }
    /* The watch said nothing that was read while the barrier held us. */
    server->follow.silent_ns = mgc_deadline_in_ms(4 * MGC_SERVER_ALIVE_MS);
    bool expect = mgc_task_bool_or(server->task, "expect_session", false);
    if (expect ? !hold_session(server, err)
               : !mgc_server_follow_wait(&server->follow, MGC_SERVER_UNTIL_FINISH, MGC_NEVER, err))
        return mgc_error_prefix(err, "while it had to serve");
    if (!expect)
        return true;
    int64_t timeout_ms = mgc_task_int_or(server->task, "reap_timeout_ms", 10000);
    if (!mgc_server_log_has_session(server->said) && timeout_ms > NOBODY_MS)
        timeout_ms = NOBODY_MS;
    if (mgc_server_follow_wait(
            &server->follow, MGC_SERVER_UNTIL_REAPED, mgc_deadline_in_ms(timeout_ms), err))
        return true;
    /* No reap line is a fact for the verdict; anything else is a failure. */
    bool late =
        err->code == MGC_E_TIMEOUT && !mgc_deadline_past(mgc_task_deadline(server->task, -1));
    if (late)
        mgc_error_clear(err);
    return late;
}

static bool serve(struct server *server, struct mgc_error *err)
{
    return open_log(server, err) && mgc_server_follow_open(&server->follow, err) &&
           journal(server, err) && start_service(server, err) && wait_ready(server, err) &&
           journal(server, err) && tell_ready(server, err) && hold(server, err);
}

static bool stop_and_check(
    struct server *server, const struct mgc_server_mark *mark, struct mgc_error *err)
{
    struct mgc_server_check check = {0};
    struct mgc_error why = {0};
    bool made = mgc_server_check_make(&check, server->task, server->package, &why);
    struct mgc_server_beside beside = {mgc_buf_text(&check.script), &check.said};
    bool ok = mgc_server_end(server->task, mark, server->entry, made ? &beside : NULL, err);
    if (ok && (!made || !mgc_server_check_take(&check, server->task, &why))) {
        *err = why;
        ok = false;
    }
    mgc_server_check_destroy(&check);
    return ok;
}

static bool stop(struct server *server, bool served, struct mgc_error *err)
{
    struct mgc_server_mark mark = {.serial = server->serial, .package = server->package};
    return served && mgc_task_bool_or(server->task, "check_after", false)
               ? stop_and_check(server, &mark, err)
               : mgc_server_end(server->task, &mark, server->entry, NULL, err);
}

/* The process is gone, so its files are final. */
static bool pull_files(struct server *server, struct mgc_error *err)
{
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(PULL_MS), -1};
    return mgc_server_files_pull(server->task, server->follow.helper, &wait, err);
}

/* The same code also says that the session with the coordinator is lost: the phone has nothing to
 * do with that, and its server must be stopped. */
static bool phone_is_lost(struct server *server, struct mgc_error *err)
{
    if (err->code != MGC_E_LOST || mgc_task_stopped(server->task))
        return false;
    enum mgc_server_lost how = server->follow.lost
                                   ? server->follow.how
                                   : mgc_server_why_lost(server->task, server->boot_id, err);
    return how == MGC_SERVER_AWAY;
}

/* On every way out: facts, stop, log file. The first error stands. */
static bool end(struct server *server, bool ok, struct mgc_error *err)
{
    struct mgc_error why = {0};
    struct mgc_fields *facts = mgc_task_facts(server->task);
    bool expect = mgc_task_bool_or(server->task, "expect_session", false);
    if (!ok && server->follow.watch.gone)
        mgc_server_why(server->task, "ended");
    bool done = (mgc_fields_set_int(facts, "transport_losses", server->follow.losses) &&
                    mgc_server_log_facts(server->said, expect, facts) &&
                    (ok || mgc_server_log_end_facts(server->said, facts))) ||
                mgc_error_set(&why, MGC_E_NO_MEMORY, "no memory for facts");
    if (ok || !phone_is_lost(server, err)) {
        bool stopped = stop(server, ok, &why);
        mgc_fields_set_bool(facts, "stop_confirmed", stopped);
        done = stopped && pull_files(server, &why) && done;
    } else {
        mgc_fields_set_bool(facts, "stop_confirmed", false);
    }
    mgc_server_follow_close(&server->follow);
    if (ok && !done)
        *err = why;
    return ok && done;
}

static bool declare_artifacts(struct mgc_task *task, struct mgc_error *err)
{
    return mgc_task_artifact(task, START_FILE, err) && mgc_task_artifact(task, LOGCAT_FILE, err) &&
           mgc_server_files_declare(task, err);
}

bool mgc_host_server_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct server server = {.task = task,
        .serial = mgc_task_str(task, "serial"),
        .package = mgc_task_str(task, "package"),
        .listen = mgc_task_str(task, "listen"),
        .said = calloc(1, sizeof(*server.said))};
    if (!server.said)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a server task");
    server.said->package = server.package;
    bool ok = declare_artifacts(task, why) && mgc_host_device_ready(task, why);
    if (ok) {
        ok = serve(&server, why);
        ok = end(&server, ok, why);
    }
    mgc_adb_log_free(server.log);
    free(server.said);
    return mgc_host_done(task, ok, why);
}
