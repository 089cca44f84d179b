/* Pseudorandom numbers that are the same everywhere for the same seed, so that a report made twice
 * says the same. Not for secrets (common/base and libsodium have those). One owner per generator.
 *
 * xoshiro256** 1.0, seeded through SplitMix64 as its authors advise: Blackman and Vigna, "Scrambled
 * linear pseudorandom number generators", ACM Transactions on Mathematical Software 47 (2021).
 */
#ifndef MGC_STATS_RANDOM_H
#define MGC_STATS_RANDOM_H

#include <assert.h>
#include <stdint.h>

struct mgc_random {
    uint64_t state[4]; /* not all 0 */
};

/* Any seed will do. */
void mgc_random_seed(struct mgc_random *random, uint64_t seed);

/* In the header, since a bootstrap draws by the hundred million. */
static inline uint64_t mgc_rotate_left(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static inline uint64_t mgc_random_next(struct mgc_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = mgc_rotate_left(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = mgc_rotate_left(s[3], 45);
    return result;
}

/* Uniform in 0 .. limit - 1, without bias; limit at least 1. Lemire, "Fast random integer
 * generation in an interval", ACM Transactions on Modeling and Computer Simulation 29 (2019). */
static inline uint32_t mgc_random_below(struct mgc_random *random, uint32_t limit)
{
    assert(limit > 0);
    uint64_t product = (mgc_random_next(random) >> 32) * limit;
    /* 2^32 modulo limit of the low halves belong to numbers that come up once too often. The
     * division is needed for few of the draws only. */
    if ((uint32_t)product < limit) {
        uint32_t surplus = (0 - limit) % limit;
        while ((uint32_t)product < surplus)
            product = (mgc_random_next(random) >> 32) * limit;
    }
    return (uint32_t)(product >> 32);
}

/* One step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
uint64_t mgc_splitmix64(uint64_t *state);

#endif
