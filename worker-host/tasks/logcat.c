/* host.logcat: the phone's log, from now until finish, by a reader that does nothing else. */
#include "common/base/clock.h"
#include "common/base/log.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/logcat.h"
#include "worker-host/tasks/common.h"

#define USUAL_NAME "phone-logcat.txt"

enum { OPEN_MS = 15000, READ_MS = 10000, FINISH_MS = 5000, BACK_MS = 15000 };

const struct mgc_param mgc_host_logcat_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {"filter", MGC_PARAM_STRING, false, 0, 1000, mgc_host_check_filter,
        "logcat filter specs, such as \"MobileGL:V *:S\"; absent: everything"},
    {"name", MGC_PARAM_STRING, false, 1, 127, mgc_host_check_file_name,
        "of the file; absent: " USUAL_NAME},
    {0},
};

/* The stream broke. A device that comes back soon goes on with a counted gap. */
static bool come_back(struct mgc_task *task, struct mgc_adb_log *log, struct mgc_error *err)
{
    struct mgc_error why = *err;
    struct mgc_adb_wait wait =
        mgc_host_wait(task, mgc_task_int_or(task, "device_timeout_ms", BACK_MS));
    mgc_warn("%s; waiting for the device", err->text);
    if (mgc_adb_device_ready(mgc_host_adb(task), mgc_task_str(task, "serial"), &wait, err) &&
        mgc_adb_log_reopen(log, &wait, err))
        return true;
    if (!mgc_task_stopped(task))
        *err = why;
    return false;
}

/* Wait for log, stop or finish; true with *ret_done on finish. */
static bool follow(
    struct mgc_task *task, struct mgc_adb_log *log, bool *ret_done, struct mgc_error *err)
{
    mgc_socket sockets[3] = {
        mgc_adb_log_socket(log), mgc_task_stop_fd(task), mgc_task_finish_fd(task)};
    bool ready[3] = {mgc_adb_log_buffered(log), false, false};
    if (!ready[0] && !mgc_net_wait_readable(sockets, ready, 3, mgc_task_deadline(task, -1), err))
        return err->code == MGC_E_TIMEOUT ? mgc_task_stop_error(task, err) : false;
    if (ready[1])
        return mgc_task_stop_error(task, err);
    if (ready[2]) {
        *ret_done = true;
        return true;
    }
    struct mgc_adb_wait wait = mgc_host_wait(task, READ_MS);
    return mgc_adb_log_read(log, &wait, err) ||
           (err->code == MGC_E_LOST && come_back(task, log, err));
}

/* To the end, also when the task was stopped: what was logged until then is what people look for
 * after a failure. */
static bool end_log(struct mgc_adb_log *log, bool ok, struct mgc_error *err)
{
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(FINISH_MS), -1};
    struct mgc_error why;
    if (!ok)
        return mgc_adb_log_finish(log, &wait, &why);
    return mgc_adb_log_finish(log, &wait, err);
}

static bool add_facts(
    struct mgc_task *task, const struct mgc_adb_log *log, bool complete, struct mgc_error *err)
{
    const struct mgc_adb_logscan *scan = mgc_adb_log_scan(log);
    struct mgc_fields *facts = mgc_task_facts(task);
    bool ok = mgc_fields_set_int(facts, "lines", (int64_t)scan->lines) &&
              mgc_fields_set_int(facts, "bytes", (int64_t)scan->bytes) &&
              mgc_fields_set_int(facts, "gaps", (int64_t)scan->gaps) &&
              mgc_fields_set_bool(facts, "complete", complete);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.logcat: no memory for facts");
}

static bool run_log(struct mgc_task *task, struct mgc_adb_log *log, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(task, OPEN_MS);
    bool done = false;
    bool ok = mgc_adb_log_open(log, &wait, err) || mgc_host_failed(task, err);
    if (!ok)
        return false;
    ok = mgc_task_event(task, "ready", NULL, err);
    while (ok && !done)
        ok = follow(task, log, &done, err);
    struct mgc_error end_why = {0};
    bool complete = (ok || err->code != MGC_E_LOST) && end_log(log, ok, &end_why);
    bool facts = add_facts(task, log, complete, ok ? err : NULL);
    if (ok && !complete) {
        *err = end_why;
        return mgc_error_prefix(err, "the log has no proved end");
    }
    return ok && facts;
}

static bool write_log(struct mgc_task *task, struct mgc_error *why)
{
    char path[MGC_PATH_MAX];
    const char *given = mgc_task_str(task, "name"), *name = given ? given : USUAL_NAME;
    if (!mgc_host_device_ready(task, why) || !mgc_host_file(task, name, path, why) ||
        !mgc_task_artifact(task, name, why))
        return false;
    struct mgc_adb_log_spec spec = {.filter = mgc_task_str(task, "filter"), .path = path};
    struct mgc_adb_log *log =
        mgc_adb_log_new(mgc_host_adb(task), mgc_task_str(task, "serial"), &spec, why);
    bool ok = log && run_log(task, log, why);
    mgc_adb_log_free(log);
    return ok;
}

bool mgc_host_logcat_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    return mgc_host_done(task, write_log(task, why), why);
}
