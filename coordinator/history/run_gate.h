/* The regression gate over a run: its arms against the nights before it on the same device. What is
 * concluded, and why it may be, says coordinator/stats/gate.h.
 *
 * During a run: after a workload's last regular round mgc_run_gate_now() says what to run again
 * (`result.flagged` of that workload's arms); such cells have `confirm` set
 * (coordinator/plan/plan.h) and count nowhere else. At the end the same call gives the final
 * answers, since the confirming cells are there then. Of a run that is in the history:
 * mgc_run_gate_of().
 *
 * One thread. A run whose device is not known, or a results root without a history, is a gate whose
 * arms all say `no baseline (0 of 5 nights)`, not an error.
 */
#ifndef MGC_HISTORY_RUN_GATE_H
#define MGC_HISTORY_RUN_GATE_H

#include "common/base/buf.h"
#include "common/json/json.h"
#include "coordinator/history/past.h"
#include "coordinator/stats/gate.h"

struct mgc_run_gate_arm {
    struct mgc_arm_key key; /* borrowed from the gate */
    struct mgc_gate_result result;
    size_t left_out; /* nights that are no baseline since a setting or the link differs, or may */
    bool other_link; /* the newest of its nights was over another link */
    char why[256];   /* of the newest of these: the first fact */
};

struct mgc_run_gate {
    struct mgc_history_run run;     /* owned */
    struct mgc_history_cells cells; /* owned; with confirming ones */
    struct mgc_run_gate_arm *arms;  /* owned; every arm with a regular cell, in the plan's order */
    size_t count;
};

/* What the results hold so far, against RESULTS_ROOT/mgcoord.db. All arms of the plan are the
 * family, so asking early or late flags the same arms. Cells that have not run are not measured. */
bool mgc_run_gate_now(const char *results_root, const struct mgc_results *results,
    struct mgc_run_gate *ret_gate, struct mgc_error *err);
/* Of a run in the history, by its id; MGC_E_NOT_FOUND. */
bool mgc_run_gate_of(struct mgc_history *history, const char *run_id, struct mgc_run_gate *ret_gate,
    struct mgc_error *err);
void mgc_run_gate_destroy(struct mgc_run_gate *gate); /* takes NULL and zeroed */

/* Is this arm to be run again? backend NULL: of cells that name none. */
bool mgc_run_gate_flags(const struct mgc_run_gate *gate, const char *lane, const char *workload,
    const char *backend, const char *arm);
/* Some arm regressed and was confirmed: a gate of the plan failed, exit code 1. */
bool mgc_run_gate_failed(const struct mgc_run_gate *gate);

/* Arms that changed, or were flagged, first with numbers, then how many said what. One line per arm
 * with `all`. Added to `out`. */
void mgc_run_gate_print(const struct mgc_run_gate *gate, bool all, struct mgc_buf *out);
/* A line of one arm: "regressed, -8.1 % (...), floor 2.4 %, ...". */
void mgc_run_gate_arm_print(const struct mgc_run_gate_arm *arm, struct mgc_buf *out);
/* The caller's to json_decref; without memory keys are missing. */
json_t *mgc_run_gate_arm_to_json(const struct mgc_run_gate_arm *arm);
json_t *mgc_run_gate_to_json(const struct mgc_run_gate *gate);

#endif
