/* The verdict on a look before or after a block: the path, and what the link can do where it was
 * tested. */
#include "coordinator/verify/netbench.h"
#include "coordinator/verify/reasons.h"

/* The run was stopped while the link was tested: what is not there says nothing of the link. */
static void set_interrupted(const struct mgc_attempt *attempt, struct mgc_verdict *verdict)
{
    const char *why = attempt->error.text;
    mgc_reason_set(verdict, MGC_REASON_INTERRUPTED, "the link test did not come to its end%s%s",
        *why ? ": " : "", why);
}

void mgc_verify_bracket(const struct mgc_attempt *attempt, struct mgc_verdict *verdict)
{
    const struct mgc_step_outcome *test = mgc_attempt_step(attempt, "netbench");
    struct mgc_link_baseline link;
    if (verdict->state != MGC_VERDICT_MEASURED || !test)
        return; /* over a bad path no figure is the link's */
    mgc_verdict_take_back(verdict);
    if (attempt->interrupted && test->state != MGC_STEP_DONE)
        set_interrupted(attempt, verdict);
    mgc_verify_link(attempt, verdict, &link);
    mgc_link_metrics(attempt, verdict);
    if (mgc_verdict_is_named(verdict))
        return;
    if (link.known)
        verdict->state = MGC_VERDICT_MEASURED;
    else if (attempt->interrupted)
        set_interrupted(attempt, verdict);
    else
        mgc_reason_set(verdict, MGC_REASON_EVIDENCE_INCOMPLETE,
            "the link was to be tested, and not all that proves its figures is there");
}
