/* One barrier of one attempt: who must come, who has, when to let go.
 *
 * The coordinator knows the members. The timer starts at the first arrival; at half time the
 * missing are named; a member's failure releases everyone at once with that name. A release is an
 * instant, not a message: each member gets it in its own clock, with enough lead for the message
 * to arrive. Pure; time is an argument.
 */
#ifndef MGC_SCHED_BARRIER_H
#define MGC_SCHED_BARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/sched/run.h"

enum { MGC_BARRIER_MEMBERS_MAX = 128 };

struct mgc_barrier_member {
    size_t step; /* index in the cell */
    enum mgc_role role;
    bool arrived;
    bool reported;     /* told when it really went */
    int64_t actual_ns; /* coordinator's clock */
    int64_t offset_ns; /* worker's clock minus ours, as used for the release */
};

/* Moves: GATHERING -> RELEASED | FAILED; nothing leaves those two. */
enum mgc_barrier_state { MGC_BARRIER_GATHERING, MGC_BARRIER_RELEASED, MGC_BARRIER_FAILED };

struct mgc_barrier {
    const char *name; /* borrowed from the plan */
    enum mgc_barrier_state state;
    struct mgc_barrier_member members[MGC_BARRIER_MEMBERS_MAX];
    size_t count, arrived;
    int64_t timeout_ns;
    int64_t lead_ns;
    int64_t first_ns; /* first arrival */
    bool half_told;
    struct mgc_release release;
};

void mgc_barrier_init(
    struct mgc_barrier *barrier, const char *name, int64_t timeout_ms, int64_t lead_ms);
bool mgc_barrier_add(struct mgc_barrier *barrier, size_t step, enum mgc_role role);

/* A member came. False when that step is no member, came before, or the barrier is over. */
bool mgc_barrier_arrive(struct mgc_barrier *barrier, size_t step, int64_t now_ns);
bool mgc_barrier_complete(const struct mgc_barrier *barrier);

/* When mgc_barrier_* wants to be looked at next: half time, then the timeout. */
int64_t mgc_barrier_due(const struct mgc_barrier *barrier);
bool mgc_barrier_expired(const struct mgc_barrier *barrier, int64_t now_ns);
/* True once, at half time: somebody should be told who is missing. */
bool mgc_barrier_half_time(struct mgc_barrier *barrier, int64_t now_ns);

/* Fix the instant: now plus the larger of the plan's lead and 4 round trips of the slowest member.
 * False when a member's clock is not known yet; nothing has changed then. */
bool mgc_barrier_release(
    struct mgc_barrier *barrier, const struct mgc_run_ops *ops, void *user, int64_t now_ns);
/* Member's instant in its own clock. */
int64_t mgc_barrier_instant(const struct mgc_barrier *barrier, size_t member);

/* A member says when it went (its own clock); skew is brought up to date. An instant that cannot be
 * is no report. */
void mgc_barrier_report(struct mgc_barrier *barrier, size_t step, int64_t actual_worker_ns);

#endif
