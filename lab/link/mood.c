#include "lab/link/mood.h"

/* splitmix64: short, and good for every seed. */
int64_t mgc_lab_link_random(uint64_t *random, int64_t span)
{
    uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)span);
}

/* Half of it to one and a half of it. */
static int64_t about(uint64_t *random, int64_t ns)
{
    return ns / 2 + mgc_lab_link_random(random, ns + 1);
}

static void next_stall(struct mgc_lab_link_mood *mood, const struct mgc_lab_link_profile *profile)
{
    int64_t span = profile->stall.max_ns - profile->stall.min_ns;
    mood->stall_begin_ns = mood->stall_end_ns + about(&mood->stall_random, profile->stall.every_ns);
    mood->stall_end_ns = mood->stall_begin_ns + profile->stall.min_ns +
                         mgc_lab_link_random(&mood->stall_random, span + 1);
}

static void next_step(struct mgc_lab_link_mood *mood, const struct mgc_lab_link_profile *profile)
{
    mood->percent =
        profile->step.percent[mgc_lab_link_random(&mood->step_random, MGC_LAB_LINK_STEPS)];
    mood->step_until_ns += about(&mood->step_random, profile->step.every_ns);
}

void mgc_lab_link_mood_init(struct mgc_lab_link_mood *mood,
    const struct mgc_lab_link_profile *profile, uint64_t seed, int64_t now_ns)
{
    *mood = (struct mgc_lab_link_mood){.stall_random = seed,
        .step_random = ~seed,
        .stall_end_ns = now_ns,
        .step_until_ns = now_ns,
        .percent = 100};
    if (profile->stall.every_ns > 0)
        next_stall(mood, profile);
}

int64_t mgc_lab_link_mood_clear(
    struct mgc_lab_link_mood *mood, const struct mgc_lab_link_profile *profile, int64_t at_ns)
{
    if (profile->stall.every_ns == 0)
        return at_ns;
    while (mood->stall_end_ns <= at_ns)
        next_stall(mood, profile);
    return at_ns >= mood->stall_begin_ns ? mood->stall_end_ns : at_ns;
}

int64_t mgc_lab_link_mood_rate(
    struct mgc_lab_link_mood *mood, const struct mgc_lab_link_profile *profile, int64_t at_ns)
{
    if (profile->step.every_ns == 0)
        return profile->rate_bps;
    while (mood->step_until_ns <= at_ns)
        next_step(mood, profile);
    return profile->rate_bps * mood->percent / 100;
}
