#include "common/task/salvage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/log.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"

static bool check_id(const struct mgc_value *value, struct mgc_error *err)
{
    uint64_t id;
    return (strlen(value->string) == 16 && mgc_parse_hex64(value->string, &id)) ||
           mgc_error_set(err, MGC_E_CONFIG, "expected the 16 hex digits of a task id");
}

const struct mgc_param mgc_salvage_params[] = {
    {"task", MGC_PARAM_STRING, true, 16, 16, check_id, "id of the task that was cut off"},
    {0},
};

/* RESULTS/OTHER/files beside our own RESULTS/ID/files. */
static bool other_files(
    const struct mgc_task *task, char *ret_path, size_t size, struct mgc_error *err)
{
    char results[MGC_PATH_MAX];
    snprintf(results, sizeof(results), "%s", mgc_task_dir(task));
    for (int up = 0; up < 2; up++)
        results[mgc_path_base(results) - results - 1] = '\0';
    int len = snprintf(ret_path, size, "%s/%s/files", results, mgc_task_str(task, "task"));
    return (size_t)len < size ||
           mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", results);
}

static bool declare_all(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_dir_names names;
    if (!mgc_dir_list(mgc_task_dir(task), &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        struct mgc_error why = {0};
        if (!mgc_task_artifact(task, names.names[i], &why))
            mgc_warn("%s: it is not brought", why.text);
    }
    mgc_dir_names_destroy(&names);
    return true;
}

/* The whole directory at once: a crash in between leaves it with the one or with the other. */
bool mgc_salvage_run(struct mgc_task *task, struct mgc_error *err)
{
    char from[MGC_PATH_MAX];
    if (!other_files(task, from, sizeof(from), err))
        return false;
    if (!mgc_file_exists(from))
        return mgc_error_set(
            err, MGC_E_NOT_FOUND, "task %s has left no files here", mgc_task_str(task, "task"));
    return mgc_dir_remove(mgc_task_dir(task), err) &&
           mgc_file_rename(from, mgc_task_dir(task), err) && declare_all(task, err);
}
