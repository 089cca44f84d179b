/* The verdict of the cross-host lane. The checks run in the order in which a person would look:
 * was it stopped, did the server refuse the session (which makes everything after it fail), did
 * the steps end well, did the session break off under the client, did the client say it passed, was
 * it really this arm, is the document whole and the right one, did the server's session end well.
 * All checks run, so that the evidence is complete; the first bad one names the verdict.
 */
#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

static void add_session(struct judge *judge, enum mgc_check_outcome outcome, const char *line)
{
    mgc_verdict_add(
        judge->verdict, "server session", outcome, "host.server", "%s", line ? line : "");
}

/* The line is the proof, the numbers are what the worker read from it: both have to be there. */
static void check_session(struct judge *judge)
{
    static const struct mgc_fields none;
    const struct mgc_step_outcome *server = mgc_judge_step(judge, "server");
    const struct mgc_fields *facts = server ? &server->facts : &none;
    const char *line = mgc_fields_get_str(facts, "reap_line");
    bool reaped = true;
    int64_t value;
    mgc_fields_get_bool(facts, "session_reaped", &reaped);
    reaped = reaped && line && *line;
    if (mgc_fields_get_int(facts, "session_signal", &value)) {
        add_session(judge, MGC_CHECK_BAD, line);
        mgc_reason_set(judge->verdict, MGC_REASON_SERVER_SESSION_SIGNAL,
            "the server's session was ended by signal %lld", (long long)value);
    } else if (mgc_fields_get_int(facts, "session_exit", &value) && value != 0) {
        add_session(judge, MGC_CHECK_BAD, line);
        mgc_reason_set(judge->verdict, MGC_REASON_SERVER_SESSION_EXIT,
            "the server's session ended with exit code %lld", (long long)value);
    } else if (reaped && mgc_fields_get_int(facts, "session_exit", &value)) {
        add_session(judge, MGC_CHECK_OK, line);
    } else {
        add_session(judge, MGC_CHECK_ABSENT, line);
        mgc_reason_set(judge->verdict, MGC_REASON_SESSION_NOT_REAPED,
            "no line says that the server's session was reaped with exit code 0");
    }
}

/* The client's log names the server process of its session, the reap line the one that was reaped:
 * a session of somebody else's client, or one that is not over, proves nothing about ours. */
static void check_session_is_ours(struct judge *judge)
{
    static const char check[] = "session is the client's";
    const struct mgc_markers *client = &judge->logs->files[MGC_LOG_CLIENT].markers;
    const struct mgc_step_outcome *server = mgc_judge_step(judge, "server");
    int64_t pid;
    if (!client->has_control_pid || !server ||
        !mgc_fields_get_int(&server->facts, "session_pid", &pid)) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, "host.server", "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_OTHER_SESSION,
            "nothing says that the session that was reaped was this client's");
        return;
    }
    bool ours = pid == client->control_pid;
    mgc_verdict_add(judge->verdict, check, ours ? MGC_CHECK_OK : MGC_CHECK_BAD, "host.server",
        "reaped pid %lld, the client talked to pid %lld", (long long)pid,
        (long long)client->control_pid);
    if (!ours)
        mgc_reason_set(judge->verdict, MGC_REASON_OTHER_SESSION,
            "the session that was reaped (pid %lld) is not this client's (pid %lld)",
            (long long)pid, (long long)client->control_pid);
}

static void judge_all(struct judge *judge)
{
    const struct mgc_documents *docs = &judge->docs;
    mgc_judge_interrupted(judge);
    mgc_judge_refusal(judge);
    mgc_judge_steps(judge);
    mgc_judge_cause(judge);
    mgc_judge_exit(judge);
    mgc_judge_no_session(judge);
    if (mgc_judge_document(judge, "result.json", docs->result_present, &docs->result_error,
            MGC_REASON_RESULT_MISSING, MGC_REASON_RESULT_DAMAGED))
        mgc_judge_result(judge);
    mgc_judge_exit_code(judge);
    mgc_judge_arm(judge);
    mgc_judge_measurement(judge);
    check_session(judge);
    check_session_is_ours(judge);
}

/* Nothing was named; that is not enough. Every check must also have seen what it looked for. */
static void conclude(struct mgc_verdict *verdict)
{
    if (mgc_verdict_is_named(verdict))
        return;
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        const struct mgc_evidence *item = &verdict->evidence[i];
        if (item->outcome != MGC_CHECK_OK)
            mgc_reason_set(verdict, MGC_REASON_EVIDENCE_INCOMPLETE, "check '%s' is %s", item->check,
                mgc_check_outcome_name(item->outcome));
    }
    if (verdict->evidence_count == 0)
        mgc_reason_set(verdict, MGC_REASON_EVIDENCE_INCOMPLETE, "there is no evidence at all");
    if (!mgc_verdict_is_named(verdict))
        verdict->state = MGC_VERDICT_MEASURED;
}

void mgc_verify_crosshost(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {.attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict};
    judge.logs = mgc_logs_scan(dir);
    if (!judge.logs) {
        mgc_reason_set(ret_verdict, MGC_REASON_NO_MEMORY, "not enough memory to judge");
        return;
    }
    mgc_documents_read(&judge.docs, dir);
    judge_all(&judge);
    mgc_verdict_metrics(ret_verdict, attempt, &judge.docs, judge.logs);
    conclude(ret_verdict);
    if (attempt->infrastructure && !attempt->interrupted)
        ret_verdict->infrastructure = true;
    mgc_documents_destroy(&judge.docs);
    mgc_logs_free(judge.logs);
}
