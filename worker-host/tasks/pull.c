/* host.pull: one file of the app with length and hash proved. */
#include "worker-host/adb/appfile.h"
#include "worker-host/tasks/common.h"

const struct mgc_param mgc_host_pull_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app that owns the file"},
    {"path", MGC_PARAM_STRING, true, 2, 1000, mgc_host_check_path, "file on the phone"},
    {"name", MGC_PARAM_STRING, true, 1, 200, mgc_host_check_file_name, "name of the artifact"},
    {0},
};

static bool add_facts(
    struct mgc_fields *facts, const struct mgc_adb_appfile *file, struct mgc_error *err)
{
    bool ok = mgc_fields_set_int(facts, "size_bytes", (int64_t)file->bytes) &&
              mgc_fields_set_str(facts, "sha256", file->sha256) &&
              mgc_fields_set_str(
                  facts, "proof", file->proof == MGC_ADB_PROOF_SHA256 ? "sha256" : "cksum");
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.pull: no memory for facts");
}

static bool pull(struct mgc_task *task, struct mgc_error *err)
{
    const char *serial = mgc_task_str(task, "serial");
    const char *path = mgc_task_str(task, "path");
    const char *name = mgc_task_str(task, "name");
    char local[MGC_PATH_MAX];
    struct mgc_adb_appfile file;
    struct mgc_adb_wait wait = mgc_host_wait(task, -1);
    if (!mgc_host_device_ready(task, err) || !mgc_host_file(task, name, local, err))
        return false;
    if (!mgc_adb_appfile_pull(mgc_host_adb(task), serial, mgc_task_str(task, "package"), path,
            local, &wait, &file, err))
        return false;
    if (!file.exists)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "device %s: \"%s\" of %s is absent", serial,
            path, mgc_task_str(task, "package"));
    return add_facts(mgc_task_facts(task), &file, err) && mgc_task_artifact(task, name, err);
}

bool mgc_host_pull_run(struct mgc_task *task, struct mgc_error *err)
{
    return mgc_host_done(task, pull(task, err), err);
}
