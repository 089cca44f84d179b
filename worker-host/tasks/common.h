/* What every task of this worker does first, and small conversions. Task's thread. */
#ifndef MGC_HOST_TASKS_COMMON_H
#define MGC_HOST_TASKS_COMMON_H

#include "common/base/path.h"
#include "worker-host/tasks/tasks.h"

enum {
    MGC_HOST_BOOT_ID_SIZE = 64, /* a uuid and more */
    MGC_HOST_PACKAGES_MAX = 16,
};

/* Checks of quote.h as checks of a parameter table. */
bool mgc_host_check_serial(const struct mgc_value *value, struct mgc_error *err);
bool mgc_host_check_package(const struct mgc_value *value, struct mgc_error *err);
bool mgc_host_check_path(const struct mgc_value *value, struct mgc_error *err);
bool mgc_host_check_env(const struct mgc_value *value, struct mgc_error *err);
bool mgc_host_check_endpoint(const struct mgc_value *value, struct mgc_error *err);
bool mgc_host_check_filter(const struct mgc_value *value, struct mgc_error *err);
bool mgc_host_check_file_name(const struct mgc_value *value, struct mgc_error *err);
/* Packages joined by commas, 1 to MGC_HOST_PACKAGES_MAX of them. */
bool mgc_host_check_packages(const struct mgc_value *value, struct mgc_error *err);
bool mgc_host_check_local_path(const struct mgc_value *value, struct mgc_error *err);

struct mgc_adb *mgc_host_adb(const struct mgc_task *task);
/* A wait that ends with the task, or `ms` from now (-1: just with the task). */
struct mgc_adb_wait mgc_host_wait(const struct mgc_task *task, int64_t ms);
/* Connect the device of parameter "serial" if need be, and wait for it: for as long as parameter
 * device_timeout_ms says, 10 s without it. */
bool mgc_host_device_ready(const struct mgc_task *task, struct mgc_error *err);
/* A call of this task failed: when the task was told to stop, say why instead. Returns false. */
bool mgc_host_failed(const struct mgc_task *task, struct mgc_error *err);
/* The end of every task: adds the fact adb_streams, and says why it was stopped when it was.
 * Returns `ok`. */
bool mgc_host_done(struct mgc_task *task, bool ok, struct mgc_error *err);
/* Path of a file in the task's directory. */
bool mgc_host_file(const struct mgc_task *task, const char *name, char ret_path[MGC_PATH_MAX],
    struct mgc_error *err);

#endif
