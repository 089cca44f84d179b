#include "coordinator/stats/random.h"

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
