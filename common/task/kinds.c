#include "common/task/kinds.h"

#include "common/task/gate.h"
#include "common/task/salvage.h"

const struct mgc_task_kind mgc_worker_kinds[] = {
    {"worker.salvage", mgc_salvage_params, "Bring the files of a task that was cut off by a crash",
        mgc_salvage_run, NULL},
    {"worker.gate", mgc_worker_gate_params,
        "Is this machine fit for a measurement, and has it room?", mgc_worker_gate_run, NULL},
    {0},
};
