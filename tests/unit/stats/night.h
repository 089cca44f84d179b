/* Invented nights: rounds of some arms against a reference, with known truth and a fixed seed. */
#ifndef MGC_TESTS_STATS_NIGHT_H
#define MGC_TESTS_STATS_NIGHT_H

#include <math.h>

#include "coordinator/stats/compare.h"
#include "coordinator/stats/random.h"

enum { NIGHT_ARMS_MAX = 5, NIGHT_ROUNDS_MAX = 20 };

enum night_noise {
    NIGHT_LOG_NORMAL, /* 5 % from run to run */
    NIGHT_HEAVY,      /* the same with Student's t of 3 degrees: a far outlier now and then */
    NIGHT_SPIKES,     /* 3 %, and in one run of ten something else was on: up to half slower */
    NIGHT_NOISE_COUNT
};

struct night {
    struct mgc_pair pairs[NIGHT_ARMS_MAX][NIGHT_ROUNDS_MAX];
    struct mgc_compare_arm arms[NIGHT_ARMS_MAX];
};

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double night_unit(struct mgc_random *random)
{
    return (double)(mgc_random_next(random) >> 11) * 0x1p-53;
}

/* Box and Muller. */
static inline double night_normal(struct mgc_random *random)
{
    double radius = sqrt(-2 * log(1 - night_unit(random)));
    return radius * cos(2 * M_PI * night_unit(random));
}

static inline double night_noise(struct mgc_random *random, enum night_noise noise)
{
    double normal = night_normal(random), squares = 0;
    if (noise == NIGHT_LOG_NORMAL)
        return 0.05 * normal;
    if (noise == NIGHT_SPIKES)
        return 0.03 * normal + (mgc_random_below(random, 10) == 0 ? 0.5 * night_unit(random) : 0);
    for (int i = 0; i < 3; i++) {
        double one = night_normal(random);
        squares += one * one;
    }
    return 0.05 * normal / sqrt(squares / 3);
}

/* Arm a takes effects[a] times the reference's time; NULL: all equal. A round as a whole is up to
 * 30 % slower or faster, which pairing must take out. `scale` times the noise. */
static inline void night_make(struct night *night, struct mgc_random *random,
    enum night_noise noise, double scale, size_t arms, size_t rounds, const double *effects)
{
    for (size_t round = 0; round < rounds; round++) {
        double base = 10 * exp(0.3 * (2 * night_unit(random) - 1));
        double reference = base * exp(scale * night_noise(random, noise));
        for (size_t arm = 0; arm < arms; arm++) {
            double time = base * exp(scale * night_noise(random, noise));
            night->pairs[arm][round] =
                (struct mgc_pair){time * (effects ? effects[arm] : 1), reference};
        }
    }
    for (size_t arm = 0; arm < arms; arm++)
        night->arms[arm] =
            (struct mgc_compare_arm){.pairs = night->pairs[arm], .pair_count = rounds};
}

#endif
