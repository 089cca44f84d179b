/* A worker with toy tasks, for test_worker.c: everything of a real one but what it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/task/wait.h"
#include "common/task/worker.h"

/* Leave a file of `size` bytes, of which the test knows what they are. */
static bool run_file(struct mgc_task *task, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf data = {0};
    for (int64_t i = 0; i < mgc_task_int_or(task, "size", 0); i++)
        mgc_buf_putc(&data, (char)('a' + i % 23));
    bool ok = mgc_path_join(path, sizeof(path), mgc_task_dir(task), "out.txt") &&
              mgc_file_write(path, mgc_buf_text(&data), data.len, 0600, err) &&
              mgc_task_artifact(task, "out.txt", err);
    mgc_buf_destroy(&data);
    return ok;
}

/* Make the file `mark` for as long as it holds. */
static bool run_mark(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_fields before = {0};
    const char *mark = mgc_task_str(task, "mark");
    mgc_fields_set_str(&before, "mark", mark);
    bool ok = mgc_task_journal(task, "toy.unmark", &before, NULL, err) &&
              mgc_file_write(mark, "", 0, 0600, err) && mgc_task_hold(task, NULL, err);
    mgc_fields_destroy(&before);
    return ok;
}

static bool undo_mark(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    return mgc_file_remove(mgc_fields_get_str(before, "mark"), err);
}

/* Deaf to every stop. */
static bool run_deaf(struct mgc_task *task, struct mgc_error *err)
{
    mgc_task_event(task, "ready", NULL, err);
    mgc_wait_readable(NULL, 0, INT64_MAX);
    return true;
}

static const struct mgc_param file_params[] = {
    {"size", MGC_PARAM_INT, true, 0, 1 << 24, NULL, "bytes"}, {0}};
static const struct mgc_param mark_params[] = {
    {"mark", MGC_PARAM_STRING, true, 1, 4000, NULL, "path"}, {0}};

static const struct mgc_task_kind kinds[] = {
    {"toy.file", file_params, "Leave a file", run_file},
    {"toy.mark", mark_params, "Hold a mark", run_mark},
    {"toy.deaf", NULL, "Never end", run_deaf},
    {0},
};
static const struct mgc_undo_kind undos[] = {{"toy.unmark", undo_mark}, {0}};

int main(int argc, char **argv)
{
    struct mgc_worker_spec spec = {.program = "toy-worker",
        .role = "wsl",
        .summary = "Worker for tests.",
        .kinds = kinds,
        .undos = undos};
    return mgc_worker_main(&spec, argc, argv);
}
