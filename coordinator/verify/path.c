/* The path check's facts, judged: is this the phone's own answer or somebody's in between? */
#include <stdio.h>
#include <string.h>

#include "coordinator/verify/judge.h"

static const struct mgc_step_outcome *path_step(const struct mgc_attempt *attempt)
{
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].kind, "wsl.pathcheck") == 0)
            return &attempt->steps[i];
    }
    return NULL;
}

/* The worker's word is not enough: its probes must have seen a refusal and no acceptance. */
static const char *judge_probes(const struct mgc_fields *facts, const char *said)
{
    int64_t refused, accepted;
    if (strcmp(said, "end-to-end") != 0)
        return said;
    if (!mgc_fields_get_int(facts, "ports_refused", &refused) ||
        !mgc_fields_get_int(facts, "ports_accepted", &accepted))
        return "end-to-end without its probes";
    if (accepted > 0)
        return "middlebox";
    return refused > 0 ? said : "end-to-end without a refusal";
}

static void name_path(struct mgc_verdict *verdict, const char *said, const char *reason)
{
    if (strcmp(said, "end-to-end") == 0)
        verdict->state = MGC_VERDICT_MEASURED;
    else if (strcmp(said, "middlebox") == 0)
        mgc_reason_set(verdict, MGC_REASON_MIDDLEBOX,
            "a middlebox between WSL and the phone ends TCP, so nothing measured over this path "
            "would be the phone's: %s",
            reason ? reason : "a closed port was accepted");
    else
        mgc_reason_set(verdict, MGC_REASON_PATH_UNCLEAR,
            "the path to the phone cannot be told apart from a broken one: %s",
            reason ? reason : "no answer from a closed port");
}

/* Nobody looked. What to do is what helps against whatever kept the check from being made. */
static void not_checked(const struct mgc_attempt *attempt, const struct mgc_step_outcome *step,
    struct mgc_verdict *verdict)
{
    const char *why = step && step->error.text[0] ? step->error.text : attempt->error.text;
    mgc_verdict_add(verdict, "path", MGC_CHECK_ABSENT, "wsl.pathcheck", "%s", why);
    mgc_reason_set(verdict,
        attempt->interrupted ? MGC_REASON_INTERRUPTED : MGC_REASON_PATH_UNCHECKED,
        "the path to the phone was not checked%s%s", *why ? ": " : "", why);
    if (!attempt->interrupted && attempt->error.code)
        snprintf(verdict->next_step, sizeof(verdict->next_step), "%s",
            mgc_reason_words(mgc_judge_failure(attempt))->next_step);
}

void mgc_verify_path(const struct mgc_attempt *attempt, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    const struct mgc_step_outcome *step = path_step(attempt);
    const char *said =
        step && step->state == MGC_STEP_DONE ? mgc_fields_get_str(&step->facts, "verdict") : NULL;
    if (!said) {
        not_checked(attempt, step, ret_verdict);
        return;
    }
    said = judge_probes(&step->facts, said);
    const char *reason = mgc_fields_get_str(&step->facts, "reason");
    bool good = strcmp(said, "end-to-end") == 0;
    mgc_verdict_add(ret_verdict, "path", good ? MGC_CHECK_OK : MGC_CHECK_BAD, "wsl.pathcheck",
        "%s%s%s", said, reason ? ": " : "", reason ? reason : "");
    name_path(ret_verdict, said, reason);
}
