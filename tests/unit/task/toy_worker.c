/* A worker with toy tasks, for test_worker*.c: everything of a real one but what it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
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

/* An undo that fails until the file MARK.slow is there, and then waits until it is gone; MARK.busy
 * is there meanwhile. */
static bool undo_slowly(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    const char *mark = mgc_fields_get_str(before, "mark");
    char slow[MGC_PATH_MAX], busy[MGC_PATH_MAX];
    snprintf(slow, sizeof(slow), "%s.slow", mark);
    snprintf(busy, sizeof(busy), "%s.busy", mark);
    if (!mgc_file_exists(slow))
        return mgc_error_set(err, MGC_E_UNREACHABLE, "not yet");
    mgc_file_write(busy, "", 0, 0600, NULL);
    while (mgc_file_exists(slow))
        mgc_sleep_ms(5);
    return mgc_file_remove(busy, err) && mgc_file_remove(mark, err);
}

static bool run_stuck(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_fields before = {0};
    const char *mark = mgc_task_str(task, "mark");
    mgc_fields_set_str(&before, "mark", mark);
    bool ok = mgc_task_journal(task, "toy.slowly", &before, NULL, err) &&
              mgc_file_write(mark, "", 0, 0600, err) && mgc_task_hold(task, NULL, err);
    mgc_fields_destroy(&before);
    return ok;
}

/* Many small changes with pauses between them, some taken back early, a file written on the way:
 * something for a cancel to hit anywhere. */
static bool change_one(struct mgc_task *task, int64_t i, struct mgc_error *err)
{
    char mark[MGC_PATH_MAX + 24];
    struct mgc_fields before = {0};
    uint64_t entry;
    int stop = mgc_task_stop_fd(task);
    snprintf(mark, sizeof(mark), "%s.%d", mgc_task_str(task, "mark"), (int)i);
    bool ok = mgc_fields_set_str(&before, "mark", mark) &&
              mgc_task_journal(task, "toy.unmark", &before, &entry, err) &&
              mgc_file_write(mark, "", 0, 0600, err) && mgc_task_event(task, "step", NULL, err) &&
              (i % 3 != 0 || mgc_task_undo(task, entry, err));
    mgc_fields_destroy(&before);
    return ok && (mgc_wait_readable(&stop, 1, mgc_task_deadline(task, i % 4)) != 0 ||
                     mgc_task_stop_error(task, err));
}

static bool run_steps(struct mgc_task *task, struct mgc_error *err)
{
    bool ok = mgc_task_artifact(task, "out.txt", err);
    for (int64_t i = 0; ok && i < mgc_task_int_or(task, "size", 0); i++) {
        char path[MGC_PATH_MAX];
        ok = change_one(task, i, err) &&
             mgc_path_join(path, sizeof(path), mgc_task_dir(task), "out.txt") &&
             mgc_file_write(path, "it is hush-hush\n", 16, 0600, err);
    }
    return ok && mgc_task_hold(task, NULL, err);
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
    {"mark", MGC_PARAM_STRING, true, 1, 4000, NULL, "path"},
    {"thing", MGC_PARAM_STRING, false, 1, 100, NULL, "to be leased"}, {0}};
static const struct mgc_param steps_params[] = {
    {"mark", MGC_PARAM_STRING, true, 1, 4000, NULL, "path, of which several names are made"},
    {"size", MGC_PARAM_INT, true, 0, 1000, NULL, "changes"}, {0}};
static const struct mgc_need the_thing[] = {{"thing", "thing", true}, {0}};

static const struct mgc_task_kind kinds[] = {
    {"toy.file", file_params, "Leave a file", run_file},
    {"toy.mark", mark_params, "Hold a mark", run_mark},
    {"toy.own", mark_params, "Hold a mark and a thing", run_mark, the_thing},
    {"toy.steps", steps_params, "Many changes", run_steps},
    {"toy.stuck", mark_params, "Hold a mark that is hard to undo", run_stuck},
    {"toy.deaf", NULL, "Never end", run_deaf},
    {0},
};
static const struct mgc_undo_kind undos[] = {
    {"toy.unmark", undo_mark}, {"toy.slowly", undo_slowly}, {0}};

int main(int argc, char **argv)
{
    struct mgc_worker_spec spec = {.program = "toy-worker",
        .role = "wsl",
        .summary = "Worker for tests.",
        .kinds = kinds,
        .undos = undos};
    return mgc_worker_main(&spec, argc, argv);
}
