/* The verdict on a run of run_matrix.sh or matrix_p14.sh: the checks of matrix.c as far as its
 * directory has what they look at, and what the old script's own verify.txt says. It can show that
 * a run does not count; that one does, it cannot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

/* markers.txt: matrix_p14.sh's lines of evidence; it did not keep whole logs. */
static const struct mgc_log_set logs_old = {{
    [MGC_LOG_CLIENT] = {"mobilegl.client.log", false},
    [MGC_LOG_FORWARDED] = {"mobilegl.server.log", false},
    [MGC_LOG_OUTPUT] = {"markers.txt", false},
    [MGC_LOG_SERVER] = {"mgl.server.log", false},
    [MGC_LOG_PHONE] = {"logcat.txt", false},
}};

static void add_absent(struct judge *judge, const char *check, const char *source)
{
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, source, "%s", "");
}

/* ---- what the old script itself saw --------------------------------------------------------- */

static const struct {
    const char *key, *bad; /* begin of a value that speaks against the run */
    enum mgc_reason reason;
} old_words[] = {
    {"TRANSPORT_MARKER", "inproc:MISSING", MGC_REASON_TRANSPORT_MARKER_MISSING},
    {"TRANSPORT_MARKER", "spawn:MISSING", MGC_REASON_TRANSPORT_MARKER_MISSING},
    {"SPLIT_MARKER", "UNEXPECTED", MGC_REASON_OTHER_ARM},
    {"SECOND_PROCESS_SPAWN_ARMED", "MISSING", MGC_REASON_SECOND_PROCESS_MISSING},
    {"TCP_SESSION", "MISSING", MGC_REASON_SESSION_MARKER_MISSING},
    {"LOCKSTEP_WARNING", "PRESENT", MGC_REASON_LOCKSTEP},
    {"LOCKSTEP", "PRESENT", MGC_REASON_LOCKSTEP},
    {"DISARMED", "PRESENT", MGC_REASON_RUN_AHEAD_DISARMED},
    {"BACKEND", "MISSING", MGC_REASON_BACKEND_UNKNOWN},
    {"ARM", "MISSING", MGC_REASON_TRANSPORT_MARKER_MISSING},
    {"ARM", "UNEXPECTED", MGC_REASON_OTHER_ARM},
};

static void speaks_against(
    struct judge *judge, const char *key, const char *value, enum mgc_reason reason)
{
    char check[96];
    snprintf(check, sizeof(check), "old %s", key);
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_BAD, "verify.txt", "%s", value);
    mgc_reason_set(judge->verdict, reason, "%s (verify.txt: %s=%.120s)",
        mgc_reason_words(reason)->meaning, key, value);
}

/* A monolith has no run-ahead, and the old script said MISSING all the same. */
static void judge_run_ahead(struct judge *judge, const struct mgc_fields *old)
{
    static const char *const keys[] = {"RUN_AHEAD_ARMED", "RUN_AHEAD"};
    bool split = judge->arm && judge->arm->client_env;
    for (size_t i = 0; split && i < 2; i++) {
        const char *value = mgc_fields_get_str(old, keys[i]);
        if (value && strncmp(value, "MISSING", 7) == 0)
            speaks_against(judge, keys[i], value, MGC_REASON_RUN_AHEAD_NOT_ARMED);
    }
}

static void judge_old_words(struct judge *judge, const struct mgc_fields *old)
{
    for (size_t i = 0; i < sizeof(old_words) / sizeof(old_words[0]); i++) {
        const char *value = mgc_fields_get_str(old, old_words[i].key), *bad = old_words[i].bad;
        if (value && strncmp(value, bad, strlen(bad)) == 0)
            speaks_against(judge, old_words[i].key, value, old_words[i].reason);
    }
    judge_run_ahead(judge, old);
    const char *fatal = mgc_fields_get_str(old, "FATAL_LINES");
    if (fatal && strtol(fatal, NULL, 10) > 0)
        speaks_against(judge, "FATAL_LINES", fatal, MGC_REASON_FATAL_IN_LOG);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void judge_all(struct judge *judge, const struct mgc_fields *old)
{
    const struct mgc_documents *docs = &judge->docs;
    mgc_judge_refusal(judge);
    mgc_judge_steps(judge);
    mgc_judge_app(judge);
    if (mgc_judge_document(judge, "result.json", docs->result_present, &docs->result_error,
            MGC_REASON_RESULT_MISSING, MGC_REASON_RESULT_DAMAGED))
        mgc_judge_result(judge);
    if (judge->logs->files[MGC_LOG_CLIENT].present)
        mgc_judge_arm(judge);
    else
        mgc_judge_forbidden(judge);
    judge_old_words(judge, old);
    mgc_judge_measurement(judge);
    add_absent(judge, "gate", "host.quiesce");
    add_absent(judge, "device state", "device-state.csv");
    add_absent(judge, "builds", "setup");
}

void mgc_verify_matrix_old(const struct mgc_attempt *attempt, const char *dir,
    const struct mgc_fields *old_verify, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {
        .attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict, .old_layout = true};
    judge.arm = mgc_bench_arm(mgc_bench_built_in(), judge.cell->arm);
    judge.logs = mgc_logs_scan(dir, &logs_old);
    if (!judge.logs) {
        mgc_reason_set(ret_verdict, MGC_REASON_NO_MEMORY, "not enough memory to judge");
        return;
    }
    mgc_documents_read(&judge.docs, dir);
    judge_all(&judge, old_verify);
    mgc_verdict_metrics(ret_verdict, attempt, &judge.docs, judge.logs);
    mgc_pipe_metrics(&ret_verdict->metrics, dir, mgc_bench_two_processes(judge.arm));
    mgc_matrix_metrics(ret_verdict, attempt, judge.logs, dir);
    if (!mgc_verdict_is_named(ret_verdict))
        mgc_reason_set(ret_verdict, MGC_REASON_NOT_PROVABLE,
            "nothing speaks against it, but the phone's state, its builds and the end of its logs "
            "were not kept");
    mgc_documents_destroy(&judge.docs);
    mgc_logs_free(judge.logs);
}
