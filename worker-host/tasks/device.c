/* host.device: what the phone is and how it is doing, in one shell stream. */
#include <string.h>

#include "worker-host/adb/devices.h"
#include "worker-host/adb/shell.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/device_report.h"

const struct mgc_param mgc_host_device_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app to report on"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

/* What the adb server knows. */
static bool adb_facts(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(task, -1);
    struct mgc_fields *facts = mgc_task_facts(task);
    struct mgc_buf features = {.max = 4096};
    unsigned version;
    bool ok = mgc_adb_server_version(mgc_host_adb(task), &version, &wait, err) &&
              mgc_adb_device_features(
                  mgc_host_adb(task), mgc_task_str(task, "serial"), &features, &wait, err);
    if (ok && (!mgc_fields_setf(facts, "adb_version", "1.0.%u", version) ||
                  !mgc_fields_set_str(facts, "adb_features", mgc_buf_text(&features))))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "host.device: no memory for facts");
    mgc_buf_destroy(&features);
    return ok;
}

/* What the phone says of itself. */
static bool phone_facts(struct mgc_task *task, struct mgc_error *err)
{
    const char *serial = mgc_task_str(task, "serial");
    struct mgc_adb_wait wait = mgc_host_wait(task, MGC_ADB_SHELL_MS);
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    bool ok = mgc_device_report_script(&script, mgc_task_str(task, "package")) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "host.device: no memory");
    ok = ok &&
         mgc_adb_run(mgc_host_adb(task), serial, mgc_buf_text(&script), NULL, &wait, &result, err);
    ok = ok && mgc_device_report_parse(mgc_buf_text(&result.out), mgc_task_facts(task), err);
    if (ok && !strstr(mgc_buf_text(&result.out), "mgc:end"))
        ok = mgc_error_set(err, MGC_E_PROTOCOL,
            "device %s: its report is not complete (exit code %d)", serial, result.exit_code);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok;
}

bool mgc_host_device_run(struct mgc_task *task, struct mgc_error *err)
{
    bool ok = mgc_host_device_ready(task, err) && adb_facts(task, err) && phone_facts(task, err);
    return mgc_host_done(task, ok, err);
}
