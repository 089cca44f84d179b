/* host.replay: one replay by the phone's app, from its launch to the files that it left.
 *
 *   helper -> remove stale outputs -> watches armed -> [barrier] -> journal -> am start
 *   -> process seen -> result | died | fatal | no-result | timeout -> files
 *   [-> app and knobs once more]
 *
 * How it ended is a fact; the coordinator judges. The app goes on when adb is lost, so a loss
 * within the run's time is survived by watching again. On success the app's process stays, as
 * Android keeps it: a force-stop would also end the render server of the same package (contract
 * section 7).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/quote.h"
#include "worker-host/tasks/am.h"
#include "worker-host/tasks/installed.h"
#include "worker-host/tasks/quiesce_report.h"
#include "worker-host/tasks/replay_check.h"
#include "worker-host/tasks/replay_end.h"
#include "worker-host/tasks/replay_params.h"
#include "worker-host/tasks/replay_streams.h"
#include "worker-host/tasks/server_why.h"

#define UNDO_KIND "app.stop"

enum {
    SETTLE_MS = 500, /* for JSON files that come after result.json */
    KILLED_MS = 5000,
    CHECK_MS = 30000,
    UNDO_MS = 15000,
    UNDO_READY_MS = 5000,
    RESULT_GRACE_MS = 10000,
};

const struct mgc_param mgc_host_replay_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app that replays"},
    {"dir", MGC_PARAM_STRING, true, 1, 64, mgc_host_check_file_name, "below files/trace-replay"},
    {"mode", MGC_PARAM_STRING, true, 1, 16, mgc_replay_check_mode, "benchmark or ssim"},
    {"backend", MGC_PARAM_STRING, true, 1, 64, mgc_backend_check, MGC_BACKENDS_TEXT},
    {"env", MGC_PARAM_STRING, false, 0, 8192, mgc_host_check_env, "K=V;K=V: mobilegl_env"},
    {"width", MGC_PARAM_INT, true, 1, MGC_REPLAY_SIDE_MAX, NULL, "of the surface"},
    {"height", MGC_PARAM_INT, true, 1, MGC_REPLAY_SIDE_MAX, NULL, "of the surface"},
    {"target_call", MGC_PARAM_INT, false, -1, INT64_MAX, NULL, "call to compare at; default -1"},
    {"crop_x", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, "part to compare"},
    {"crop_y", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, NULL},
    {"crop_width", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, "0: all of it"},
    {"crop_height", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, NULL},
    {"ssim_threshold", MGC_PARAM_DOUBLE, false, 0, 0, mgc_replay_check_ratio, "default 0.99"},
    {"benchmark_finish", MGC_PARAM_BOOL, false, 0, 0, NULL, "glFinish per frame, default true"},
    {"benchmark_tail_frames", MGC_PARAM_INT, false, 1, 1000000, NULL, "default 200"},
    {"timeout_ms", MGC_PARAM_INT, true, 1, 24 * 3600 * 1000, NULL, "from am start to the end"},
    {"result_grace_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "after the app's word; 10000"},
    {"files", MGC_PARAM_STRING, true, 0, 4096, mgc_host_check_files, "path=name,path=name"},
    {"barrier", MGC_PARAM_STRING, false, 1, 200, NULL, "where to arrive when prepared"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

struct replay {
    struct mgc_task *task; /* borrowed */
    const char *serial;
    struct mgc_replay_launch launch;
    struct mgc_host_files files;
    struct mgc_replay_seen seen;
    struct mgc_replay_streams streams;
    int64_t launched_ns, process_ns; /* mono here; process_ns 0: not seen */
    struct mgc_replay_end end;
    struct mgc_knobs held; /* by another task of this worker */
};

static void take_params(struct replay *replay)
{
    struct mgc_task *task = replay->task;
    replay->launch = (struct mgc_replay_launch){
        .package = mgc_task_str(task, "package"),
        .dir = mgc_task_str(task, "dir"),
        .mode = mgc_task_str(task, "mode"),
        .backend = mgc_task_str(task, "backend"),
        .env = mgc_task_str(task, "env"),
        .width = mgc_task_int_or(task, "width", 0),
        .height = mgc_task_int_or(task, "height", 0),
        .target_call = mgc_task_int_or(task, "target_call", -1),
        .crop_x = mgc_task_int_or(task, "crop_x", 0),
        .crop_y = mgc_task_int_or(task, "crop_y", 0),
        .crop_width = mgc_task_int_or(task, "crop_width", 0),
        .crop_height = mgc_task_int_or(task, "crop_height", 0),
        .ssim_threshold = mgc_task_double_or(task, "ssim_threshold", 0.99),
        .benchmark_finish = mgc_task_bool_or(task, "benchmark_finish", true),
        .benchmark_tail_frames = mgc_task_int_or(task, "benchmark_tail_frames", 200),
    };
}

static bool take_held(struct replay *replay, struct mgc_error *err)
{
    const struct mgc_host_worker *host = mgc_task_worker(replay->task);
    bool any;
    bool ok = mgc_host_held_get(host->held, replay->serial, &replay->held, &any, err);
    replay->streams.held = ok && any ? &replay->held : NULL;
    return ok;
}

/* --- launch ----------------------------------------------------------------------------------- */

static bool journal(struct replay *replay, uint64_t *ret_entry, struct mgc_error *err)
{
    struct mgc_fields before = {0};
    bool ok = (mgc_fields_set_str(&before, "serial", replay->serial) &&
                  mgc_fields_set_str(&before, "package", replay->launch.package)) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the undo journal");
    ok = ok && mgc_task_journal(replay->task, UNDO_KIND, &before, ret_entry, err);
    mgc_fields_destroy(&before);
    return ok;
}

static bool arrive(struct replay *replay, struct mgc_error *err)
{
    const char *barrier = mgc_task_str(replay->task, "barrier");
    int64_t instant_ns;
    return !barrier || !*barrier || mgc_task_barrier(replay->task, barrier, &instant_ns, err);
}

static bool launch(struct replay *replay, struct mgc_error *err)
{
    replay->launched_ns = mgc_mono_ns();
    replay->streams.deadline_ns =
        mgc_deadline_in_ms(mgc_task_int_or(replay->task, "timeout_ms", 1));
    replay->end.grace_ns =
        mgc_task_int_or(replay->task, "result_grace_ms", RESULT_GRACE_MS) * MGC_NS_PER_MS;
    return mgc_replay_streams_launch(&replay->streams, err);
}

static bool am_failed(struct replay *replay, struct mgc_error *err)
{
    if (!replay->seen.am_done || mgc_am_judge(replay->serial, "am start", replay->seen.am_code,
                                     mgc_buf_text(&replay->seen.said), "", err))
        return false;
    mgc_host_installed_or(replay->task, replay->launch.package, err);
    mgc_server_why(replay->task, "am-start"); /* unless it is said already */
    return true;
}

static bool not_started(struct replay *replay, struct mgc_error *err)
{
    mgc_server_why(replay->task, "not-started");
    return mgc_error_set(err, MGC_E_TIMEOUT,
        "device %s: %s, and neither a process of %s nor a result of it came within %d s",
        replay->serial,
        replay->seen.am_done ? "am start was accepted" : "adb was lost while the app started",
        replay->launch.package, MGC_REPLAY_STARTED_MS / 1000);
}

/* --- end -------------------------------------------------------------------------------------- */

/* A result.json that was closed may still be half of one (contract section 3.1): only a whole
 * document ends the run; anything else is waited for, until the app has said that it is done and
 * a grace after that, or until the run's own limit. */
static bool look_at_result(struct replay *replay, struct mgc_error *err)
{
    bool whole = false, ended = replay->seen.ended;
    unsigned closes = replay->seen.closes;
    if (!mgc_replay_streams_result(&replay->streams, &whole, err))
        return false;
    mgc_replay_end_looked(&replay->end, closes, ended, whole);
    return true;
}

/* One thing more, or the limit's end. */
static bool wait_more(struct replay *replay, struct mgc_error *err)
{
    int64_t limit_ns = mgc_replay_end_limit(
        &replay->end, &replay->seen, mgc_mono_ns(), replay->streams.deadline_ns);
    if (mgc_replay_streams_step(&replay->streams, limit_ns, err))
        return true;
    if (err->code != MGC_E_TIMEOUT || !mgc_deadline_past(limit_ns) ||
        mgc_task_stopped(replay->task))
        return false;
    if (!mgc_replay_end_started(&replay->seen))
        return not_started(replay, err);
    mgc_error_clear(err);
    mgc_replay_end_expire(&replay->end, mgc_mono_ns());
    return true;
}

static bool wait_end(struct replay *replay, struct mgc_error *err)
{
    bool ok = true;
    while (ok && !replay->end.end) {
        if (replay->seen.has_pid && !replay->process_ns)
            replay->process_ns = mgc_mono_ns();
        if (mgc_replay_end_wants_look(&replay->end, &replay->seen)) {
            ok = look_at_result(replay, err);
            continue;
        }
        mgc_replay_end_decide(&replay->end, &replay->seen);
        if (!replay->end.end)
            ok = !(!mgc_replay_end_started(&replay->seen) && am_failed(replay, err)) &&
                 wait_more(replay, err);
    }
    return ok;
}

/* True when it came; false when it did not in time, or at all (then err says so). */
static bool step_until(struct replay *replay, int64_t deadline_ns, struct mgc_error *err)
{
    if (mgc_replay_streams_step(&replay->streams, deadline_ns, err))
        return true;
    if (err->code == MGC_E_TIMEOUT && mgc_deadline_past(deadline_ns) &&
        !mgc_task_stopped(replay->task))
        mgc_error_clear(err);
    return false;
}

static bool has_result(const struct replay *replay)
{
    return replay->end.end && strcmp(replay->end.end, "result") == 0;
}

/* What else is being written when the result is there; or the end of a process that hangs, so that
 * its files do not change any more. */
static bool settle(struct replay *replay, struct mgc_error *err)
{
    bool result = has_result(replay);
    int64_t deadline_ns = mgc_deadline_in_ms(result ? SETTLE_MS : KILLED_MS);
    if (!result && !replay->seen.ended)
        mgc_replay_streams_kill(&replay->streams);
    while (!replay->seen.ended && !(result && mgc_replay_seen_settled(&replay->seen)))
        if (!step_until(replay, deadline_ns, err))
            return err->code == MGC_OK;
    return true;
}

/* What was true before the run and is no more belongs to this cell, also when no other one follows.
 * A shell that does not answer leaves it unknown. */
static bool check_again(struct replay *replay, struct mgc_error *err)
{
    int64_t deadline_ns = mgc_deadline_in_ms(CHECK_MS);
    const struct mgc_replay_seen *seen = &replay->seen;
    while (has_result(replay) && !seen->check_done && !replay->streams.shell_over)
        if (!mgc_replay_streams_ask_check(&replay->streams, err) ||
            !step_until(replay, deadline_ns, err))
            return err->code == MGC_OK;
    return !seen->check_done || mgc_replay_check_take(mgc_buf_text(&seen->check),
                                    replay->streams.held, mgc_task_facts(replay->task), err);
}

/* --- facts ------------------------------------------------------------------------------------ */

static bool time_facts(struct replay *replay, struct mgc_fields *facts, int64_t end_ns)
{
    const struct mgc_replay_seen *seen = &replay->seen;
    bool ok =
        !replay->process_ns || mgc_fields_set_int(facts, "launch_ms",
                                   (replay->process_ns - replay->launched_ns) / MGC_NS_PER_MS);
    if (ok && seen->start_ns)
        ok = mgc_fields_set_int(facts, "start_mono_ns", seen->start_ns);
    if (ok && end_ns)
        ok = mgc_fields_set_int(facts, "end_mono_ns", end_ns);
    if (ok && seen->start_ns && end_ns)
        ok = mgc_fields_set_int(facts, "app_ms", (end_ns - seen->start_ns) / MGC_NS_PER_MS);
    return ok;
}

/* As far as it came; what was not seen is absent. `end_ns`: of the end, phone's clock, 0: unseen.
 */
static bool run_facts(struct replay *replay, int64_t end_ns, struct mgc_error *err)
{
    struct mgc_fields *facts = mgc_task_facts(replay->task);
    const struct mgc_replay_seen *seen = &replay->seen;
    bool ok = mgc_fields_set_int(facts, "transport_losses", replay->streams.losses);
    if (ok && replay->streams.boot_id[0])
        ok = mgc_fields_set_str(facts, "boot_id", replay->streams.boot_id);
    if (ok && seen->said.len)
        ok = mgc_fields_set_str(facts, "am_output", mgc_buf_text(&seen->said));
    if (ok && seen->has_pid)
        ok = mgc_fields_set_int(facts, "pid", seen->pid);
    if (ok && replay->end.end)
        ok = mgc_fields_set_str(facts, "end", replay->end.end);
    if (ok && seen->fatal_line[0])
        ok = mgc_fields_set_str(facts, "fatal_line", seen->fatal_line);
    if (ok && seen->died_signal)
        ok = mgc_fields_set_int(facts, "died_signal", seen->died_signal);
    ok = ok && time_facts(replay, facts, end_ns);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.replay: no memory for facts");
}

static bool fetch(struct replay *replay, struct mgc_error *err)
{
    struct mgc_buf missing = {0}, changed = {0};
    struct mgc_fields *facts = mgc_task_facts(replay->task);
    bool ok = mgc_replay_streams_fetch(&replay->streams, &replay->files, &missing, &changed, err);
    if (ok &&
        ((missing.len && !mgc_fields_set_str(facts, "missing_files", mgc_buf_text(&missing))) ||
            (changed.len && !mgc_fields_set_str(facts, "changed_files", mgc_buf_text(&changed)))))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "host.replay: no memory for facts");
    mgc_buf_destroy(&changed);
    mgc_buf_destroy(&missing);
    return ok;
}

/* --- the task --------------------------------------------------------------------------------- */

static bool run_app(struct replay *replay, struct mgc_error *err)
{
    bool ok = launch(replay, err) && wait_end(replay, err);
    int64_t end_ns = mgc_replay_end_moment(&replay->end, &replay->seen);
    /* Asked now, answered while the files come. */
    ok = ok && (!has_result(replay) || mgc_replay_streams_ask_check(&replay->streams, err)) &&
         settle(replay, err) && fetch(replay, err) && check_again(replay, err);
    return run_facts(replay, end_ns, ok ? err : NULL) && ok;
}

static bool declare_artifacts(struct replay *replay, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < replay->files.count; i++)
        ok = mgc_task_artifact(replay->task, replay->files.items[i].name, err);
    return ok;
}

/* The app is stopped by the undo, except where it has come to its end by itself. */
static bool run_journaled(struct replay *replay, struct mgc_error *err)
{
    uint64_t entry;
    if (!journal(replay, &entry, err))
        return false;
    bool ok = run_app(replay, err);
    bool by_itself = ok && (has_result(replay) || replay->seen.ended);
    return by_itself ? mgc_task_journal_drop(replay->task, entry, err) : ok;
}

bool mgc_host_replay_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct replay *replay = calloc(1, sizeof(*replay));
    if (!replay)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "host.replay: no memory");
    replay->task = task;
    replay->serial = mgc_task_str(task, "serial");
    take_params(replay);
    mgc_replay_seen_init(&replay->seen, replay->launch.package, replay->launch.env, &replay->files);
    replay->streams = (struct mgc_replay_streams){.task = task,
        .launch = &replay->launch,
        .seen = &replay->seen,
        .shell = MGC_ADB_SHELL_INIT};
    bool ok = take_held(replay, why) &&
              mgc_host_files_parse(mgc_task_str(task, "files"), &replay->files, why) &&
              declare_artifacts(replay, why) && mgc_host_device_ready(task, why) &&
              mgc_replay_streams_open(&replay->streams, why) && arrive(replay, why) &&
              run_journaled(replay, why);
    mgc_replay_streams_close(&replay->streams);
    mgc_replay_seen_destroy(&replay->seen);
    free(replay);
    return mgc_host_done(task, ok, why);
}

bool mgc_host_replay_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    const struct mgc_host_worker *host = worker;
    const char *serial = mgc_fields_get_str(before, "serial");
    const char *package = mgc_fields_get_str(before, "package");
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(UNDO_MS), -1};
    struct mgc_adb_wait ready = mgc_adb_wait_ms(&wait, UNDO_READY_MS);
    if (!serial || !package || !mgc_adb_check_serial(serial, err) ||
        !mgc_adb_check_package(package, err))
        return mgc_error_set(
            err, MGC_E_FAILED, "undo of " UNDO_KIND ": the entry lacks serial or package");
    bool ok = mgc_quiesce_stop_script(&script, package) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for an undo");
    ok = ok && mgc_adb_device_ready(host->adb, serial, &ready, err) &&
         mgc_adb_run(host->adb, serial, mgc_buf_text(&script), NULL, &wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = mgc_quiesce_exit_error(serial, result.exit_code, mgc_buf_text(&result.err), err);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok || mgc_error_prefix(err, "stop the app");
}
