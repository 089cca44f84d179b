/* What the replay client says of itself: exit, result.json, ssim. */
#include "coordinator/verify/judge.h"

#include <stdio.h>
#include <string.h>

void mgc_judge_exit(struct judge *judge)
{
    const struct mgc_step_outcome *replay = mgc_judge_step(judge, "replay");
    struct mgc_verdict *verdict = judge->verdict;
    int64_t rc, signal_number;
    bool timed_out = false;
    if (replay)
        mgc_fields_get_bool(&replay->facts, "timed_out", &timed_out);
    if (timed_out) {
        mgc_verdict_add(verdict, "client exit", MGC_CHECK_BAD, "wsl.replay", "timed out");
        mgc_verdict_set(verdict, MGC_VERDICT_FAILED, "client-timeout",
            "see mobilegl.client.log for where it stopped",
            "the replay client did not end within its time");
    } else if (replay && mgc_fields_get_int(&replay->facts, "signal", &signal_number)) {
        mgc_verdict_add(verdict, "client exit", MGC_CHECK_BAD, "wsl.replay", "signal %lld",
            (long long)signal_number);
        mgc_verdict_set(verdict, MGC_VERDICT_FAILED, "client-crashed",
            "see mobilegl.log and mobilegl.client.log",
            "the replay client was ended by signal %lld", (long long)signal_number);
    } else if (replay && mgc_fields_get_int(&replay->facts, "rc", &rc)) {
        mgc_verdict_add(verdict, "client exit", rc == 0 ? MGC_CHECK_OK : MGC_CHECK_BAD,
            "wsl.replay", "rc=%lld", (long long)rc);
    } else {
        mgc_verdict_add(verdict, "client exit", MGC_CHECK_ABSENT, "wsl.replay", "%s", "");
        mgc_verdict_set(verdict, MGC_VERDICT_FAILED, "client-exit-unknown", "see the worker's log",
            "nobody saw how the replay client ended");
    }
}

/* The exit code alone, once result.json had its chance to say it better. */
void mgc_judge_exit_code(struct judge *judge)
{
    const struct mgc_step_outcome *replay = mgc_judge_step(judge, "replay");
    int64_t rc;
    if (!replay || !mgc_fields_get_int(&replay->facts, "rc", &rc) || rc == 0)
        return;
    const char *name = mgc_result_status_name(rc);
    mgc_verdict_set(judge->verdict, MGC_VERDICT_FAILED, "client-exit", "see mobilegl.log",
        "the replay client ended with code %lld%s%s", (long long)rc, name ? ", " : "",
        name ? name : "");
}

bool mgc_judge_document(
    struct judge *judge, const char *name, bool present, const struct mgc_error *error)
{
    char check[64], reason[64];
    snprintf(check, sizeof(check), "%s whole", name);
    if (present && error->code == MGC_OK) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, name, "parsed");
        return true;
    }
    mgc_verdict_add(
        judge->verdict, check, present ? MGC_CHECK_BAD : MGC_CHECK_ABSENT, name, "%s", error->text);
    snprintf(reason, sizeof(reason), "%.*s-%s", (int)strcspn(name, "."), name,
        present ? "damaged" : "missing");
    mgc_verdict_set(judge->verdict, MGC_VERDICT_FAILED, reason, "see mobilegl.log and rc.txt",
        present ? "%s cannot be read: %s" : "%s is missing%s", name, error->text);
    return false;
}

void mgc_judge_ssim(struct judge *judge)
{
    double ssim, threshold = judge->cell->expect.ssim_threshold;
    if (judge->cell->mode != MGC_MODE_SSIM)
        return;
    if (!mgc_fields_get_double(&judge->docs.result.fields, "ssim", &ssim)) {
        mgc_verdict_add(judge->verdict, "ssim", MGC_CHECK_ABSENT, "result.json:ssim", "%s", "");
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "ssim-missing",
            "check that the golden is named in site.yaml", "result.json has no ssim");
        return;
    }
    bool good = ssim >= threshold;
    mgc_verdict_add(judge->verdict, "ssim", good ? MGC_CHECK_OK : MGC_CHECK_BAD, "result.json:ssim",
        "%.9f (threshold %.2f)", ssim, threshold);
    if (!good)
        mgc_verdict_set(judge->verdict, MGC_VERDICT_FAILED, "ssim-below-threshold",
            "compare actual.png with the golden", "ssim %.6f is below the threshold %.2f", ssim,
            threshold);
}

void mgc_judge_passed(struct judge *judge)
{
    bool passed = false;
    int64_t status = 0;
    bool has_passed = mgc_result_passed(&judge->docs.result, &passed);
    bool has_status = mgc_result_status(&judge->docs.result, &status);
    bool good = has_passed && passed && has_status && status == MGC_RESULT_OK;
    const char *message = mgc_fields_get_str(&judge->docs.result.fields, "message");
    mgc_verdict_add(judge->verdict, "client passed",
        good                       ? MGC_CHECK_OK
        : has_passed && has_status ? MGC_CHECK_BAD
                                   : MGC_CHECK_ABSENT,
        "result.json:passed", "passed=%s statusCode=%lld", passed ? "true" : "false",
        (long long)status);
    if (good)
        return;
    const char *name = has_status ? mgc_result_status_name(status) : NULL;
    mgc_verdict_set(judge->verdict, MGC_VERDICT_FAILED, "result-not-passed", "see mobilegl.log",
        "the client says it did not pass (%s%s%s)", name ? name : "no status",
        message && *message ? ": " : "", message ? message : "");
}
