/* Results that the coordinator has not acknowledged yet, durable in STATE/results.
 *
 *   results/TASKID/started   written before the task runs: its run, kind and label
 *   results/TASKID/files/    the task's directory
 *   results/TASKID/result    the encoded RESULT message, written atomically when it is over
 *
 * A directory without `result` at start belongs to a task that a crash of the worker cut off: it
 * becomes a result with MGC_E_LOST and without artifacts. What secrets its files hold is no longer
 * known, so they stay where they are until the coordinator asks for them with a task
 * "worker.salvage" that brings the secrets (salvage.h), or acknowledges the result. The store is
 * bounded by count and age; what goes overboard is logged. Belongs to the loop's thread, except
 * mgc_result_write.
 */
#ifndef MGC_TASK_RESULTS_H
#define MGC_TASK_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/task/journal.h"
#include "common/wire/msg.h"

struct mgc_results; /* opaque */

struct mgc_results_config {
    const char *dir;   /* made when absent; borrowed for the call */
    size_t count_max;  /* 0: 256 */
    int64_t age_max_s; /* 0: 7 days */
    /* What replaying the journal did for a task that was cut off; may be NULL. */
    void (*undo_of)(void *user, uint64_t task_id, struct mgc_undo_report *ret_report);
    void *user;
};

struct mgc_results *mgc_results_open(
    const struct mgc_results_config *config, struct mgc_error *err);
void mgc_results_free(struct mgc_results *results); /* files stay; takes NULL */

/* Make the directories of a task that is about to run and write `started`; ret_dir is
 * results/TASKID. */
bool mgc_results_begin(struct mgc_results *results, const struct mgc_msg_task *task,
    const char *run_id, char *ret_dir, size_t size, struct mgc_error *err);

/* Write the result into the task's directory. One too large for a message loses its facts and says
 * so. Any thread. */
bool mgc_result_write(const char *dir, struct mgc_msg *result, struct mgc_error *err);

/* Keep a result until it is acknowledged; takes over the strings, on failure too. */
bool mgc_results_add(struct mgc_results *results, struct mgc_msg *result, struct mgc_error *err);

size_t mgc_results_count(const struct mgc_results *results);
/* Oldest first. Not const, because sending writes the envelope. */
struct mgc_msg *mgc_results_at(struct mgc_results *results, size_t index);
/* True for results kept and for those acknowledged lately. */
bool mgc_results_knows(const struct mgc_results *results, uint64_t task_id);

/* Path of an artifact and its row in the manifest; MGC_E_NOT_FOUND. */
bool mgc_results_file(const struct mgc_results *results, uint64_t task_id, const char *name,
    char *ret_path, size_t size, uint64_t *ret_bytes, struct mgc_error *err);

/* The coordinator has it all: remove result and files. Unknown ids are fine. */
bool mgc_results_forget(struct mgc_results *results, uint64_t task_id, struct mgc_error *err);

#endif
