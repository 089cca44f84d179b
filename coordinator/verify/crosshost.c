/* The verdict of the cross-host lane. The checks run in the order in which a person would look:
 * was it stopped, did the server refuse the session (which makes everything after it fail), is it
 * still the phone of the setup, did somebody else start or stop the app, did the steps end well,
 * did the session break off under the client, did the client say it passed, was it really this arm,
 * is the document whole and the right one, did the server's session end well, did the phone keep
 * its state meanwhile. All checks run, so that the evidence is complete; the first bad one names
 * the verdict.
 */
#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

const struct mgc_log_set mgc_logs_crosshost = {{
    [MGC_LOG_CLIENT] = {"mobilegl.client.log", true},
    [MGC_LOG_FORWARDED] = {"mobilegl.server.log", false},
    [MGC_LOG_OUTPUT] = {"mobilegl.log", false},
    [MGC_LOG_SERVER] = {"mgl.server.log", true},
    [MGC_LOG_PHONE] = {"phone-logcat.txt", true},
}};

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
    mgc_judge_exit(judge);
    mgc_judge_no_session(judge);
    if (mgc_judge_document(judge, "result.json", docs->result_present, &docs->result_error,
            MGC_REASON_RESULT_MISSING, MGC_REASON_RESULT_DAMAGED))
        mgc_judge_result(judge);
    mgc_judge_exit_code(judge);
    mgc_judge_arm(judge);
    mgc_judge_measurement(judge);
    mgc_judge_session(judge);
    mgc_judge_device_state(judge, dir);
    mgc_judge_knobs(judge);
}

void mgc_verify_crosshost(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {.attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict};
    judge.arm = mgc_bench_arm(mgc_bench_built_in(), judge.cell->arm);
    judge.logs = mgc_logs_scan(dir, &mgc_logs_crosshost);
    if (!judge.logs) {
        mgc_reason_set(ret_verdict, MGC_REASON_NO_MEMORY, "not enough memory to judge");
        return;
    }
    mgc_documents_read(&judge.docs, dir);
    judge_all(&judge, dir);
    mgc_verdict_metrics(ret_verdict, attempt, &judge.docs, judge.logs);
    mgc_app_metrics(&ret_verdict->metrics, attempt);
    mgc_server_read_metrics(&ret_verdict->metrics, &judge.logs->server_read);
    mgc_judge_server_build(&judge);
    mgc_judge_conclude(&judge);
    mgc_documents_destroy(&judge.docs);
    mgc_logs_free(judge.logs);
}
