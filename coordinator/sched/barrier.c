#include "coordinator/sched/barrier.h"

#include "common/base/clock.h"

/* A release message needs half a round trip; the rest is room for a busy machine. */
enum { LEAD_ROUND_TRIPS = 4 };

void mgc_barrier_init(
    struct mgc_barrier *barrier, const char *name, int64_t timeout_ms, int64_t lead_ms)
{
    *barrier = (struct mgc_barrier){
        .name = name,
        .timeout_ns = timeout_ms * MGC_NS_PER_MS,
        .lead_ns = lead_ms * MGC_NS_PER_MS,
    };
}

bool mgc_barrier_add(struct mgc_barrier *barrier, size_t step, enum mgc_role role)
{
    if (barrier->count == MGC_BARRIER_MEMBERS_MAX)
        return false;
    barrier->members[barrier->count++] = (struct mgc_barrier_member){.step = step, .role = role};
    barrier->release.members = barrier->count;
    return true;
}

static struct mgc_barrier_member *find(struct mgc_barrier *barrier, size_t step)
{
    for (size_t i = 0; i < barrier->count; i++) {
        if (barrier->members[i].step == step)
            return &barrier->members[i];
    }
    return NULL;
}

bool mgc_barrier_arrive(struct mgc_barrier *barrier, size_t step, int64_t now_ns)
{
    struct mgc_barrier_member *member = find(barrier, step);
    if (!member || member->arrived || barrier->state != MGC_BARRIER_GATHERING)
        return false;
    member->arrived = true;
    if (barrier->arrived++ == 0)
        barrier->first_ns = now_ns;
    return true;
}

bool mgc_barrier_complete(const struct mgc_barrier *barrier)
{
    return barrier->count > 0 && barrier->arrived == barrier->count;
}

static bool is_timed(const struct mgc_barrier *barrier)
{
    return barrier->state == MGC_BARRIER_GATHERING && barrier->arrived > 0;
}

int64_t mgc_barrier_due(const struct mgc_barrier *barrier)
{
    if (!is_timed(barrier))
        return MGC_NEVER;
    return barrier->first_ns + barrier->timeout_ns / (barrier->half_told ? 1 : 2);
}

bool mgc_barrier_expired(const struct mgc_barrier *barrier, int64_t now_ns)
{
    return is_timed(barrier) && now_ns >= barrier->first_ns + barrier->timeout_ns;
}

bool mgc_barrier_half_time(struct mgc_barrier *barrier, int64_t now_ns)
{
    if (!is_timed(barrier) || barrier->half_told ||
        now_ns < barrier->first_ns + barrier->timeout_ns / 2)
        return false;
    barrier->half_told = true;
    return true;
}

bool mgc_barrier_release(
    struct mgc_barrier *barrier, const struct mgc_run_ops *ops, void *user, int64_t now_ns)
{
    int64_t lead_ns = barrier->lead_ns, worst_ns = 0;
    for (size_t i = 0; i < barrier->count; i++) {
        struct mgc_barrier_member *member = &barrier->members[i];
        int64_t uncertainty_ns, round_trip_ns;
        if (!ops->offset(user, member->role, &member->offset_ns, &uncertainty_ns, &round_trip_ns))
            return false;
        if (lead_ns < LEAD_ROUND_TRIPS * round_trip_ns)
            lead_ns = LEAD_ROUND_TRIPS * round_trip_ns;
        if (worst_ns < uncertainty_ns)
            worst_ns = uncertainty_ns;
    }
    barrier->state = MGC_BARRIER_RELEASED;
    barrier->release.released = true;
    barrier->release.lead_ns = lead_ns;
    barrier->release.instant_ns = now_ns + lead_ns;
    barrier->release.uncertainty_ns = worst_ns;
    return true;
}

int64_t mgc_barrier_instant(const struct mgc_barrier *barrier, size_t member)
{
    return barrier->release.instant_ns + barrier->members[member].offset_ns;
}

/* Latest minus earliest of those that reported; false when that is no number of 64 bits. */
static bool skew_of(const struct mgc_barrier *barrier, int64_t *ret_skew_ns)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (size_t i = 0; i < barrier->count; i++) {
        if (!barrier->members[i].reported)
            continue;
        if (first_ns > barrier->members[i].actual_ns)
            first_ns = barrier->members[i].actual_ns;
        if (last_ns < barrier->members[i].actual_ns)
            last_ns = barrier->members[i].actual_ns;
    }
    return !__builtin_sub_overflow(last_ns, first_ns, ret_skew_ns);
}

void mgc_barrier_report(struct mgc_barrier *barrier, size_t step, int64_t actual_worker_ns)
{
    struct mgc_barrier_member *member = find(barrier, step);
    if (!member || member->reported || barrier->state != MGC_BARRIER_RELEASED)
        return;
    /* The instant comes from a peer: arithmetic on it must not overflow. */
    int64_t skew_ns;
    member->reported =
        !__builtin_sub_overflow(actual_worker_ns, member->offset_ns, &member->actual_ns);
    if (!member->reported || !skew_of(barrier, &skew_ns)) {
        member->reported = false;
        return;
    }
    barrier->release.reported++;
    barrier->release.skew_ns = skew_ns;
}
