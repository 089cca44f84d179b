/* worker.salvage brings the files of a task that a crash of the worker cut off. They may hold
 * secrets of that task, which the worker does not keep: they come with this one, whose artifacts
 * the files become, and are masked like any other's.
 */
#ifndef MGC_TASK_SALVAGE_H
#define MGC_TASK_SALVAGE_H

#include "common/task/task.h"

extern const struct mgc_param mgc_salvage_params[];
bool mgc_salvage_run(struct mgc_task *task, struct mgc_error *err);

#endif
