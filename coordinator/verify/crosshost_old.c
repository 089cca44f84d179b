/* The verdict on a run of the old crosshost_accept.sh: the checks of crosshost.c as far as its
 * directory has what they look at. It can show that a run does not count; that one does, it cannot.
 */
#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

static void add_absent(struct judge *judge, const char *check, const char *source)
{
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, source, "%s", "");
}

static void judge_all(struct judge *judge)
{
    const struct mgc_documents *docs = &judge->docs;
    mgc_judge_refusal(judge);
    mgc_judge_exit(judge);
    if (mgc_judge_document(judge, "result.json", docs->result_present, &docs->result_error,
            MGC_REASON_RESULT_MISSING, MGC_REASON_RESULT_DAMAGED))
        mgc_judge_result(judge);
    mgc_judge_exit_code(judge);
    mgc_judge_arm(judge);
    mgc_judge_measurement(judge);
    add_absent(judge, "log mgl.server.log", "mgl.server.log");
    add_absent(judge, "server session", "host.server");
}

void mgc_verify_crosshost_old(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {
        .attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict, .old_layout = true};
    judge.arm = mgc_bench_arm(mgc_bench_built_in(), judge.cell->arm);
    judge.logs = mgc_logs_scan(dir, &mgc_logs_crosshost);
    if (!judge.logs) {
        mgc_reason_set(ret_verdict, MGC_REASON_NO_MEMORY, "not enough memory to judge");
        return;
    }
    judge.logs->files[MGC_LOG_SERVER].required = false;
    mgc_documents_read(&judge.docs, dir);
    judge_all(&judge);
    mgc_verdict_metrics(ret_verdict, attempt, &judge.docs, judge.logs);
    if (!mgc_verdict_is_named(ret_verdict))
        mgc_reason_set(ret_verdict, MGC_REASON_NOT_PROVABLE,
            "nothing speaks against it, but how the server's session ended was not kept");
    mgc_documents_destroy(&judge.docs);
    mgc_logs_free(judge.logs);
}
