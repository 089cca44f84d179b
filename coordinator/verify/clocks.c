/* Did the workers' clocks run on evenly while the cell ran? */
#include "common/base/clock.h"
#include "coordinator/verify/reasons.h"
#include "coordinator/verify/verdict.h"

/* Two readings of one ping are apart by scheduling alone; a sleep is longer than this. */
#define SLEPT_LEAST_NS (100 * MGC_NS_PER_MS)

static void judge_clock(struct mgc_verdict *verdict, const struct mgc_clock_watch *watch)
{
    bool slept = watch->slept_ns >= SLEPT_LEAST_NS;
    bool even = watch->stepped_ns == 0 && !slept;
    double stepped_ms = (double)watch->stepped_ns / 1e6;
    /* Two clocks read one after the other: a hair below 0 is none. */
    double slept_ms = watch->slept_ns > 0 ? (double)watch->slept_ns / 1e6 : 0;
    mgc_verdict_add(verdict, "clock", even ? MGC_CHECK_OK : MGC_CHECK_BAD, watch->role,
        "stepped %.3f ms, slept %.3f ms", stepped_ms, slept_ms);
    if (even)
        return;
    mgc_verdict_take_back(verdict);
    if (slept)
        mgc_reason_set(verdict, MGC_REASON_HOST_SLEPT,
            "the machine of worker '%s' slept for %.1f s during the cell", watch->role,
            slept_ms / 1000);
    else
        mgc_reason_set(verdict, MGC_REASON_CLOCK_STEPPED,
            "the clock of worker '%s' jumped by %.3f ms during the cell", watch->role, stepped_ms);
}

/* Nobody watched, so nobody can say that it ran on evenly. */
static void miss_clock(struct mgc_verdict *verdict, const struct mgc_clock_watch *watch)
{
    mgc_verdict_add(verdict, "clock", MGC_CHECK_ABSENT, watch->role, "%s", "");
    mgc_verdict_take_back(verdict);
    mgc_reason_set(verdict, MGC_REASON_CLOCK_UNKNOWN,
        "the clock of worker '%s' was not known both before and after the cell", watch->role);
}

void mgc_verify_clocks(
    struct mgc_verdict *verdict, const struct mgc_clock_watch *watches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (watches[i].known)
            judge_clock(verdict, &watches[i]);
        else
            miss_clock(verdict, &watches[i]);
    }
}
