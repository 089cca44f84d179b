/* The host worker's task kinds; docs/tasks.md says what goes in and out. One file per kind; the
 * tables are in tasks.c. */
#ifndef MGC_HOST_TASKS_H
#define MGC_HOST_TASKS_H

#include "common/task/task.h"
#include "worker-host/adb/conn.h"
#include "worker-host/tasks/held.h"
#include "worker-host/tasks/samplers.h"

/* The program's own data, given to tasks and undos. */
struct mgc_host_worker {
    struct mgc_adb *adb;                /* borrowed: lives as long as the process */
    struct mgc_host_held *held;         /* the same; NULL: no task knows of another one's knobs */
    struct mgc_host_samplers *samplers; /* the same; NULL: no sampler hears of a run */
};

extern const struct mgc_task_kind mgc_host_kinds[];
extern const struct mgc_undo_kind mgc_host_undos[];

extern const struct mgc_param mgc_host_device_params[];
bool mgc_host_device_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_server_params[];
bool mgc_host_server_run(struct mgc_task *task, struct mgc_error *err);
/* Undo of "server.stop": stops the package and proves that no server process is left. */
bool mgc_host_server_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err);
extern const struct mgc_param mgc_host_logcat_params[];
bool mgc_host_logcat_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_pull_params[];
bool mgc_host_pull_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_quiesce_params[];
bool mgc_host_quiesce_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_app_params[];
bool mgc_host_app_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_fixtures_params[];
bool mgc_host_fixtures_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_helper_params[];
bool mgc_host_helper_run(struct mgc_task *task, struct mgc_error *err);
/* Undo of "helper.remove": removes the device program from where it was not before. */
bool mgc_host_helper_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err);
extern const struct mgc_param mgc_host_knobs_params[];
bool mgc_host_knobs_run(struct mgc_task *task, struct mgc_error *err);
/* Undo of "knob.restore": puts one knob back and reads it. */
bool mgc_host_knobs_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err);
extern const struct mgc_param mgc_host_sink_params[];
bool mgc_host_sink_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_state_params[];
bool mgc_host_state_run(struct mgc_task *task, struct mgc_error *err);
extern const struct mgc_param mgc_host_replay_params[];
bool mgc_host_replay_run(struct mgc_task *task, struct mgc_error *err);
/* Undo of "app.stop": stops the package and proves that no process of it is left. */
bool mgc_host_replay_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err);

#endif
