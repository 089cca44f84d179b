#include "coordinator/stats/random.h"

#include <assert.h>

static uint64_t rotate_left(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

uint64_t mgc_splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

void mgc_random_seed(struct mgc_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = mgc_splitmix64(&seed);
}

uint64_t mgc_random_next(struct mgc_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint32_t mgc_random_below(struct mgc_random *random, uint32_t limit)
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
