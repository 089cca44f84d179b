/* A link's moods: when it stalls, and what part of its rate holds. Pure, and the same for the same
 * seed, so that two directions which were given one seed stall together without sharing anything.
 *
 * Times are any one clock's nanoseconds and must not go back from call to call. */
#ifndef MGC_LAB_LINK_MOOD_H
#define MGC_LAB_LINK_MOOD_H

#include "lab/link/profile.h"

struct mgc_lab_link_mood {
    uint64_t stall_random, step_random;
    int64_t stall_begin_ns, stall_end_ns; /* the next or present stall */
    int64_t step_until_ns;
    int percent;
};

/* Uniform in 0..span-1; span > 0. Advances *random, which may start as anything. */
int64_t mgc_lab_link_random(uint64_t *random, int64_t span);

void mgc_lab_link_mood_init(struct mgc_lab_link_mood *mood,
    const struct mgc_lab_link_profile *profile, uint64_t seed, int64_t now_ns);

/* The first moment, at_ns or later, outside a stall. */
int64_t mgc_lab_link_mood_clear(
    struct mgc_lab_link_mood *mood, const struct mgc_lab_link_profile *profile, int64_t at_ns);

/* Bits per second at that moment; > 0. */
int64_t mgc_lab_link_mood_rate(
    struct mgc_lab_link_mood *mood, const struct mgc_lab_link_profile *profile, int64_t at_ns);

#endif
