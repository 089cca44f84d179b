/* The numbers of one attempt, taken from its documents and its client's link metrics. Numbers that
 * are not there stay absent. Names and units are listed in verdict.h. */
#ifndef MGC_VERIFY_METRICS_H
#define MGC_VERIFY_METRICS_H

#include "coordinator/verify/documents.h"
#include "coordinator/verify/log_scan.h"
#include "coordinator/verify/verdict.h"

void mgc_verdict_metrics(struct mgc_verdict *verdict, const struct mgc_attempt *attempt,
    const struct mgc_documents *docs, const struct mgc_logs *logs);

/* MobileGL's counters, from the dumps that are there in `dir`: of both roles of an arm together
 * (mgc_pipe_stats_merge). Names as in the dumps with '_' and pipe_ before them:
 * pipe_wire_records, pipe_stage_segment_bytes, pipe_server_waits; pipe_dumps is how many there
 * were, pipe_roles whose ("client", "server", "client and server"); a dump that cannot be read is
 * named in pipe_damaged. Where one of two processes left no dump, a zero of the other says nothing
 * of what the missing one counts, and is left out. */
void mgc_pipe_metrics(struct mgc_fields *metrics, const char *dir, bool two_processes);

/* Of a cell on the phone: app_s (the app's own run), harness_s (the rest of the cell, without the
 * wait at the gate), launch_ms, gate_waited_ms, battery_temp_dc and battery_level and power_source
 * before the run, sampler_cpu_ms, state_samples, state_late, adb_streams (of all steps). */
void mgc_app_metrics(struct mgc_fields *metrics, const struct mgc_attempt *attempt);

/* Of a cell on the phone: lm_* (sums over the LinkMetrics lines of frames), processes, moved_* and
 * server_read_bytes (moved.h), and fatal_lines and pipe_stats_lines with a line that stands in
 * several logs counted once. */
void mgc_matrix_metrics(struct mgc_verdict *verdict, const struct mgc_attempt *attempt,
    const struct mgc_logs *logs, const char *dir);

/* Facts of the step with that id; empty ones when the cell has none. */
const struct mgc_fields *mgc_facts_of_step(const struct mgc_attempt *attempt, const char *id);
/* Copy a value that is there. */
void mgc_metric_copy(
    struct mgc_fields *into, const char *name, const struct mgc_fields *from, const char *key);

#endif
