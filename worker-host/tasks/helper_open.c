#include "worker-host/tasks/helper_open.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "worker-host/adb/devices.h"
#include "worker-host/tasks/server_why.h"

enum { OPEN_MS = 15000, BACK_MS = 10000, SHOWN = 8 };

struct mgc_helper *mgc_host_helper_open(
    const struct mgc_task *task, const char *package, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(task, OPEN_MS);
    struct mgc_helper_place place = {.serial = mgc_task_str(task, "serial"), .package = package};
    return mgc_helper_open(mgc_host_adb(task), &place, &wait, err);
}

bool mgc_host_helper_is_no_need(const struct mgc_task *task, const struct mgc_error *err)
{
    return !mgc_task_stopped(task) && err->code != MGC_E_LOST && err->code != MGC_E_TIMEOUT &&
           err->code != MGC_E_CANCELLED;
}

static bool wait_for_phone(const struct mgc_task *task, int64_t deadline_ns, struct mgc_error *err)
{
    int64_t limit_ms = mgc_task_int_or(task, "device_timeout_ms", BACK_MS);
    struct mgc_adb_wait wait = mgc_host_wait(task, limit_ms);
    wait.deadline_ns = mgc_deadline_min(wait.deadline_ns, deadline_ns);
    return mgc_adb_device_ready(mgc_host_adb(task), mgc_task_str(task, "serial"), &wait, err);
}

static bool same_boot(struct mgc_task *task, const struct mgc_helper *helper, const char *boot_id,
    struct mgc_error *err)
{
    const char *now = mgc_helper_facts(helper)->boot_id;
    if (!boot_id[0] || !now[0] || strcmp(now, boot_id) == 0)
        return true;
    struct mgc_error why = *err;
    mgc_server_why(task, "rebooted");
    mgc_fields_set_str(mgc_task_facts(task), "boot_id_after", now);
    return mgc_error_set(err, MGC_E_LOST, "device %s has rebooted (boot id %.*s, before %.*s): %s",
        mgc_task_str(task, "serial"), SHOWN, now, SHOWN, boot_id, why.text);
}

struct mgc_helper *mgc_host_helper_again(struct mgc_task *task, const char *package,
    const char *boot_id, int64_t deadline_ns, struct mgc_error *err)
{
    struct mgc_error first = *err;
    struct mgc_helper *helper = NULL;
    mgc_warn("%s; waiting for the device", err->text);
    /* A phone that comes back may take its first streams down again. */
    while (!helper && !mgc_task_stopped(task) && wait_for_phone(task, deadline_ns, err)) {
        helper = mgc_host_helper_open(task, package, err);
        if (!helper && err->code != MGC_E_LOST)
            return NULL;
    }
    if (!helper) {
        if (!mgc_task_stopped(task))
            *err = first;
        return NULL;
    }
    *err = first;
    if (same_boot(task, helper, boot_id, err))
        return helper;
    mgc_helper_free(helper);
    return NULL;
}
