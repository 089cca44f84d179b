#include "worker-host/tasks/common.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/quote.h"

enum { DEVICE_READY_MS = 10000 };

bool mgc_host_check_serial(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_adb_check_serial(value->string, err);
}

bool mgc_host_check_package(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_adb_check_package(value->string, err);
}

bool mgc_host_check_path(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_adb_check_path(value->string, err);
}

bool mgc_host_check_env(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_adb_check_env(value->string, err);
}

bool mgc_host_check_endpoint(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_adb_check_endpoint(value->string, err);
}

bool mgc_host_check_filter(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_adb_check_filter(value->string, err);
}

bool mgc_host_check_file_name(const struct mgc_value *value, struct mgc_error *err)
{
    if (mgc_path_is_safe(value->string) && !strchr(value->string, '/'))
        return true;
    return mgc_error_set(
        err, MGC_E_USAGE, "expected a plain file name of letters, digits and ._+@-");
}

bool mgc_host_check_packages(const struct mgc_value *value, struct mgc_error *err)
{
    char name[256];
    size_t count = 0;
    for (const char *at = value->string; at; count++) {
        size_t len = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)len, at);
        if (len >= sizeof(name) || !mgc_adb_check_package(name, err))
            return mgc_error_set(
                err, MGC_E_USAGE, "expected package names joined by commas, got \"%.60s\"", name);
        at = at[len] ? at + len + 1 : NULL;
    }
    return count <= MGC_HOST_PACKAGES_MAX ||
           mgc_error_set(err, MGC_E_USAGE, "expected at most %d packages", MGC_HOST_PACKAGES_MAX);
}

/* Of the machine that the worker runs on: /x, C:\x, C:/x or \\server\x. */
bool mgc_host_check_local_path(const struct mgc_value *value, struct mgc_error *err)
{
    const char *path = value->string;
    bool drive = ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z') && path[1] == ':' &&
                 (path[2] == '\\' || path[2] == '/');
    return path[0] == '/' || drive || strncmp(path, "\\\\", 2) == 0 ||
           mgc_error_set(err, MGC_E_USAGE, "expected an absolute path, got \"%.100s\"", path);
}

struct mgc_adb *mgc_host_adb(const struct mgc_task *task)
{
    struct mgc_host_worker *worker = mgc_task_worker(task);
    return worker->adb;
}

struct mgc_adb_wait mgc_host_wait(const struct mgc_task *task, int64_t ms)
{
    return (struct mgc_adb_wait){mgc_task_deadline(task, ms), mgc_task_stop_fd(task)};
}

bool mgc_host_failed(const struct mgc_task *task, struct mgc_error *err)
{
    if (mgc_task_stopped(task) || (err && err->code == MGC_E_CANCELLED))
        return mgc_task_stop_error(task, err);
    return false;
}

bool mgc_host_done(struct mgc_task *task, bool ok, struct mgc_error *err)
{
    uint64_t streams = mgc_adb_streams_of_thread();
    mgc_fields_set_int(mgc_task_facts(task), "adb_streams", (int64_t)streams);
    return ok || mgc_host_failed(task, err);
}

bool mgc_host_device_ready(const struct mgc_task *task, struct mgc_error *err)
{
    int64_t limit_ms = mgc_task_int_or(task, "device_timeout_ms", DEVICE_READY_MS);
    struct mgc_adb_wait wait = mgc_host_wait(task, limit_ms);
    return mgc_adb_device_ready(mgc_host_adb(task), mgc_task_str(task, "serial"), &wait, err) ||
           mgc_host_failed(task, err);
}

bool mgc_host_file(const struct mgc_task *task, const char *name, char ret_path[MGC_PATH_MAX],
    struct mgc_error *err)
{
    return mgc_path_join(ret_path, MGC_PATH_MAX, mgc_task_dir(task), name) ||
           mgc_error_set(err, MGC_E_FAILED, "the path of \"%s\" is too long", name);
}
