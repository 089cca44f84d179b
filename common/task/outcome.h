/* From a task that is over to its RESULT: facts, sealed artifacts, undo, on disk. Task's thread. */
#ifndef MGC_TASK_OUTCOME_H
#define MGC_TASK_OUTCOME_H

#include "common/task/internal.h"

/* The `done` post with the RESULT, which is also written to the task's directory. Never NULL: a
 * worker that cannot allocate here cannot go on and aborts. */
struct mgc_post *mgc_outcome_make(struct mgc_task *task, bool ok, const struct mgc_error *err,
    const struct mgc_undo_report *undo);

/* A RESULT for a task that never ran. The strings are owned by the message. */
bool mgc_outcome_refusal(const struct mgc_msg_task *task, const char *run_id,
    const struct mgc_error *why, struct mgc_msg *ret_result);

#endif
