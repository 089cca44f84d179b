/* The task kinds of the WSL worker, and how their changes are taken back; docs/tasks.md. */
#ifndef WORKER_WSL_TASKS_TASKS_H
#define WORKER_WSL_TASKS_TASKS_H

#include "common/task/task.h"

extern const struct mgc_task_kind mgc_wsl_kinds[];
extern const struct mgc_undo_kind mgc_wsl_undos[];

/* What every task and undo gets as `worker`. */
struct mgc_wsl_worker {
    char boot_id[64]; /* of this machine; an undo tells by it whether the machine was restarted */
};

/* One per file of this folder. */
extern const struct mgc_param mgc_wsl_route_params[];
bool mgc_wsl_route_run(struct mgc_task *task, struct mgc_error *err);
bool mgc_wsl_route_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err);

extern const struct mgc_param mgc_wsl_pathcheck_params[];
bool mgc_wsl_pathcheck_run(struct mgc_task *task, struct mgc_error *err);

extern const struct mgc_param mgc_wsl_netbench_params[];
bool mgc_wsl_netbench_run(struct mgc_task *task, struct mgc_error *err);

extern const struct mgc_param mgc_wsl_replay_params[];
bool mgc_wsl_replay_run(struct mgc_task *task, struct mgc_error *err);
bool mgc_wsl_process_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err);

/* Checks for parameter tables. */
bool mgc_wsl_check_address(const struct mgc_value *value, struct mgc_error *err);

#endif
