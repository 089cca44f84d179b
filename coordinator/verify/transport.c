/* Did adb hold the phone all the time? What adb lost and found again costs nothing where a plan
 * only wants its evidence whole: device_state.c sees to that. But whoever attaches again works on
 * the phone beside what is measured, and the phone may have been without its cable; a plan that
 * replaces disturbed cells wants that one replaced, too.
 */
#include "coordinator/verify/judge.h"
#include "coordinator/verify/verdict.h"

int64_t mgc_transport_losses(const struct mgc_attempt *attempt)
{
    int64_t most = 0, losses;
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        const struct mgc_fields *facts = &attempt->steps[i].facts;
        if (mgc_fields_get_int(facts, "transport_losses", &losses) && losses > most)
            most = losses;
    }
    return most;
}

void mgc_verify_transport(struct mgc_verdict *verdict, const struct mgc_attempt *attempt)
{
    int64_t losses = mgc_transport_losses(attempt);
    mgc_verdict_add(verdict, "adb held", losses ? MGC_CHECK_BAD : MGC_CHECK_OK, "adb",
        "%lld time%s lost", (long long)losses, plural((uint64_t)losses));
    if (!losses)
        return;
    mgc_verdict_take_back(verdict);
    mgc_reason_set(verdict, MGC_REASON_TRANSPORT_RENEWED,
        "adb lost the phone %lld time%s during the cell and got it back", (long long)losses,
        plural((uint64_t)losses));
}
