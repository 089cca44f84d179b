#include "worker-host/tasks/replay_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/json/json.h"
#include "worker-host/adb/devices.h"

/* The process is looked for every 10 ms (ten times less often while the app's server runs), but
 * only until it is there: then its end is an event, and nothing is looked for. */
enum {
    CALL_MS = 15000,
    FETCH_MS = 300000,
    SCAN_MS = 10,
    RESULT_MAX = 1 << 20,
};
#define FETCH_MAX_BYTES (INT64_C(1) << 30)

/* --- watches ---------------------------------------------------------------------------------- */

/* Whoever samples this phone hears at once when the run begins and ends: here, since what follows
 * takes round trips. */
static void on_event(void *ctx, const struct mgc_device_msg *msg)
{
    struct mgc_replay_streams *streams = ctx;
    const struct mgc_host_worker *host = mgc_task_worker(streams->task);
    const struct mgc_replay_seen *seen = streams->seen;
    bool had_pid = seen->has_pid, had_ended = seen->ended;
    unsigned closes = seen->closes;
    mgc_replay_seen_event(streams->seen, msg);
    struct mgc_host_moments moments = {.run_begins = seen->has_pid && !had_pid,
        .run_ends = seen->closes != closes || (seen->ended && !had_ended)};
    if (moments.run_begins || moments.run_ends)
        mgc_host_samplers_tell(host->samplers, mgc_task_str(streams->task, "serial"), moments);
}

static bool app_path(struct mgc_replay_streams *streams, const char *below, struct mgc_buf *path,
    struct mgc_error *err)
{
    return mgc_replay_app_path(path, streams->launch->package, below) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "host.replay: no memory");
}

/* Names in the output directory that the run writes; result.json is the first. */
static void output_names(
    const struct mgc_host_files *files, const char *ret_names[MGC_HOST_FILES_MAX + 2])
{
    size_t count = 0;
    ret_names[count++] = MGC_REPLAY_RESULT;
    for (size_t i = 0; i < files->count; i++) {
        const char *name = mgc_replay_output_name(files, i);
        if (name && strcmp(name, MGC_REPLAY_RESULT) != 0)
            ret_names[count++] = name;
    }
    ret_names[count] = NULL;
}

static bool watch_files(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    const char *names[MGC_HOST_FILES_MAX + 2];
    struct mgc_buf dir = {0};
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    output_names(streams->seen->files, names);
    bool ok = app_path(streams, MGC_REPLAY_OUTPUT, &dir, err);
    struct mgc_helper_watch watch = {.dir = mgc_buf_text(&dir), .names = names};
    ok = ok && mgc_helper_watch(
                   streams->helper, &watch, on_event, streams, &streams->files_watch, &wait, err);
    mgc_buf_destroy(&dir);
    return ok;
}

static bool watch_procs(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    struct mgc_helper_watch watch = {.package = streams->launch->package, .scan_ms = SCAN_MS};
    return mgc_helper_watch(
        streams->helper, &watch, on_event, streams, &streams->procs_watch, &wait, err);
}

/* --- the launching shell ---------------------------------------------------------------------- */

static bool open_shell(struct mgc_replay_streams *streams, const struct mgc_replay_launch *launch,
    struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    bool ok = mgc_replay_script(&script, streams->launch->package, launch, streams->held,
                  streams->seen->launched_s) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "host.replay: no memory");
    ok = ok && mgc_adb_shell_open(&streams->shell, mgc_host_adb(streams->task),
                   mgc_task_str(streams->task, "serial"), mgc_buf_text(&script), &wait, err);
    mgc_buf_destroy(&script);
    streams->launched |= ok && launch;
    streams->shell_over = !ok;
    streams->check_asked = false;
    return ok;
}

static bool say(struct mgc_replay_streams *streams, const char *word, struct mgc_error *err)
{
    char line[48];
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    snprintf(line, sizeof(line), "%s %" PRId64 "\n", word, streams->seen->pid);
    return mgc_adb_shell_send(&streams->shell, line, strlen(line), &wait, err);
}

/* From looking for a process to following the one: no more looking while it is measured. */
static bool follow_pid(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    struct mgc_helper_watch watch = {.pid = (uint32_t)streams->seen->pid};
    streams->follows_pid = true;
    streams->seen->alive_again = false;
    if (streams->procs_watch &&
        !mgc_helper_cancel(streams->helper, streams->procs_watch, &wait, err))
        return false;
    streams->procs_watch = 0;
    if (!streams->seen->ended && !mgc_helper_watch(streams->helper, &watch, on_event, streams,
                                     &streams->procs_watch, &wait, err))
        return false;
    /* It is gone, or its number is another's by now; nobody saw when. */
    if (!streams->seen->alive_again)
        streams->seen->ended = true;
    return streams->shell_over || say(streams, "log", err);
}

/* --- loss ------------------------------------------------------------------------------------- */

static void drop(struct mgc_replay_streams *streams)
{
    mgc_helper_free(streams->helper);
    streams->helper = NULL;
    mgc_adb_shell_close(&streams->shell);
    if (streams->launched)
        mgc_replay_seen_broken(streams->seen);
    streams->shell_over = true;
    streams->files_watch = streams->procs_watch = 0;
}

static bool arm_again(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    if (streams->launched && !open_shell(streams, NULL, err))
        return false;
    if (!watch_files(streams, err))
        return false;
    if (streams->seen->ended)
        return true;
    return streams->seen->has_pid ? follow_pid(streams, err) : watch_procs(streams, err);
}

static bool come_back(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    bool ok = false;
    do {
        streams->losses++;
        drop(streams);
        streams->helper = mgc_host_helper_again(
            streams->task, streams->launch->package, streams->boot_id, streams->deadline_ns, err);
        ok = streams->helper && arm_again(streams, err);
    } while (!ok && streams->helper && err->code == MGC_E_LOST);
    return ok;
}

/* --- for the task ----------------------------------------------------------------------------- */

static void on_removed(void *ctx, const struct mgc_device_msg *msg)
{
    if (msg->type == MGC_DEVICE_REMOVED && msg->removed.state == MGC_DEVICE_UNUSABLE)
        snprintf(ctx, MGC_REPLAY_LINE_MAX, "%s", msg->removed.name);
}

/* A result of an earlier run must not be taken for this one's. */
static bool remove_stale(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    const char *names[MGC_HOST_FILES_MAX + 2];
    char stuck[MGC_REPLAY_LINE_MAX] = "";
    struct mgc_buf dir = {0};
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    output_names(streams->seen->files, names);
    bool ok = app_path(streams, MGC_REPLAY_OUTPUT, &dir, err) &&
              mgc_helper_remove(
                  streams->helper, mgc_buf_text(&dir), names, on_removed, stuck, &wait, err);
    mgc_buf_destroy(&dir);
    if (ok && stuck[0])
        return mgc_error_set(err, MGC_E_DENIED, "device %s: \"%s\" of an earlier run stays",
            mgc_task_str(streams->task, "serial"), stuck);
    return ok;
}

bool mgc_replay_streams_open(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    streams->shell = (struct mgc_adb_shell)MGC_ADB_SHELL_INIT;
    streams->shell_over = true;
    streams->deadline_ns = MGC_NEVER;
    streams->helper = mgc_host_helper_open(streams->task, streams->launch->package, err);
    if (!streams->helper)
        return false;
    snprintf(streams->boot_id, sizeof(streams->boot_id), "%s",
        mgc_helper_facts(streams->helper)->boot_id);
    if (!remove_stale(streams, err) || !watch_files(streams, err) || !watch_procs(streams, err))
        return false;
    if (streams->seen->has_pid)
        return mgc_error_set(err, MGC_E_BUSY,
            "device %s: %s runs already (pid %" PRId64 "), and its state is of an earlier replay",
            mgc_task_str(streams->task, "serial"), streams->launch->package, streams->seen->pid);
    return true;
}

bool mgc_replay_streams_launch(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    return open_shell(streams, streams->launch, err);
}

static bool take_shell(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    struct mgc_adb_shell_piece piece;
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    if (!mgc_adb_shell_next(&streams->shell, &piece, &wait, err))
        return false;
    if (piece.id == MGC_ADB_STDOUT)
        mgc_replay_seen_out(streams->seen, piece.data, piece.len);
    else if (piece.id == MGC_ADB_STDERR)
        mgc_replay_seen_err(streams->seen, piece.data, piece.len);
    else
        streams->shell_over = true;
    return true;
}

/* Wait for one of them; ret_ready: helper, shell. */
static bool wait_for_either(struct mgc_replay_streams *streams, int64_t deadline_ns,
    bool ret_ready[2], struct mgc_error *err)
{
    bool buffered[2] = {mgc_helper_buffered(streams->helper),
        !streams->shell_over && mgc_adb_shell_buffered(&streams->shell)};
    mgc_socket sockets[3] = {mgc_helper_socket(streams->helper),
        streams->shell_over ? MGC_SOCKET_NONE : streams->shell.conn.socket,
        mgc_task_stop_fd(streams->task)};
    bool ready[3] = {false};
    bool any = buffered[0] || buffered[1];
    int64_t limit_ns =
        any ? 0 : mgc_deadline_min(deadline_ns, mgc_task_deadline(streams->task, -1));
    if (!mgc_net_wait_readable(sockets, ready, 3, limit_ns, err)) {
        if (err->code != MGC_E_TIMEOUT)
            return false;
        if (!any && mgc_deadline_past(mgc_task_deadline(streams->task, -1)))
            return mgc_task_stop_error(streams->task, err);
        if (!any)
            return false;
    }
    if (ready[2])
        return mgc_task_stop_error(streams->task, err);
    ret_ready[0] = ready[0] || buffered[0];
    ret_ready[1] = ready[1] || buffered[1];
    return true;
}

bool mgc_replay_streams_step(
    struct mgc_replay_streams *streams, int64_t deadline_ns, struct mgc_error *err)
{
    bool ready[2] = {false};
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    if (!wait_for_either(streams, deadline_ns, ready, err))
        return false;
    bool ok = (!ready[0] || mgc_helper_pump(streams->helper, &wait, err)) &&
              (!ready[1] || take_shell(streams, err));
    if (ok && streams->seen->has_pid && !streams->follows_pid)
        ok = follow_pid(streams, err);
    if (ok || mgc_task_stopped(streams->task))
        return ok || mgc_host_failed(streams->task, err);
    return err->code == MGC_E_LOST && come_back(streams, err);
}

/* --- files ------------------------------------------------------------------------------------ */

static bool is_document(const struct mgc_buf *text)
{
    json_t *doc =
        text->len ? mgc_json_parse(mgc_buf_text(text), text->len, RESULT_MAX, NULL) : NULL;
    bool whole = doc;
    json_decref(doc);
    return whole;
}

bool mgc_replay_streams_result(
    struct mgc_replay_streams *streams, bool *ret_whole, struct mgc_error *err)
{
    struct mgc_buf dir = {0}, text = {.max = RESULT_MAX + 1};
    struct mgc_helper_file file = {.name = MGC_REPLAY_RESULT, .into = &text};
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, CALL_MS);
    bool ok =
        app_path(streams, MGC_REPLAY_OUTPUT, &dir, err) &&
        mgc_helper_read(streams->helper, mgc_buf_text(&dir), &file, 1, RESULT_MAX, &wait, err);
    *ret_whole = ok && file.state == MGC_DEVICE_PRESENT && is_document(&text);
    mgc_buf_destroy(&text);
    mgc_buf_destroy(&dir);
    return ok || (err->code == MGC_E_LOST && come_back(streams, err));
}

void mgc_replay_streams_kill(struct mgc_replay_streams *streams)
{
    if (!streams->shell_over && streams->seen->has_pid)
        say(streams, "kill", NULL);
}

bool mgc_replay_streams_ask_check(struct mgc_replay_streams *streams, struct mgc_error *err)
{
    if (streams->check_asked || streams->shell_over)
        return true;
    streams->check_asked = true;
    return say(streams, "check", err) || (err->code == MGC_E_LOST && come_back(streams, err));
}

static void add_name(struct mgc_buf *names, const char *name)
{
    mgc_buf_printf(names, "%s%s", names->len ? "," : "", name);
}

static bool fetch_once(struct mgc_replay_streams *streams, const struct mgc_host_files *files,
    struct mgc_helper_file *items, char (*paths)[MGC_PATH_MAX], struct mgc_error *err)
{
    struct mgc_buf dir = {0};
    struct mgc_adb_wait wait = mgc_host_wait(streams->task, FETCH_MS);
    bool ok = app_path(streams, NULL, &dir, err);
    for (size_t i = 0; ok && i < files->count; i++) {
        items[i] = (struct mgc_helper_file){.name = files->items[i].path, .local = paths[i]};
        ok = mgc_host_file(streams->task, files->items[i].name, paths[i], err);
    }
    ok = ok && mgc_helper_read(streams->helper, mgc_buf_text(&dir), items, files->count,
                   FETCH_MAX_BYTES, &wait, err);
    mgc_buf_destroy(&dir);
    return ok;
}

bool mgc_replay_streams_fetch(struct mgc_replay_streams *streams,
    const struct mgc_host_files *files, struct mgc_buf *ret_missing, struct mgc_buf *ret_changed,
    struct mgc_error *err)
{
    struct mgc_helper_file items[MGC_HOST_FILES_MAX];
    char(*paths)[MGC_PATH_MAX] = calloc(MGC_HOST_FILES_MAX, sizeof(*paths));
    if (!paths)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "host.replay: no memory");
    bool ok = files->count == 0 || fetch_once(streams, files, items, paths, err);
    while (!ok && err->code == MGC_E_LOST && !mgc_task_stopped(streams->task) &&
           come_back(streams, err))
        ok = fetch_once(streams, files, items, paths, err);
    for (size_t i = 0; ok && i < files->count; i++) {
        if (items[i].state == MGC_DEVICE_CHANGED)
            add_name(ret_changed, files->items[i].name);
        else if (items[i].state != MGC_DEVICE_PRESENT)
            add_name(ret_missing, files->items[i].name);
    }
    free(paths);
    return ok;
}

void mgc_replay_streams_close(struct mgc_replay_streams *streams)
{
    mgc_helper_free(streams->helper);
    mgc_adb_shell_close(&streams->shell);
    streams->helper = NULL;
}
