#include "worker-host/tasks/installed.h"

#include <string.h>

#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"
#include "worker-host/tasks/server_why.h"

bool mgc_host_not_installed(struct mgc_task *task, const char *package, struct mgc_error *err)
{
    mgc_server_why(task, "not-installed");
    return mgc_error_set(err, MGC_E_NOT_FOUND, "device %s: the app %s is not installed",
        mgc_task_str(task, "serial"), package);
}

/* Only an answer counts: pm prints no path, by itself, and its shell ends. */
bool mgc_host_is_missing(struct mgc_task *task, const char *package)
{
    const char *const argv[] = {"pm", "path", package, NULL};
    struct mgc_buf command = {0};
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = mgc_host_wait(task, MGC_ADB_QUERY_MS);
    bool asked = mgc_adb_quote_all(&command, argv) &&
                 mgc_buf_puts(&command, " 2>/dev/null; echo mgc:end") &&
                 mgc_adb_run(mgc_host_adb(task), mgc_task_str(task, "serial"),
                     mgc_buf_text(&command), NULL, &wait, &result, NULL);
    const char *said = mgc_buf_text(&result.out);
    bool missing = asked && strstr(said, "mgc:end") && !strstr(said, "package:");
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&command);
    return missing;
}

bool mgc_host_installed_or(struct mgc_task *task, const char *package, struct mgc_error *err)
{
    if (!mgc_task_stopped(task) && err->code != MGC_E_LOST && mgc_host_is_missing(task, package))
        mgc_host_not_installed(task, package, err);
    return false;
}
