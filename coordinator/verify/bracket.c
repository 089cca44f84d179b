/* The verdict on a look before or after a block: the path, and what the link can do where it was
 * tested. */
#include "coordinator/verify/netbench.h"
#include "coordinator/verify/reasons.h"

static bool has_link_test(const struct mgc_attempt *attempt)
{
    return mgc_attempt_step(attempt, "netbench") != NULL;
}

void mgc_verify_bracket(const struct mgc_attempt *attempt, struct mgc_verdict *verdict)
{
    struct mgc_link_baseline link;
    if (verdict->state != MGC_VERDICT_MEASURED || !has_link_test(attempt))
        return; /* over a bad path no figure is the link's */
    mgc_verdict_take_back(verdict);
    mgc_verify_link(attempt, verdict, &link);
    mgc_link_metrics(attempt, verdict);
    if (mgc_verdict_is_named(verdict))
        return;
    if (link.known)
        verdict->state = MGC_VERDICT_MEASURED;
    else
        mgc_reason_set(verdict, MGC_REASON_EVIDENCE_INCOMPLETE,
            "the link was to be tested, and not all that proves its figures is there");
}
