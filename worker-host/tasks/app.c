/* host.app: which build of the app this is, and whether its files can be reached, in one shell
 * stream. The hashes go with every number that is measured (contract section 9, row 30). */
#include "worker-host/adb/shell.h"
#include "worker-host/tasks/app_report.h"
#include "worker-host/tasks/installed.h"

enum { REPORT_MS = 60000 }; /* an APK of some 100 MB is hashed meanwhile */

const struct mgc_param mgc_host_app_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app to report on"},
    {"optional", MGC_PARAM_BOOL, false, 0, 0, NULL,
        "default false; true: an app that is not installed is told as `missing`"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

static bool report(struct mgc_task *task, struct mgc_error *err)
{
    const char *serial = mgc_task_str(task, "serial"), *package = mgc_task_str(task, "package");
    struct mgc_adb_wait wait = mgc_host_wait(task, REPORT_MS);
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    bool ok = mgc_app_report_script(&script, package) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "host.app: no memory");
    ok = ok &&
         mgc_adb_run(mgc_host_adb(task), serial, mgc_buf_text(&script), NULL, &wait, &result, err);
    ok = ok && (mgc_app_report_parse(mgc_buf_text(&result.out), mgc_task_facts(task), err) ||
                   mgc_error_prefix(err, "device %s", serial));
    if (ok && !mgc_fields_get(mgc_task_facts(task), "apk_path"))
        ok = mgc_task_bool_or(task, "optional", false)
                 ? mgc_fields_set_str(mgc_task_facts(task), "missing", package)
                 : mgc_host_not_installed(task, package, err);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok;
}

bool mgc_host_app_run(struct mgc_task *task, struct mgc_error *err)
{
    return mgc_host_done(task, mgc_host_device_ready(task, err) && report(task, err), err);
}
