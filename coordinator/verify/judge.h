/* The pieces a lane's verdict is put together from; each adds its evidence and, when something is
 * wrong, names the verdict unless one was named before. Internal to verify/.
 */
#ifndef MGC_VERIFY_JUDGE_H
#define MGC_VERIFY_JUDGE_H

#include "coordinator/plan/bench.h"
#include "coordinator/verify/documents.h"
#include "coordinator/verify/log_scan.h"
#include "coordinator/verify/reasons.h"

struct judge {
    const struct mgc_attempt *attempt;
    const struct mgc_cell *cell;
    struct mgc_verdict *verdict;
    struct mgc_documents docs;
    struct mgc_logs *logs;           /* owned */
    const struct mgc_bench_arm *arm; /* of the cell; NULL: the bench has none of that name */
    bool old_layout;                 /* what crosshost_accept.sh never kept is absent, not wrong */
};

/* "1 line", "2 lines". */
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Outcome of the step with that id; NULL when the cell has none. */
const struct mgc_step_outcome *mgc_judge_step(const struct judge *judge, const char *id);

/* The app on the phone runs the replay, not only its server: then its run is the replay's own. Else
 * it is from the common start to the end of the server's session. */
bool mgc_judge_replays_on_phone(const struct judge *judge);

/* steps.c: was it stopped by the user; did every step end well? */
void mgc_judge_interrupted(struct judge *judge);
void mgc_judge_steps(struct judge *judge);
/* What an attempt that did not come to its end is to be called. */
enum mgc_reason mgc_judge_failure(const struct mgc_attempt *attempt);

/* cause.c: what explains a client that failed better than the client does. */
void mgc_judge_cause(struct judge *judge);
void mgc_judge_no_session(struct judge *judge);

/* client.c: the client's exit, its documents, its own word. */
void mgc_judge_exit(struct judge *judge);      /* seen, by a signal, or too late */
void mgc_judge_exit_code(struct judge *judge); /* last: result.json may say it better */
/* True when the document is there and whole. */
bool mgc_judge_document(struct judge *judge, const char *name, bool present,
    const struct mgc_error *error, enum mgc_reason missing, enum mgc_reason damaged);
void mgc_judge_result(struct judge *judge); /* passed; in ssim mode the picture */

/* measurement.c: frames, geometry, finish: what the cell expects of a whole document. */
void mgc_judge_measurement(struct judge *judge);
/* statistics.c: the document's means and percentiles against its own frame times. */
void mgc_judge_statistics(struct judge *judge);

/* arm.c: do the logs prove the arm that the cell names? */
void mgc_judge_refusal(struct judge *judge); /* the server did not let the client in */
void mgc_judge_arm(struct judge *judge);
void mgc_judge_forbidden(struct judge *judge); /* of that only what must not be in any log */

/* server_session.c: the reap line with exit code 0, whose session it was, and whose
 * log mgl.server.log is */
void mgc_judge_session(struct judge *judge);

/* neighbours.c: did somebody else start or stop the app beside the cell, by the phone's log? */
void mgc_judge_neighbours(struct judge *judge, const char *dir);

/* app.c: how the app's run on the phone ended, and whether the phone was ready for it */
void mgc_judge_gate(struct judge *judge);
void mgc_judge_host_gates(struct judge *judge); /* the same of the workers' machines */
void mgc_judge_app(struct judge *judge);
void mgc_judge_settled_files(struct judge *judge); /* did those that count change meanwhile? */

/* device_state.c: what the phone's clocks, temperature and power did during the run */
void mgc_judge_device_state(struct judge *judge, const char *dir);

/* builds.c: of what app, library, trace and golden this is a measurement */
void mgc_judge_builds(struct judge *judge);
/* The same of a cross-host cell's server. No check: which build it is decides what the number may
 * be compared with, not whether it is one. */
void mgc_judge_server_build(struct judge *judge);
/* Facts of the setup's first step of that kind with these parameters (NULL: any); NULL: none. */
const struct mgc_fields *mgc_judge_setup_facts(
    const struct judge *judge, const char *kind, const char *package, const char *dir);

/* same_setup.c: is it still the phone's boot, the app and the knobs of the setup? The knobs come
 * after the device's state, which says more of a clock that is not where it is held. */
void mgc_judge_same_setup(struct judge *judge);
void mgc_judge_knobs(struct judge *judge);

/* cell.c: measured only when every check saw what it looked for */
void mgc_judge_conclude(struct judge *judge);

extern const struct mgc_log_set mgc_logs_crosshost; /* crosshost.c */

#endif
