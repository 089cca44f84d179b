/* worker.gate: is this machine fit for a measurement? Has it room for what a cell leaves, and is it
 * idle enough? Any worker has it; docs/tasks.md. The judging is pure.
 */
#ifndef MGC_TASK_GATE_H
#define MGC_TASK_GATE_H

#include "common/task/task.h"

struct mgc_worker_gate_want {
    int64_t free_min_bytes;
    int64_t load_max_pct; /* of the CPUs: 100 is one busy task per CPU; 0: any */
    bool refuse_unreadable;
};

struct mgc_worker_gate_seen {
    bool has_free, has_load;
    uint64_t free_bytes;
    double load; /* busy tasks */
    int cpus;    /* at least 1 */
};

/* "ok"; "full", "loaded", or "unreadable" for what is asked for, refused and not told. */
const char *mgc_worker_gate_judge(
    const struct mgc_worker_gate_want *want, const struct mgc_worker_gate_seen *seen);
/* What a gate that is shut saw, beside what it wants: "load 6.20 on 2 CPUs, 3.10 per CPU of at
 * most 1.00". */
void mgc_worker_gate_text(const char *gate, const struct mgc_worker_gate_want *want,
    const struct mgc_worker_gate_seen *seen, char *ret_text, size_t size);

extern const struct mgc_param mgc_worker_gate_params[];
bool mgc_worker_gate_run(struct mgc_task *task, struct mgc_error *err);

#endif
