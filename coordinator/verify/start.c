/* Did the members of the cell's common start really begin together? A worker refuses a release that
 * is already past, but a thread may still wake up late. */
#include "common/base/clock.h"
#include "coordinator/verify/reasons.h"
#include "coordinator/verify/verdict.h"

/* Well above a scheduler's delay on a busy machine, far below what a cell takes. */
#define SKEW_MAX_NS (250 * MGC_NS_PER_MS)

static bool has_barrier(const struct mgc_cell *cell)
{
    for (size_t i = 0; i < cell->step_count; i++) {
        if (cell->steps[i].barrier)
            return true;
    }
    return false;
}

void mgc_verify_start(struct mgc_verdict *verdict, const struct mgc_attempt *attempt)
{
    static const char check[] = "common start", source[] = "barrier";
    const struct mgc_release *release = &attempt->release;
    double skew_ms = (double)release->skew_ns / 1e6;
    if (!has_barrier(attempt->cell))
        return;
    bool known = release->released && release->reported == release->members;
    bool together = known && release->skew_ns <= SKEW_MAX_NS;
    if (known)
        mgc_verdict_add(verdict, check, together ? MGC_CHECK_OK : MGC_CHECK_BAD, source,
            "%zu members within %.3f ms", release->members, skew_ms);
    else
        mgc_verdict_add(verdict, check, MGC_CHECK_ABSENT, source, "%zu of %zu members reported",
            release->reported, release->members);
    if (together)
        return;
    mgc_verdict_take_back(verdict);
    if (known)
        mgc_reason_set(verdict, MGC_REASON_START_SKEWED,
            "the members of the common start began %.1f ms apart", skew_ms);
    else
        mgc_reason_set(verdict, MGC_REASON_START_SKEWED,
            "only %zu of %zu members of the common start said when they began", release->reported,
            release->members);
}
