#include "worker-host/tasks/server_why.h"

#include <stdio.h>
#include <string.h>

#include "worker-host/adb/devices.h"
#include "worker-host/adb/shell.h"

enum { SHOWN = 8 };

void mgc_server_why(struct mgc_task *task, const char *word)
{
    struct mgc_fields *facts = mgc_task_facts(task);
    if (!mgc_fields_get(facts, MGC_SERVER_FACT_FAILURE))
        mgc_fields_set_str(facts, MGC_SERVER_FACT_FAILURE, word);
}

/* Empty when the device does not say it. */
static void read_boot_id(struct mgc_task *task, char *ret_id, size_t size)
{
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = mgc_host_wait(task, MGC_ADB_QUERY_MS);
    ret_id[0] = '\0';
    if (mgc_adb_run(mgc_host_adb(task), mgc_task_str(task, "serial"),
            "cat /proc/sys/kernel/random/boot_id", NULL, &wait, &result, NULL) &&
        result.exit_code == 0)
        snprintf(ret_id, size, "%.*s", (int)strcspn(mgc_buf_text(&result.out), "\r\n"),
            mgc_buf_text(&result.out));
    mgc_adb_result_destroy(&result);
}

enum mgc_server_lost mgc_server_why_lost(
    struct mgc_task *task, const char *boot_id, struct mgc_error *err)
{
    char now[MGC_HOST_BOOT_ID_SIZE];
    struct mgc_error why = *err;
    if (mgc_task_stopped(task) || !mgc_host_device_ready(task, NULL))
        return MGC_SERVER_AWAY;
    read_boot_id(task, now, sizeof(now));
    if (!boot_id[0] || !now[0] || strcmp(now, boot_id) == 0)
        return MGC_SERVER_BACK;
    mgc_server_why(task, "rebooted");
    mgc_fields_set_str(mgc_task_facts(task), "boot_id_after", now);
    mgc_error_set(err, MGC_E_LOST, "device %s has rebooted (boot id %.*s, before %.*s): %s",
        mgc_task_str(task, "serial"), SHOWN, now, SHOWN, boot_id, why.text);
    return MGC_SERVER_REBOOTED;
}
