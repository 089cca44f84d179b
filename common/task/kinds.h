/* The task kinds that every worker has beside its own. */
#ifndef MGC_TASK_KINDS_H
#define MGC_TASK_KINDS_H

#include "common/task/task.h"

extern const struct mgc_task_kind mgc_worker_kinds[];

#endif
