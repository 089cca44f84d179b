/* The verdict on one attempt of a cell, with the evidence it rests on.
 *
 * The coordinator alone judges, from the artifacts and facts that the workers reported. The default
 * is `incomplete`; `measured` needs positive evidence for every check. A missing file, counter or
 * marker is the state "absent", never 0 and never OK.
 */
#ifndef MGC_VERIFY_VERDICT_H
#define MGC_VERIFY_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/fields.h"
#include "coordinator/sched/run.h"

enum mgc_verdict_state {
    MGC_VERDICT_INCOMPLETE, /* nothing said otherwise */
    MGC_VERDICT_MEASURED,
    MGC_VERDICT_INVALID, /* it ran, but must not be counted */
    MGC_VERDICT_FAILED,
    MGC_VERDICT_SKIPPED,
};
const char *mgc_verdict_state_name(enum mgc_verdict_state state);

enum mgc_check_outcome { MGC_CHECK_OK, MGC_CHECK_BAD, MGC_CHECK_ABSENT };
const char *mgc_check_outcome_name(enum mgc_check_outcome outcome);

struct mgc_evidence {
    char *check; /* "run-ahead ARMED"; owned, as the others */
    enum mgc_check_outcome outcome;
    char *seen;   /* what was there: a log line, a value; empty when absent */
    char *source; /* file and line, or step and fact: "mobilegl.client.log:14" */
};

struct mgc_verdict {
    enum mgc_verdict_state state;
    char reason[64];     /* stable short name: "transport-marker-missing", "ssim-below-threshold" */
    char text[512];      /* one sentence for people; empty for measured */
    char next_step[256]; /* what to do; may be empty */
    bool infrastructure; /* worth another attempt: lost worker or device, busy server */
    struct mgc_evidence *evidence; /* owned */
    size_t evidence_count;
    /* Numbers of the attempt, only those that are there. Names and units: fps, steady_fps,
     * throughput_fps (1000 over the mean of frames 2 and up; steady_fps: over their median, as the
     * old script), mean_ms, median_ms, p95_ms, first_frame_s, total_frames, total_seconds, ssim,
     * mismatch_pixels, steady_mb_per_frame, steady_mbps (MB/s), steady_replies_per_frame,
     * wait_replies, rtt_samples, rtt_mean_ms, rtt_p50_ub_ms, rtt_p99_ub_ms, stage_mb, client_cpu_s,
     * wall_s, rc; passed, message (of result.json); fatal_lines, pipe_stats_lines (only when every
     * log that has to be there was read); client_sha256, library_sha256, trace_sha256,
     * golden_sha256; start_skew_ms, start_uncertainty_ms. Those of the matrix lane stand in
     * matrix_metrics.c, those of a link test in netbench.c. */
    struct mgc_fields metrics;
};

void mgc_verdict_destroy(struct mgc_verdict *verdict); /* takes NULL and zeroed */

/* Judge a measured attempt from its directory and the steps' facts, by the rules of its lane.
 * Never fails: what cannot be read is evidence of its own. */
void mgc_verify_cell(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict);
/* The lanes' rules. */
void mgc_verify_crosshost(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict);

void mgc_verify_matrix(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict);
void mgc_verify_netbench(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict);

/* As before, of a directory that the old crosshost_accept.sh wrote: failed or invalid when
 * something speaks against the run, else incomplete (not-provable). Expectations that are 0 or NULL
 * are not known and not held against it. */
void mgc_verify_crosshost_old(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict);
/* The same for a directory of run_matrix.sh or matrix_p14.sh; `old_verify` is its verify.txt
 * (coordinator/legacy/parse.h), which may be empty. */
void mgc_verify_matrix_old(const struct mgc_attempt *attempt, const char *dir,
    const struct mgc_fields *old_verify, struct mgc_verdict *ret_verdict);

/* What the clock of a worker that the cell needs did while it ran, by the coordinator's pings. */
struct mgc_clock_watch {
    const char *role;
    bool known;         /* pinged both before and after */
    int64_t stepped_ns; /* jumps against the coordinator's clock */
    int64_t slept_ns;   /* growth of boot minus monotonic clock */
};

/* After mgc_verify_cell: a cell during which a clock jumped, or a machine slept, or nobody can say,
 * is not measured, whatever its files say: durations and the common start do not hold. Pings come
 * once a heartbeat, so a jump in the last heartbeat of a cell is seen by the next cell only. */
void mgc_verify_clocks(
    struct mgc_verdict *verdict, const struct mgc_clock_watch *watches, size_t count);

/* After the clocks: a cell whose members did not begin together, or did not all say when, is not
 * measured. Cells without a common start are left alone. */
void mgc_verify_start(struct mgc_verdict *verdict, const struct mgc_attempt *attempt);

/* How often adb lost the phone and got it back, by the step that heard of it most. */
int64_t mgc_transport_losses(const struct mgc_attempt *attempt);
/* After mgc_verify_cell, in a plan that replaces disturbed cells: one during which adb lost the
 * phone is not measured, although all of its evidence may have come. */
void mgc_verify_transport(struct mgc_verdict *verdict, const struct mgc_attempt *attempt);

/* Judge a setup or close cell by whether its steps ended well. */
void mgc_verify_steps(const struct mgc_attempt *attempt, struct mgc_verdict *ret_verdict);

/* Judge a path check step's facts (setup and close cells): end to end, or why nothing measured
 * over this path would count. */
void mgc_verify_path(const struct mgc_attempt *attempt, struct mgc_verdict *ret_verdict);
/* After mgc_verify_path, of a bracket: a good path stays good when the link test, where there is
 * one, is proved too; its figures become metrics. One that the user stopped is interrupted. */
void mgc_verify_bracket(const struct mgc_attempt *attempt, struct mgc_verdict *verdict);

/* Add one piece of evidence; strings are copied. False on no memory. */
bool mgc_verdict_add(struct mgc_verdict *verdict, const char *check, enum mgc_check_outcome outcome,
    const char *source, const char *seen_fmt, ...) __attribute__((format(printf, 5, 6)));
/* The first piece of evidence of that check, or NULL. */
const struct mgc_evidence *mgc_verdict_find(const struct mgc_verdict *verdict, const char *check);

/* Was it named already? Then what comes later is evidence only. */
bool mgc_verdict_is_named(const struct mgc_verdict *verdict);
/* What was measured is not any more; it has no name until one is set. Other states stay. */
void mgc_verdict_take_back(struct mgc_verdict *verdict);
/* Set state, reason and sentence, unless one was set before: the first thing that is wrong, in the
 * order of the checks, names the verdict. */
void mgc_verdict_set(struct mgc_verdict *verdict, enum mgc_verdict_state state, const char *reason,
    const char *next_step, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
