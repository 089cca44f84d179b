/* The device helper for a task: opened with the task's waits, where host.helper has put it. */
#ifndef MGC_HOST_HELPER_OPEN_H
#define MGC_HOST_HELPER_OPEN_H

#include "worker-host/helper/helper.h"
#include "worker-host/tasks/common.h"

/* As the app's user, or the shell's when package is NULL. NULL on failure. */
struct mgc_helper *mgc_host_helper_open(
    const struct mgc_task *task, const char *package, struct mgc_error *err);

/* After MGC_E_LOST in `err`: wait for the phone, within `deadline_ns` (mono) and device_timeout_ms,
 * and open the helper again. `boot_id` (empty: not known) must still be the phone's: else
 * MGC_E_LOST, the facts failure=rebooted and boot_id_after. NULL with the first error kept when the
 * phone does not come back. */
struct mgc_helper *mgc_host_helper_again(struct mgc_task *task, const char *package,
    const char *boot_id, int64_t deadline_ns, struct mgc_error *err);

/* What the device program cannot do here, a task may do without; what ails the device or the task
 * ails it as well. */
bool mgc_host_helper_is_no_need(const struct mgc_task *task, const struct mgc_error *err);

#endif
