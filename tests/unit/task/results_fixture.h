/* A result store in the test's directory and results to put into it. */
#ifndef MGC_TESTS_UNIT_TASK_RESULTS_FIXTURE_H
#define MGC_TESTS_UNIT_TASK_RESULTS_FIXTURE_H

#include "common/task/results.h"
#include "tests/unit/task/files.h"

static inline struct mgc_results *results_open(size_t count_max)
{
    struct mgc_results_config config = {.dir = tmpdir_file("results"), .count_max = count_max};
    struct mgc_results *results = mgc_results_open(&config, NULL);
    if (!results)
        abort();
    return results;
}

/* What a task that ran leaves: its directory with one file, and the message, written and added. */
static inline void results_put(
    struct mgc_results *results, uint64_t task_id, const char *name, const void *data, size_t len)
{
    char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];
    struct mgc_msg_task task = {
        .task_id = task_id, .kind = (char *)"toy.file", .label = (char *)"a label"};
    if (!mgc_results_begin(results, &task, "run-1", dir, sizeof(dir), NULL))
        abort();
    snprintf(path, sizeof(path), "%.4000s/files/%s", dir, name);
    put_file(path, data, len);
    struct mgc_msg msg = {.kind = MGC_MSG_RESULT};
    struct mgc_msg_result *result = &msg.result;
    result->task_id = task_id;
    result->run_id = strdup("run-1");
    result->text = strdup("");
    result->undo_text = strdup("");
    mgc_fields_set_int(&result->facts, "n", (int64_t)task_id);
    result->artifacts = calloc(1, sizeof(*result->artifacts));
    result->artifact_count = 1;
    result->artifacts[0].name = strdup(name);
    if (!mgc_sha256_file(path, result->artifacts[0].sha256, &result->artifacts[0].size_bytes, NULL))
        abort();
    memcpy(result->artifacts[0].raw_sha256, result->artifacts[0].sha256, MGC_SHA256_HEX_SIZE);
    if (!mgc_result_write(dir, &msg, NULL) || !mgc_results_add(results, &msg, NULL))
        abort();
}

#endif
