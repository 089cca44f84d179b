/* How much does one arm move from night to night when nothing changed? A device's noise floor: what
 * a difference between nights must exceed before it can be somebody's doing. Pure; any thread.
 *
 * A night's number is the mean of its rounds, each the natural logarithm of a rate or a time. It is
 *     mean of night i = level + night effect (sd N) + mean of k round effects (sd R),
 * a one-way random effects model (Searle, Casella and McCulloch, "Variance Components", 1992,
 * chapter 3; estimated by the analysis of variance). No number of rounds makes the night effect
 * smaller: heat, the system's updates, the place on the desk. So it is estimated from nights:
 *     S^2 = sum over nights (mean of the night - mean of its group)^2 / sum over groups (n - 1)
 * where a group is the nights with equal inputs, whatever lies between them; and R from the rounds
 * inside the nights. N^2 is S^2 - R^2 / k, with k the nights' rounds (harmonic mean), at least 0.
 *
 * Assumed: nights are independent and their movement is that of the nights that were looked at.
 */
#ifndef MGC_STATS_NOISE_FLOOR_H
#define MGC_STATS_NOISE_FLOOR_H

#include <stdbool.h>
#include <stddef.h>

enum { MGC_BASELINE_NIGHTS = 5 }; /* needed before anything is said of a difference */

/* One night of one arm, with the settings of the others (comparable.h). */
struct mgc_night_rounds {
    const double *values; /* natural logs, a round each; borrowed. What is not finite is left out */
    size_t count;
    const char *inputs; /* which builds: equal texts are unchanged inputs; NULL: not known, such a
                         * night has no part in the floor. Borrowed */
};

/* Of the rounds that count. False, and *ret_mean as it was, without one. */
bool mgc_night_mean(const struct mgc_night_rounds *night, double *ret_mean, size_t *ret_rounds);

struct mgc_noise {
    size_t nights;   /* in the floor: 1 + night_df, 0 without any night: "k of m nights" */
    double night_sd; /* S */
    double night_df; /* 0: no two nights had unchanged inputs, so S is not known */
    double rounds;   /* per night of S, harmonic mean */
    double round_sd; /* R */
    double round_df; /* 0: no night has two rounds, so R is not known */
};

void mgc_noise_estimate(
    const struct mgc_night_rounds *nights, size_t count, struct mgc_noise *ret_noise);

/* Are there nights enough, and did they move at all? Copied numbers say nothing about noise. */
bool mgc_noise_is_known(const struct mgc_noise *noise);

/* Variance of a night of `rounds` rounds minus the mean of `nights` others of `each` rounds:
 *     N^2 (1 + 1 / nights) + R^2 (1 / rounds + 1 / (nights each)),
 * with its degrees of freedom by Satterthwaite ("An approximate distribution of estimates of
 * variance components", Biometrics Bulletin 2 (1946)), those of S where N was held at 0. With as
 * many rounds in all nights it is S^2 (1 + 1 / nights). Needs mgc_noise_is_known(). */
double mgc_noise_variance(
    const struct mgc_noise *noise, double rounds, double nights, double each, double *ret_df);

/* A night that something disturbed has rounds that scatter more than usual, and its mean is worth
 * less: what its own R^2, from `rounds[count]` of that night, has beyond the usual one; at least 0.
 * Divided by its number of rounds it is to be added to the variance. */
double mgc_noise_beyond_usual(
    const struct mgc_noise *noise, const struct mgc_night_rounds *rounds, size_t count);

/* What the difference of two nights exceeds by chance in `alpha` of all cases, as a fraction: 0.03
 * is 3 % more, or 1 - 1 / 1.03 less. For struct mgc_floor (compare.h); NAN when it is not known. */
double mgc_noise_floor(
    const struct mgc_noise *noise, double rounds_a, double rounds_b, double alpha);

#endif
