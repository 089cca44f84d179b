/* Did every step end well, and if not, what is that called? */
#include "coordinator/verify/judge.h"

#include <stdio.h>
#include <string.h>

const struct mgc_step_outcome *mgc_judge_step(const struct judge *judge, const char *id)
{
    for (size_t i = 0; i < judge->cell->step_count; i++) {
        if (strcmp(judge->cell->steps[i].id, id) == 0)
            return &judge->attempt->steps[i];
    }
    return NULL;
}

struct failure_name {
    enum mgc_code code;
    const char *reason;
    const char *next_step;
};

static const struct failure_name failure_names[] = {
    {MGC_E_TIMEOUT, "timeout", "see the log of the step that is named"},
    {MGC_E_CANCELLED, "interrupted", "run it again"},
    {MGC_E_NO_SPACE, "disk-full", "free space on the machine that is named"},
    {MGC_E_INTEGRITY, "artifact-damaged", "look at the network between worker and coordinator"},
    {MGC_E_BUSY, "busy", "find out who else uses the phone"},
    {MGC_E_NOT_FOUND, "file-missing", "check the paths in site.yaml"},
    {MGC_E_DENIED, "denied", "check the worker's permissions"},
    {MGC_E_CONFIG, "bad-parameter", "check plan and site"},
};

static void name_failure(struct mgc_verdict *verdict, const struct mgc_attempt *attempt)
{
    const struct mgc_error *error = &attempt->error;
    verdict->infrastructure = attempt->infrastructure || error->code == MGC_E_BUSY;
    if (attempt->interrupted) {
        mgc_verdict_set(
            verdict, MGC_VERDICT_INCOMPLETE, "interrupted", "run it again", "%s", error->text);
        return;
    }
    if (error->code == MGC_E_LOST) {
        const char *reason = strstr(error->text, "worker lost")         ? "worker-lost"
                             : strstr(error->text, "no worker of role") ? "worker-absent"
                             : strstr(error->text, "setup no longer")   ? "setup-lost"
                                                                        : "device-lost";
        mgc_verdict_set(verdict, MGC_VERDICT_FAILED, reason,
            "look at that machine's log and at its power and cables", "%s", error->text);
        return;
    }
    for (size_t i = 0; i < sizeof(failure_names) / sizeof(failure_names[0]); i++) {
        if (failure_names[i].code == error->code) {
            mgc_verdict_set(verdict, MGC_VERDICT_FAILED, failure_names[i].reason,
                failure_names[i].next_step, "%s", error->text);
            return;
        }
    }
    mgc_verdict_set(
        verdict, MGC_VERDICT_FAILED, "step-failed", "see the step's log", "%s", error->text);
}

void mgc_judge_steps(struct judge *judge)
{
    for (size_t i = 0; i < judge->cell->step_count; i++) {
        const struct mgc_step *step = &judge->cell->steps[i];
        const struct mgc_step_outcome *outcome = &judge->attempt->steps[i];
        char check[96];
        snprintf(check, sizeof(check), "step %s", step->id);
        mgc_verdict_add(judge->verdict, check,
            outcome->state == MGC_STEP_DONE ? MGC_CHECK_OK : MGC_CHECK_BAD, step->kind, "%s%s%s",
            mgc_step_state_name(outcome->state), outcome->error.code ? ": " : "",
            outcome->error.text);
    }
    if (!judge->attempt->completed)
        name_failure(judge->verdict, judge->attempt);
}
