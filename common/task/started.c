#include "common/task/started.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/task/lines.h"

enum { STARTED_SIZE_MAX = 16 * 1024 };

bool mgc_started_write(
    const char *dir, const char *run_id, const char *kind, const char *label, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf out = {0};
    mgc_lines_put(&out, "run", run_id);
    mgc_lines_put(&out, "kind", kind);
    mgc_lines_put(&out, "label", label);
    bool ok = mgc_path_join(path, sizeof(path), dir, "started") && mgc_buf_ok(&out);
    if (!ok)
        mgc_error_set(err, MGC_E_FAILED, "'%s': path or label is too long", dir);
    ok = ok && mgc_file_write(path, mgc_buf_text(&out), out.len, 0600, err);
    mgc_buf_destroy(&out);
    return ok;
}

static int64_t count_files(const char *dir)
{
    char path[MGC_PATH_MAX];
    struct mgc_dir_names names;
    if (!mgc_path_join(path, sizeof(path), dir, "files") || !mgc_dir_list(path, &names, NULL))
        return 0;
    int64_t count = (int64_t)names.count;
    mgc_dir_names_destroy(&names);
    return count;
}

bool mgc_started_result(const char *dir, uint64_t task_id, const struct mgc_undo_report *undo,
    const struct mgc_error *why, struct mgc_msg *ret_result, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    if (!mgc_path_join(path, sizeof(path), dir, "started"))
        return mgc_error_set(err, MGC_E_CONFIG, "path '%s' is too long", dir);
    /* Without the file run and label stay empty; the result is due all the same. */
    mgc_file_read(path, STARTED_SIZE_MAX, &text, NULL);
    bool cut_off = why->code == MGC_E_NOT_FOUND;
    *ret_result = (struct mgc_msg){.kind = MGC_MSG_RESULT};
    struct mgc_msg_result *result = &ret_result->result;
    result->task_id = task_id;
    result->code = cut_off ? MGC_E_LOST : MGC_E_INTEGRITY;
    result->text = strdup(cut_off ? "the worker ended while the task ran" : why->text);
    result->run_id = mgc_lines_take(mgc_buf_text(&text), "run");
    result->undo_done = undo->done;
    result->undo_failed = undo->failed;
    result->undo_text = strdup(undo->text);
    char *label = mgc_lines_take(mgc_buf_text(&text), "label");
    bool ok = label && result->text && result->run_id && result->undo_text &&
              mgc_fields_set_bool(&result->facts, "interrupted", true) &&
              mgc_fields_set_int(&result->facts, "files_left", count_files(dir)) &&
              mgc_fields_set_str(&result->facts, "label", label);
    free(label);
    mgc_buf_destroy(&text);
    if (ok)
        return true;
    mgc_msg_destroy(ret_result);
    return mgc_error_set(
        err, MGC_E_NO_MEMORY, "result of task %llx: out of memory", (unsigned long long)task_id);
}
