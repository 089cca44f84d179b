#include "common/task/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/task/started.h"

enum { COUNT_MAX = 256, AGE_MAX_S = 7 * 24 * 3600, ACKED_MAX = 256 };

struct mgc_results {
    char *dir;
    size_t count_max;
    struct mgc_msg *items; /* owned; RESULT messages, oldest first */
    size_t count, cap;
    uint64_t acked[ACKED_MAX]; /* ring of ids forgotten lately; 0: free */
    size_t acked_next;
};

static bool task_dir(
    const char *dir, uint64_t task_id, char *ret_path, size_t size, struct mgc_error *err)
{
    char name[32];
    snprintf(name, sizeof(name), "%016" PRIx64, task_id);
    return mgc_path_join(ret_path, size, dir, name) ||
           mgc_error_set(err, MGC_E_CONFIG, "path of results '%s' is too long", dir);
}

static struct mgc_msg *item_find(const struct mgc_results *results, uint64_t task_id)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->items[i].result.task_id == task_id)
            return &results->items[i];
    }
    return NULL;
}

static bool encode(struct mgc_msg *result, struct mgc_buf *out, struct mgc_error *err)
{
    if (mgc_msg_encode(result, out, err))
        return true;
    /* Files and verdict matter more than facts that do not fit. */
    mgc_fields_destroy(&result->result.facts);
    mgc_fields_set_str(&result->result.facts, "facts_dropped", err ? err->text : "too large");
    mgc_buf_clear(out);
    return mgc_msg_encode(result, out, err);
}

bool mgc_result_write(const char *dir, struct mgc_msg *result, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf bytes = {0};
    if (!mgc_path_join(path, sizeof(path), dir, "result"))
        return mgc_error_set(err, MGC_E_CONFIG, "path of result '%s' is too long", dir);
    bool ok = mgc_dir_make(dir, 0700, err) && encode(result, &bytes, err) &&
              mgc_file_write(path, mgc_buf_text(&bytes), bytes.len, 0600, err);
    mgc_buf_destroy(&bytes);
    return ok;
}

static void drop_oldest(struct mgc_results *results)
{
    struct mgc_error err = {0};
    uint64_t task_id = results->items[0].result.task_id;
    mgc_warn("result of task %" PRIx64 " was never acknowledged and is dropped: more than %zu are "
             "waiting",
        task_id, results->count_max);
    if (!mgc_results_forget(results, task_id, &err))
        mgc_warn("%s", err.text);
}

bool mgc_results_add(struct mgc_results *results, struct mgc_msg *result, struct mgc_error *err)
{
    if (results->count == results->cap) {
        size_t cap = results->cap ? results->cap * 2 : 16;
        struct mgc_msg *items = realloc(results->items, cap * sizeof(*items));
        if (!items) {
            mgc_msg_destroy(result);
            return mgc_error_set(err, MGC_E_NO_MEMORY, "keep a result: out of memory");
        }
        results->items = items;
        results->cap = cap;
    }
    results->items[results->count++] = *result;
    *result = (struct mgc_msg){0};
    while (results->count > results->count_max)
        drop_oldest(results);
    return true;
}

/* Read STATE/results/TASKID/result. False with MGC_E_NOT_FOUND when there is none. */
static bool read_result(
    const char *dir, uint64_t task_id, struct mgc_msg *ret_msg, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf bytes = {0};
    if (!mgc_path_join(path, sizeof(path), dir, "result"))
        return mgc_error_set(err, MGC_E_CONFIG, "path of result '%s' is too long", dir);
    if (!mgc_file_exists(path))
        return mgc_error_set(err, MGC_E_NOT_FOUND, "'%s' does not exist", path);
    bool ok = mgc_file_read(path, MGC_WIRE_HEADER_MAX, &bytes, err) &&
              mgc_msg_decode(mgc_buf_text(&bytes), bytes.len, ret_msg, err);
    mgc_buf_destroy(&bytes);
    if (!ok)
        return mgc_error_prefix(err, "'%s'", path);
    if (ret_msg->kind == MGC_MSG_RESULT && ret_msg->result.task_id == task_id)
        return true;
    mgc_msg_destroy(ret_msg);
    return mgc_error_set(
        err, MGC_E_PROTOCOL, "'%s': expected the result of task %" PRIx64, path, task_id);
}

/* The worker died while this task ran, or its result cannot be read (`why`). */
static bool make_interrupted(const struct mgc_results_config *config, const char *dir,
    uint64_t task_id, const struct mgc_error *why, struct mgc_msg *ret_msg, struct mgc_error *err)
{
    struct mgc_undo_report undo = {0};
    if (config->undo_of)
        config->undo_of(config->user, task_id, &undo);
    if (!mgc_started_result(dir, task_id, &undo, why, ret_msg, err))
        return false;
    return mgc_result_write(dir, ret_msg, err);
}

static bool too_old(const char *dir, int64_t age_max_s)
{
    int64_t changed_ns;
    return mgc_file_changed(dir, &changed_ns, NULL) &&
           (mgc_wall_ns() - changed_ns) / MGC_NS_PER_S > age_max_s;
}

/* One that cannot be loaded is told and left: a broken directory must not keep the worker down. */
static void load_one(
    struct mgc_results *results, const struct mgc_results_config *config, const char *name)
{
    char dir[MGC_PATH_MAX];
    uint64_t task_id;
    struct mgc_msg msg = {0};
    struct mgc_error err = {0};
    if (!mgc_parse_hex64(name, &task_id) ||
        !task_dir(results->dir, task_id, dir, sizeof(dir), &err))
        return;
    if (too_old(dir, config->age_max_s ? config->age_max_s : AGE_MAX_S)) {
        mgc_warn("result of task %s was never acknowledged and is dropped: too old", name);
        mgc_dir_remove(dir, NULL);
        return;
    }
    if (!read_result(dir, task_id, &msg, &err)) {
        struct mgc_error why = err;
        if (!make_interrupted(config, dir, task_id, &why, &msg, &err)) {
            mgc_warn("result of task %s: %s", name, err.text);
            mgc_msg_destroy(&msg);
            return;
        }
    }
    if (!mgc_results_add(results, &msg, &err))
        mgc_warn("result of task %s: %s", name, err.text);
}

struct aged {
    const char *name; /* borrowed */
    int64_t changed_ns;
};

static int by_age(const void *a, const void *b)
{
    const struct aged *left = a, *right = b;
    return (left->changed_ns > right->changed_ns) - (left->changed_ns < right->changed_ns);
}

/* Names are random ids; what is too much is to go by age. */
static bool load_by_age(struct mgc_results *results, const struct mgc_results_config *config,
    const struct mgc_dir_names *names, struct mgc_error *err)
{
    struct aged *aged = calloc(names->count + 1, sizeof(*aged));
    if (!aged)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "open results: out of memory");
    for (size_t i = 0; i < names->count; i++) {
        char path[MGC_PATH_MAX];
        aged[i].name = names->names[i];
        if (mgc_path_join(path, sizeof(path), results->dir, aged[i].name))
            mgc_file_changed(path, &aged[i].changed_ns, NULL);
    }
    qsort(aged, names->count, sizeof(*aged), by_age);
    for (size_t i = 0; i < names->count; i++)
        load_one(results, config, aged[i].name);
    free(aged);
    return true;
}

struct mgc_results *mgc_results_open(const struct mgc_results_config *config, struct mgc_error *err)
{
    struct mgc_dir_names names;
    struct mgc_results *results = calloc(1, sizeof(*results));
    if (!results || !(results->dir = strdup(config->dir))) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "open results: out of memory");
        mgc_results_free(results);
        return NULL;
    }
    results->count_max = config->count_max ? config->count_max : COUNT_MAX;
    if (!mgc_dir_make(config->dir, 0700, err) || !mgc_dir_list(config->dir, &names, err)) {
        mgc_results_free(results);
        return NULL;
    }
    bool ok = load_by_age(results, config, &names, err);
    mgc_dir_names_destroy(&names);
    if (ok)
        return results;
    mgc_results_free(results);
    return NULL;
}

void mgc_results_free(struct mgc_results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->count; i++)
        mgc_msg_destroy(&results->items[i]);
    free(results->items);
    free(results->dir);
    free(results);
}

bool mgc_results_begin(struct mgc_results *results, const struct mgc_msg_task *task,
    const char *run_id, char *ret_dir, size_t size, struct mgc_error *err)
{
    char files[MGC_PATH_MAX];
    if (!task_dir(results->dir, task->task_id, ret_dir, size, err))
        return false;
    if (!mgc_path_join(files, sizeof(files), ret_dir, "files"))
        return mgc_error_set(err, MGC_E_CONFIG, "path of results '%s' is too long", ret_dir);
    return mgc_dir_remove(ret_dir, err) && mgc_dir_make(files, 0700, err) &&
           mgc_started_write(ret_dir, run_id, task->kind, task->label, err);
}

size_t mgc_results_count(const struct mgc_results *results)
{
    return results->count;
}

struct mgc_msg *mgc_results_at(struct mgc_results *results, size_t index)
{
    return &results->items[index];
}

bool mgc_results_knows(const struct mgc_results *results, uint64_t task_id)
{
    for (size_t i = 0; i < ACKED_MAX; i++) {
        if (task_id && results->acked[i] == task_id)
            return true;
    }
    return item_find(results, task_id) != NULL;
}

bool mgc_results_file(const struct mgc_results *results, uint64_t task_id, const char *name,
    char *ret_path, size_t size, uint64_t *ret_bytes, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX], files[MGC_PATH_MAX];
    const struct mgc_msg *item = item_find(results, task_id);
    for (size_t i = 0; item && i < item->result.artifact_count; i++) {
        const struct mgc_artifact *artifact = &item->result.artifacts[i];
        if (strcmp(artifact->name, name) != 0)
            continue;
        *ret_bytes = artifact->size_bytes;
        return (task_dir(results->dir, task_id, dir, sizeof(dir), err) &&
                   mgc_path_join(files, sizeof(files), dir, "files") &&
                   mgc_path_join(ret_path, size, files, name)) ||
               mgc_error_set(err, MGC_E_CONFIG, "path of artifact '%s' is too long", name);
    }
    return mgc_error_set(
        err, MGC_E_NOT_FOUND, "task %" PRIx64 " has no artifact '%.200s' to send", task_id, name);
}

bool mgc_results_forget(struct mgc_results *results, uint64_t task_id, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX];
    struct mgc_msg *item = item_find(results, task_id);
    if (!item)
        return true;
    mgc_msg_destroy(item);
    size_t after = (size_t)(results->items + results->count - (item + 1));
    memmove(item, item + 1, after * sizeof(*item));
    results->count--;
    results->acked[results->acked_next++ % ACKED_MAX] = task_id;
    return task_dir(results->dir, task_id, dir, sizeof(dir), err) && mgc_dir_remove(dir, err);
}
