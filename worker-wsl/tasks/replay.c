/* wsl.replay: one run of the cross-host client, from its inputs to what it left. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "common/contract/backend.h"
#include "common/plat/file.h"
#include "common/plat/process.h"
#include "common/task/wait.h"
#include "worker-wsl/replay/client.h"
#include "worker-wsl/replay/input.h"
#include "worker-wsl/tasks/tasks.h"

/* Far above what a client writes; one that logs without end does not fill the disk. */
#define FILE_SIZE_MAX (UINT64_C(1) << 30)

enum { LOOK_MS = 1000, PROGRESS_MS = 2000, STOP_GRACE_MS = 2000 };

static bool check_path(const struct mgc_value *value, struct mgc_error *err)
{
    return value->string[0] == '/' ||
           mgc_error_set(
               err, MGC_E_CONFIG, "expected an absolute path, got \"%.100s\"", value->string);
}

static bool check_mode(const struct mgc_value *value, struct mgc_error *err)
{
    return strcmp(value->string, "benchmark") == 0 || strcmp(value->string, "ssim") == 0 ||
           mgc_error_set(
               err, MGC_E_CONFIG, "expected benchmark or ssim, got \"%.40s\"", value->string);
}

static bool check_ratio(const struct mgc_value *value, struct mgc_error *err)
{
    double ratio = value->type == MGC_VALUE_INT ? (double)value->integer : value->real;
    return (ratio >= 0 && ratio <= 1) ||
           mgc_error_set(err, MGC_E_CONFIG, "expected a number from 0 to 1, got %g", ratio);
}

enum { SIDE_MAX = 16384 };

const struct mgc_param mgc_wsl_replay_params[] = {
    {"client", MGC_PARAM_STRING, true, 1, 4000, check_path, "mobilegl_trace_replay"},
    {"library", MGC_PARAM_STRING, true, 1, 4000, check_path, "libMobileGL.so"},
    {"trace", MGC_PARAM_STRING, true, 1, 4000, check_path, "what to replay"},
    {"golden", MGC_PARAM_STRING, false, 1, 4000, check_path, "picture to compare with (ssim)"},
    {"mode", MGC_PARAM_STRING, true, 1, 16, check_mode, "benchmark or ssim"},
    {"address", MGC_PARAM_STRING, true, 7, 15, mgc_wsl_check_address, "of the render server"},
    {"port", MGC_PARAM_INT, true, 1, 65535, NULL, "of the render server"},
    {"token", MGC_PARAM_SECRET, true, 16, 256, NULL, "that the server was started with"},
    {"backend", MGC_PARAM_STRING, false, 1, 32, mgc_backend_check, "default DirectGLES"},
    {"credit", MGC_PARAM_INT, true, 1, 8, NULL, "frames in flight"},
    {"width", MGC_PARAM_INT, true, 1, SIDE_MAX, NULL, "of the surface"},
    {"height", MGC_PARAM_INT, true, 1, SIDE_MAX, NULL, "of the surface"},
    {"target_call", MGC_PARAM_INT, false, 0, INT64_MAX, NULL, "call to compare at (ssim)"},
    {"crop_x", MGC_PARAM_INT, false, 0, SIDE_MAX, NULL, "part to compare (ssim)"},
    {"crop_y", MGC_PARAM_INT, false, 0, SIDE_MAX, NULL, NULL},
    {"crop_width", MGC_PARAM_INT, false, 0, SIDE_MAX, NULL, "0: all of it"},
    {"crop_height", MGC_PARAM_INT, false, 0, SIDE_MAX, NULL, NULL},
    {"benchmark_finish", MGC_PARAM_BOOL, false, 0, 0, NULL, "glFinish per frame, default true"},
    {"benchmark_tail_frames", MGC_PARAM_INT, false, 1, 1000000, NULL, "default 200"},
    {"ssim_threshold", MGC_PARAM_DOUBLE, false, 0, 0, check_ratio, "default 0.99"},
    {"barrier", MGC_PARAM_STRING, false, 1, 64, NULL, "where to arrive when prepared"},
    {"timeout_ms", MGC_PARAM_INT, true, 1, 24 * 3600 * 1000, NULL, "the client's own limit"},
    {0},
};

/* All that may be there afterwards; what is not is simply missing in the manifest. */
static const char *const artifacts[] = {"rc.txt", "mobilegl.log", "mobilegl.client.log",
    "mobilegl.server.log", "result.json", "benchmark.json", "retrace.log", "actual.png",
    "diff.png"};
/* Those that grow while it runs. */
static const char *const logs[] = {"mobilegl.log", "mobilegl.client.log", "retrace.log"};

static void read_params(const struct mgc_task *task, struct mgc_replay_params *params)
{
    const char *backend = mgc_task_str(task, "backend");
    *params = (struct mgc_replay_params){
        .mode = strcmp(mgc_task_str(task, "mode"), "ssim") == 0 ? MGC_REPLAY_SSIM
                                                                : MGC_REPLAY_BENCHMARK,
        .client = mgc_task_str(task, "client"),
        .library = mgc_task_str(task, "library"),
        .trace = mgc_task_str(task, "trace"),
        .golden = mgc_task_str(task, "golden"),
        .output = mgc_task_dir(task),
        .address = mgc_task_str(task, "address"),
        .token = mgc_task_str(task, "token"),
        .backend = backend ? backend : "DirectGLES",
        .port = mgc_task_int_or(task, "port", 0),
        .credit = mgc_task_int_or(task, "credit", 0),
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

static bool hash_input(
    struct mgc_task *task, const char *what, const char *path, struct mgc_error *err)
{
    char hex[MGC_SHA256_HEX_SIZE], fact[32];
    if (mgc_task_stopped(task))
        return mgc_task_stop_error(task, err);
    if (!mgc_replay_input(what, path, hex, err))
        return false;
    snprintf(fact, sizeof(fact), "%s_sha256", what);
    return mgc_fields_set_str(mgc_task_facts(task), fact, hex) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "%s: out of memory", what);
}

static bool prepare(
    struct mgc_task *task, const struct mgc_replay_params *params, struct mgc_error *err)
{
    for (size_t i = 0; i < sizeof(artifacts) / sizeof(artifacts[0]); i++) {
        if (!mgc_task_artifact(task, artifacts[i], err))
            return false;
    }
    if (!mgc_replay_check(params, err) || !hash_input(task, "client", params->client, err) ||
        !hash_input(task, "library", params->library, err) ||
        !hash_input(task, "trace", params->trace, err))
        return false;
    return params->mode != MGC_REPLAY_SSIM || hash_input(task, "golden", params->golden, err);
}

static struct mgc_process *start(
    struct mgc_task *task, const struct mgc_replay_params *params, struct mgc_error *err)
{
    char log_path[MGC_PATH_MAX];
    struct mgc_replay_strings args = {0}, env = {0};
    struct mgc_process *process = NULL;
    if (!mgc_path_join(log_path, sizeof(log_path), params->output, "mobilegl.log")) {
        mgc_error_set(err, MGC_E_CONFIG, "path of '%s' is too long", params->output);
    } else if (!mgc_replay_args(params, &args) || !mgc_replay_env(params, &env)) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "start the client: out of memory");
    } else {
        struct mgc_process_spec spec = {.argv = (const char *const *)args.items,
            .env = (const char *const *)env.items,
            .cwd = params->output,
            .stdout_path = log_path,
            .stderr_path = log_path,
            .file_size_max = FILE_SIZE_MAX,
            .no_core = true, /* the token is in its environment */
            .die_with_us = true};
        process = mgc_process_start(&spec, err);
    }
    mgc_replay_strings_destroy(&args);
    mgc_replay_strings_destroy(&env);
    return process;
}

/* die_with_us ends the client when we die; the journal is for what it may have started itself, and
 * for a client that was just being started. */
static bool journal_process(struct mgc_task *task, const struct mgc_process *process,
    uint64_t *ret_entry, struct mgc_error *err)
{
    const struct mgc_wsl_worker *worker = mgc_task_worker(task);
    struct mgc_fields before = {0};
    uint64_t ticks = 0;
    if (!mgc_process_start_time(mgc_process_pid(process), &ticks))
        return mgc_error_set(err, MGC_E_LOST, "the client was gone before it could be journaled");
    bool ok = mgc_fields_set_int(&before, "pid", mgc_process_pid(process)) &&
              mgc_fields_set_int(&before, "start_ticks", (int64_t)ticks) &&
              mgc_fields_set_str(&before, "boot_id", worker->boot_id) &&
              mgc_fields_set_str(&before, "dir", mgc_task_dir(task));
    ok = ok ? mgc_task_journal(task, "process.kill", &before, ret_entry, err)
            : mgc_error_set(err, MGC_E_NO_MEMORY, "journal the client: out of memory");
    mgc_fields_destroy(&before);
    return ok;
}

bool mgc_wsl_process_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    const struct mgc_wsl_worker *wsl = worker;
    int64_t pid, ticks;
    const char *boot_id = mgc_fields_get_str(before, "boot_id");
    if (!boot_id || !mgc_fields_get_int(before, "pid", &pid) ||
        !mgc_fields_get_int(before, "start_ticks", &ticks))
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "expected the fields pid, start_ticks and boot_id");
    if (strcmp(boot_id, wsl->boot_id) != 0)
        return true; /* pids of another boot mean nothing */
    return mgc_process_kill_stale(pid, (uint64_t)ticks, mgc_fields_get_str(before, "dir"), err);
}

static uint64_t log_bytes(const char *dir)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
        char path[MGC_PATH_MAX];
        uint64_t size;
        if (mgc_path_join(path, sizeof(path), dir, logs[i]) && mgc_file_size(path, &size, NULL))
            sum += size;
    }
    return sum;
}

struct progress {
    uint64_t said;   /* bytes of the last event */
    int64_t next_ns; /* not before this */
};

static void report_progress(struct mgc_task *task, struct progress *progress)
{
    struct mgc_fields fields = {0};
    uint64_t bytes = log_bytes(mgc_task_dir(task));
    if (bytes == progress->said || !mgc_deadline_past(progress->next_ns))
        return;
    progress->said = bytes;
    progress->next_ns = mgc_deadline_in_ms(PROGRESS_MS);
    /* An event that cannot be made is no reason to end a measurement. */
    if (mgc_fields_set_int(&fields, "done", (int64_t)bytes) &&
        mgc_fields_set_str(&fields, "unit", "bytes of log"))
        mgc_task_event(task, "progress", &fields, NULL);
    mgc_fields_destroy(&fields);
}

enum end { ENDED, TIMED_OUT, STOPPED };

static enum end watch(struct mgc_task *task, struct mgc_process *process, int64_t deadline_ns)
{
    struct progress progress = {0};
    int fds[] = {mgc_process_fd(process), mgc_task_stop_fd(task)};
    for (;;) {
        int64_t look_ns = mgc_deadline_min(deadline_ns, mgc_deadline_in_ms(LOOK_MS));
        int which = mgc_wait_readable(fds, 2, look_ns);
        if (which == 0)
            return ENDED;
        if (which == 1)
            return STOPPED;
        if (mgc_deadline_past(deadline_ns))
            return TIMED_OUT;
        report_progress(task, &progress);
    }
}

static bool write_rc(struct mgc_task *task, const struct mgc_exit *exit, bool timed_out,
    int64_t wall_ns, struct mgc_error *err)
{
    char text[64], path[MGC_PATH_MAX];
    mgc_replay_rc_text(exit, timed_out, wall_ns, text, sizeof(text));
    return mgc_path_join(path, sizeof(path), mgc_task_dir(task), "rc.txt") &&
           mgc_file_write(path, text, strlen(text), 0600, err);
}

static bool record_end(struct mgc_task *task, struct mgc_process *process, enum end end,
    int64_t wall_ns, struct mgc_error *err)
{
    struct mgc_fields *facts = mgc_task_facts(task);
    struct mgc_exit exit = {.kind = MGC_EXIT_CODE};
    char text[64];
    bool ok = mgc_fields_set_double(facts, "wall_s", (double)wall_ns / 1e9);
    if (end == TIMED_OUT) {
        mgc_warn("the client ran into its limit and was ended");
        ok = ok && mgc_fields_set_bool(facts, "timed_out", true);
    } else if (!mgc_process_wait(process, mgc_deadline_in_ms(STOP_GRACE_MS), &exit, err)) {
        return false;
    } else {
        mgc_info("the client ended with %s after %.1f s", mgc_exit_text(&exit, text, sizeof(text)),
            (double)wall_ns / 1e9);
        ok = ok &&
             mgc_fields_set_int(facts, exit.kind == MGC_EXIT_CODE ? "rc" : "signal", exit.value);
    }
    if (!ok)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "record the client's end: out of memory");
    return write_rc(task, &exit, end == TIMED_OUT, wall_ns, err);
}

static bool run_client(struct mgc_task *task, struct mgc_process *process, struct mgc_error *err)
{
    int64_t begin_ns = mgc_mono_ns();
    int64_t deadline_ns = mgc_deadline_in_ms(mgc_task_int_or(task, "timeout_ms", 0));
    uint64_t entry;
    if (!journal_process(task, process, &entry, err)) {
        mgc_process_stop(process, 0);
        return false;
    }
    enum end end = watch(task, process, deadline_ns);
    int64_t wall_ns = mgc_mono_ns() - begin_ns;
    bool ok = end != STOPPED ? record_end(task, process, end, wall_ns, err)
                             : mgc_task_stop_error(task, err);
    mgc_process_stop(process, STOP_GRACE_MS); /* and what it started */
    return mgc_task_journal_drop(task, entry, ok ? err : NULL) && ok;
}

bool mgc_wsl_replay_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_replay_params params;
    const char *barrier = mgc_task_str(task, "barrier");
    read_params(task, &params);
    if (!prepare(task, &params, err) || (barrier && !mgc_task_barrier(task, barrier, NULL, err)))
        return false;
    struct mgc_process *process = start(task, &params, err);
    if (!process)
        return false;
    bool ok = run_client(task, process, err);
    mgc_process_free(process);
    return ok;
}
