/* The verdict of the matrix lane: was the phone ready, how did the app's run end, was it really
 * this arm, is the document whole and the right one, did the phone keep its state while it ran. All
 * checks run, so that the evidence is complete; the first bad one names the verdict.
 */
#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

#include <string.h>

/* A forked server has a log of its own beside the client's; a started one has its own file. In one
 * process the second role may log into either. */
static struct mgc_log_set logs_of(const struct mgc_bench_arm *arm)
{
    bool started = arm && arm->server;
    bool forked = arm && !arm->server && arm->client_env &&
                  strstr(arm->client_env, "MOBILEGL_TRANSPORT=spawn");
    return (struct mgc_log_set){{
        [MGC_LOG_CLIENT] = {"mobilegl.client.log", true},
        [MGC_LOG_FORWARDED] = {"mobilegl.server.log", forked},
        [MGC_LOG_OUTPUT] = {NULL, false},
        [MGC_LOG_SERVER] = {started ? "mgl.server.log" : NULL, true},
        [MGC_LOG_PHONE] = {"logcat.txt", true},
    }};
}

static void judge_all(struct judge *judge, const char *dir)
{
    const struct mgc_documents *docs = &judge->docs;
    mgc_judge_interrupted(judge);
    mgc_judge_refusal(judge);
    mgc_judge_same_setup(judge); /* explains more than the step that failed by it */
    mgc_judge_neighbours(judge, dir);
    mgc_judge_steps(judge);
    mgc_judge_host_gates(judge);
    mgc_judge_gate(judge);
    mgc_judge_cause(judge);
    mgc_judge_app(judge);
    mgc_judge_settled_files(judge);
    if (mgc_judge_document(judge, "result.json", docs->result_present, &docs->result_error,
            MGC_REASON_RESULT_MISSING, MGC_REASON_RESULT_DAMAGED))
        mgc_judge_result(judge);
    mgc_judge_arm(judge);
    mgc_judge_measurement(judge);
    if (judge->arm && judge->arm->server)
        mgc_judge_session(judge);
    mgc_judge_device_state(judge, dir);
    mgc_judge_knobs(judge);
    mgc_judge_builds(judge);
}

void mgc_verify_matrix(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {.attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict};
    judge.arm = mgc_bench_arm(mgc_bench_built_in(), judge.cell->arm);
    struct mgc_log_set set = logs_of(judge.arm);
    judge.logs = mgc_logs_scan(dir, &set);
    if (!judge.logs) {
        mgc_reason_set(ret_verdict, MGC_REASON_NO_MEMORY, "not enough memory to judge");
        return;
    }
    mgc_documents_read(&judge.docs, dir);
    judge_all(&judge, dir);
    mgc_verdict_metrics(ret_verdict, attempt, &judge.docs, judge.logs);
    mgc_app_metrics(&ret_verdict->metrics, attempt);
    mgc_pipe_metrics(&ret_verdict->metrics, dir, mgc_bench_two_processes(judge.arm));
    mgc_matrix_metrics(ret_verdict, attempt, judge.logs, dir);
    mgc_judge_conclude(&judge);
    mgc_documents_destroy(&judge.docs);
    mgc_logs_free(judge.logs);
}
