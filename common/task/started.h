/* The file `started` of a running task, and the result that is made from it when the worker did
 * not live to see the end. Format: lines "run = ...", "kind = ...", "label = ...", for people too.
 */
#ifndef MGC_TASK_STARTED_H
#define MGC_TASK_STARTED_H

#include "common/base/error.h"
#include "common/task/journal.h"
#include "common/wire/msg.h"

bool mgc_started_write(const char *dir, const char *run_id, const char *kind, const char *label,
    struct mgc_error *err);

/* RESULT of a task that was cut off: MGC_E_LOST when there is simply no result (`why` is
 * MGC_E_NOT_FOUND), MGC_E_INTEGRITY when there is one that cannot be read. The fact files_left
 * counts what stands in its directory. */
bool mgc_started_result(const char *dir, uint64_t task_id, const struct mgc_undo_report *undo,
    const struct mgc_error *why, struct mgc_msg *ret_result, struct mgc_error *err);

#endif
