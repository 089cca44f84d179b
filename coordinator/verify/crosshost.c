/* The verdict of the cross-host lane. The checks run in the order in which a person would look:
 * did the steps end well, did the client say it passed, is the document whole and the right one,
 * was it really this arm, did the server's session end well. All checks run, so that the evidence
 * is complete; the first bad one names the verdict.
 */
#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

static void check_session(struct judge *judge)
{
    const struct mgc_step_outcome *server = mgc_judge_step(judge, "server");
    struct mgc_verdict *verdict = judge->verdict;
    if (!server)
        return;
    const char *line = mgc_fields_get_str(&server->facts, "reap_line");
    int64_t value;
    if (mgc_fields_get_int(&server->facts, "session_exit", &value)) {
        mgc_verdict_add(verdict, "server session", value == 0 ? MGC_CHECK_OK : MGC_CHECK_BAD,
            "host.server", "%s", line ? line : "");
        if (value != 0)
            mgc_verdict_set(verdict, MGC_VERDICT_INVALID, "server-session-exit",
                "see mgl.server.log", "the server's session ended with exit code %lld",
                (long long)value);
    } else if (mgc_fields_get_int(&server->facts, "session_signal", &value)) {
        mgc_verdict_add(
            verdict, "server session", MGC_CHECK_BAD, "host.server", "%s", line ? line : "");
        mgc_verdict_set(verdict, MGC_VERDICT_INVALID, "server-session-signal", "see mgl.server.log",
            "the server's session was ended by signal %lld", (long long)value);
    } else {
        mgc_verdict_add(verdict, "server session", MGC_CHECK_ABSENT, "host.server", "%s", "");
        mgc_verdict_set(verdict, MGC_VERDICT_INVALID, "session-not-reaped",
            "see phone-logcat.txt and mgl.server.log",
            "no line says that the server's session was reaped");
    }
}

static void judge_files(struct judge *judge)
{
    mgc_judge_steps(judge);
    mgc_judge_exit(judge);
    if (mgc_judge_document(
            judge, "result.json", judge->docs.result_present, &judge->docs.result_error)) {
        mgc_judge_ssim(judge);
        mgc_judge_passed(judge);
    }
    mgc_judge_exit_code(judge);
    mgc_judge_arm(judge);
    if (judge->docs.result_present && judge->docs.result_error.code == MGC_OK)
        mgc_judge_measurement(judge);
    check_session(judge);
}

void mgc_verify_crosshost(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {.attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict};
    judge.logs = mgc_logs_scan(dir);
    if (!judge.logs) {
        mgc_verdict_set(
            ret_verdict, MGC_VERDICT_INCOMPLETE, "no-memory", "", "not enough memory to judge");
        return;
    }
    mgc_documents_read(&judge.docs, dir);
    judge_files(&judge);
    mgc_verdict_metrics(ret_verdict, attempt, &judge.docs, judge.logs);
    /* Nothing was wrong, and every check above adds evidence only for what it has seen. */
    if (ret_verdict->state == MGC_VERDICT_INCOMPLETE && !ret_verdict->reason[0])
        ret_verdict->state = MGC_VERDICT_MEASURED;
    mgc_documents_destroy(&judge.docs);
    mgc_logs_free(judge.logs);
}
