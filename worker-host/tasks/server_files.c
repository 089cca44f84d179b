#include "worker-host/tasks/server_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/device/errnum.h"
#include "worker-host/adb/appfile.h"

#define FILE_MAX_BYTES (INT64_C(1) << 30)

bool mgc_server_files_list(
    const struct mgc_task *task, struct mgc_host_files *ret_files, struct mgc_error *err)
{
    const char *more = mgc_task_str(task, "files");
    struct mgc_buf text = {0};
    bool ok = (mgc_buf_printf(&text, MGC_SERVER_LOG_NAME "=" MGC_SERVER_LOG_NAME "%s%s",
                   more && *more ? "," : "", more ? more : "") ||
                  mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a list of files")) &&
              mgc_host_files_parse(mgc_buf_text(&text), ret_files, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_server_files_declare(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_host_files files;
    bool ok = mgc_server_files_list(task, &files, err);
    for (size_t i = 0; ok && i < files.count; i++)
        ok = mgc_task_artifact(task, files.items[i].name, err);
    return ok;
}

struct pulling {
    struct mgc_task *task; /* borrowed */
    struct mgc_host_files files;
    struct mgc_helper_file items[MGC_HOST_FILES_MAX];
    char remote[MGC_HOST_FILES_MAX][MGC_HOST_FILE_TEXT_MAX + 300];
    char local[MGC_HOST_FILES_MAX][MGC_PATH_MAX];
};

static bool name_all(struct pulling *pulling, struct mgc_error *err)
{
    const char *package = mgc_task_str(pulling->task, "package");
    bool ok = mgc_server_files_list(pulling->task, &pulling->files, err);
    for (size_t i = 0; ok && i < pulling->files.count; i++) {
        const struct mgc_host_file_item *item = &pulling->files.items[i];
        snprintf(pulling->remote[i], sizeof(pulling->remote[i]), "/data/user/0/%s/files/%s",
            package, item->path);
        ok = mgc_host_file(pulling->task, item->name, pulling->local[i], err);
        pulling->items[i] = (struct mgc_helper_file){
            .name = pulling->remote[i], .local = pulling->local[i], .size_bytes = -1};
    }
    return ok;
}

/* All of them in one request. */
static bool by_helper(struct pulling *pulling, struct mgc_helper *helper,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    if (!mgc_helper_read(
            helper, NULL, pulling->items, pulling->files.count, FILE_MAX_BYTES, wait, err))
        return false;
    for (size_t i = 0; i < pulling->files.count; i++) {
        const struct mgc_helper_file *file = &pulling->items[i];
        if (file->state != MGC_DEVICE_PRESENT && file->state != MGC_DEVICE_ABSENT)
            return mgc_error_set(err, MGC_E_INTEGRITY, "device %s: \"%s\" is %s%s%s",
                mgc_task_str(pulling->task, "serial"), file->name,
                mgc_device_state_name(file->state), file->errnum ? ", " : "",
                file->errnum ? mgc_device_errnum_name(file->errnum) : "");
    }
    return true;
}

static bool by_shell(
    struct pulling *pulling, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_appfile file;
    for (size_t i = 0; i < pulling->files.count; i++) {
        if (!mgc_adb_appfile_pull(mgc_host_adb(pulling->task),
                mgc_task_str(pulling->task, "serial"), mgc_task_str(pulling->task, "package"),
                pulling->remote[i], pulling->local[i], wait, &file, err))
            return false;
        pulling->items[i].state = file.exists ? MGC_DEVICE_PRESENT : MGC_DEVICE_ABSENT;
    }
    return true;
}

static bool tell_missing(struct pulling *pulling, struct mgc_error *err)
{
    struct mgc_buf names = {0};
    for (size_t i = 0; i < pulling->files.count; i++)
        if (pulling->items[i].state == MGC_DEVICE_ABSENT)
            mgc_buf_printf(&names, "%s%s", names.len ? "," : "", pulling->files.items[i].name);
    bool ok = mgc_buf_ok(&names) && (!names.len || mgc_fields_set_str(mgc_task_facts(pulling->task),
                                                       "missing_files", mgc_buf_text(&names)));
    mgc_buf_destroy(&names);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for facts");
}

bool mgc_server_files_pull(struct mgc_task *task, struct mgc_helper *helper,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct pulling *pulling = calloc(1, sizeof(*pulling));
    if (!pulling)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for pulling files");
    pulling->task = task;
    bool ok =
        name_all(pulling, err) &&
        ((helper && by_helper(pulling, helper, wait, NULL)) || by_shell(pulling, wait, err)) &&
        tell_missing(pulling, err);
    free(pulling);
    return ok;
}
