/* What the replay client says of itself: exit, result.json, ssim. */
#include "coordinator/verify/judge.h"

#include <stdio.h>

static void add_exit(struct judge *judge, enum mgc_check_outcome outcome, const char *seen)
{
    mgc_verdict_add(judge->verdict, "client exit", outcome, "wsl.replay", "%s", seen);
}

void mgc_judge_exit(struct judge *judge)
{
    static const struct mgc_fields none;
    const struct mgc_step_outcome *replay = mgc_judge_step(judge, "replay");
    const struct mgc_fields *facts = replay ? &replay->facts : &none;
    int64_t value;
    bool timed_out = false;
    char seen[48];
    mgc_fields_get_bool(facts, "timed_out", &timed_out);
    if (timed_out) {
        add_exit(judge, MGC_CHECK_BAD, "timed out");
        mgc_reason_set(judge->verdict, MGC_REASON_CLIENT_TIMEOUT,
            "the replay client did not end within its time");
    } else if (mgc_fields_get_int(facts, "signal", &value)) {
        snprintf(seen, sizeof(seen), "signal %lld", (long long)value);
        add_exit(judge, MGC_CHECK_BAD, seen);
        mgc_reason_set(judge->verdict, MGC_REASON_CLIENT_CRASHED,
            "the replay client was ended by signal %lld", (long long)value);
    } else if (mgc_fields_get_int(facts, "rc", &value)) {
        snprintf(seen, sizeof(seen), "rc=%lld", (long long)value);
        add_exit(judge, value == 0 ? MGC_CHECK_OK : MGC_CHECK_BAD, seen);
    } else {
        add_exit(judge, MGC_CHECK_ABSENT, "");
        mgc_reason_set(judge->verdict, MGC_REASON_CLIENT_EXIT_UNKNOWN,
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
    mgc_reason_set(judge->verdict, MGC_REASON_CLIENT_EXIT,
        "the replay client ended with code %lld%s%s", (long long)rc, name ? ", " : "",
        name ? name : "");
}

bool mgc_judge_document(struct judge *judge, const char *name, bool present,
    const struct mgc_error *error, enum mgc_reason missing, enum mgc_reason damaged)
{
    char check[64];
    snprintf(check, sizeof(check), "%s whole", name);
    if (!present) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, name, "%s", "");
        mgc_reason_set(judge->verdict, missing, "%s is missing", name);
    } else if (error->code != MGC_OK) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_BAD, name, "%s", error->text);
        mgc_reason_set(judge->verdict, damaged, "%s cannot be read: %s", name, error->text);
    } else {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, name, "parsed");
        return true;
    }
    return false;
}

static void judge_passed(struct judge *judge)
{
    const struct mgc_result_doc *doc = &judge->docs.result;
    bool passed = false;
    int64_t status = 0;
    bool known = mgc_result_passed(doc, &passed);
    known = mgc_result_status(doc, &status) && known;
    bool good = known && passed && status == MGC_RESULT_OK;
    if (!known) {
        mgc_verdict_add(
            judge->verdict, "client passed", MGC_CHECK_ABSENT, "result.json:passed", "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_RESULT_NOT_PASSED,
            "result.json does not say both passed and statusCode");
        return;
    }
    mgc_verdict_add(judge->verdict, "client passed", good ? MGC_CHECK_OK : MGC_CHECK_BAD,
        "result.json:passed", "passed=%s statusCode=%lld", passed ? "true" : "false",
        (long long)status);
    const char *name = mgc_result_status_name(status);
    const char *message = mgc_fields_get_str(&doc->fields, "message");
    if (!good)
        mgc_reason_set(judge->verdict, MGC_REASON_RESULT_NOT_PASSED,
            "the client says it did not pass (%s%s%s)", name ? name : "unknown status",
            message && *message ? ": " : "", message ? message : "");
}

static void judge_threshold(struct judge *judge, double ssim)
{
    double threshold = judge->cell->expect.ssim_threshold;
    bool good = ssim >= threshold;
    mgc_verdict_add(judge->verdict, "ssim", good ? MGC_CHECK_OK : MGC_CHECK_BAD, "result.json:ssim",
        "%.9f (threshold %g)", ssim, threshold);
    if (!good)
        mgc_reason_set(judge->verdict, MGC_REASON_SSIM_BELOW_THRESHOLD,
            "ssim %.9f is below the threshold %g", ssim, threshold);
}

/* Without a golden there is nothing to differ from, and the client says ssim 1 (contract 4.1). */
static void judge_golden(struct judge *judge)
{
    const char *golden = mgc_fields_get_str(&judge->docs.result.fields, "goldenPath");
    bool named = golden && *golden;
    mgc_verdict_add(judge->verdict, "golden", named ? MGC_CHECK_OK : MGC_CHECK_ABSENT,
        "result.json:goldenPath", "%s", named ? golden : "");
    if (!named)
        mgc_reason_set(judge->verdict, MGC_REASON_NO_GOLDEN,
            "result.json names no golden: there was nothing to compare the picture with");
}

void mgc_judge_result(struct judge *judge)
{
    double ssim;
    bool compares = judge->cell->mode == MGC_MODE_SSIM;
    bool has_ssim = mgc_fields_get_double(&judge->docs.result.fields, "ssim", &ssim);
    /* A picture that differs is also a replay that did not pass; the picture says more. */
    if (compares && has_ssim)
        judge_threshold(judge, ssim);
    judge_passed(judge);
    if (!compares)
        return;
    if (!has_ssim) {
        mgc_verdict_add(judge->verdict, "ssim", MGC_CHECK_ABSENT, "result.json:ssim", "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_SSIM_MISSING, "result.json has no ssim");
    }
    judge_golden(judge);
}
