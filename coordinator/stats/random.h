/* Pseudorandom numbers that are the same everywhere for the same seed, so that a report made twice
 * says the same. Not for secrets (common/base and libsodium have those). One owner per generator.
 *
 * xoshiro256** 1.0, seeded through SplitMix64 as its authors advise: Blackman and Vigna, "Scrambled
 * linear pseudorandom number generators", ACM Transactions on Mathematical Software 47 (2021).
 */
#ifndef MGC_STATS_RANDOM_H
#define MGC_STATS_RANDOM_H

#include <stdint.h>

struct mgc_random {
    uint64_t state[4]; /* not all 0 */
};

/* Any seed will do. */
void mgc_random_seed(struct mgc_random *random, uint64_t seed);
uint64_t mgc_random_next(struct mgc_random *random);
/* Uniform in 0 .. limit - 1, without bias; limit at least 1. Lemire, "Fast random integer
 * generation in an interval", ACM Transactions on Modeling and Computer Simulation 29 (2019). */
uint32_t mgc_random_below(struct mgc_random *random, uint32_t limit);

/* One step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
uint64_t mgc_splitmix64(uint64_t *state);

#endif
