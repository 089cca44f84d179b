/* How sure is a mean? Interval and p value of the mean of a few numbers that are independent and
 * measured alike, against the hypothesis that the true mean is 0. Pure; any thread.
 *
 * Both methods are mean +- q * sd / sqrt(n) and differ in where q comes from:
 *
 * t: q is the quantile of Student's distribution with n - 1 degrees of freedom. Exact for normal
 *    numbers, errs to the safe side for numbers with heavy tails, and works from n = 2.
 * bootstrap t: q comes from the numbers themselves, the (1 - alpha) quantile of |t*| over resamples
 *    drawn with replacement, t* = (mean* - mean) / (sd* / sqrt(n)); the symmetric bootstrap-t of
 *    Hall, "On symmetric bootstrap confidence intervals", J. R. Statist. Soc. B 50 (1988).
 *
 * Neither the percentile bootstrap nor BCa: both miss the factor by which the t quantile exceeds
 * the normal one, so at n = 8 to 15 they are too narrow and call equal arms different about twice
 * as often as stated (Hesterberg, "What teachers should know about the bootstrap", The American
 * Statistician 69 (2015); Owen, "Better bootstrap t confidence intervals for the mean", 2025, for
 * BCa). docs/statistics.md has our own figures.
 */
#ifndef MGC_STATS_INTERVAL_H
#define MGC_STATS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mgc_interval_method {
    MGC_INTERVAL_NONE, /* fewer than 2 values, or values without variance */
    MGC_INTERVAL_T,
    MGC_INTERVAL_BOOTSTRAP_T,
};
const char *mgc_interval_method_name(enum mgc_interval_method method); /* "t", "bootstrap t" */

enum {
    MGC_BOOTSTRAP_FROM = 8, /* values; with fewer, t (design section 8) */
    MGC_RESAMPLES = 9999,   /* + 1 is a multiple of what 1 / alpha usually is */
};

struct mgc_interval {
    size_t n;
    double mean; /* of n >= 1 */
    double sd;   /* with n - 1, of n >= 2 */
    enum mgc_interval_method method;
    double p;         /* both sides; bootstrap: at least 1 / (resamples + 1) */
    double low, high; /* of 1 - alpha; infinite when resamples without variance leave no bound */
};

/* Interval of the mean by the method for that n. `alpha` in (0, 1). What an interval cannot be had
 * from is method NONE: then only n, mean (n >= 1) and sd (n >= 2) say something. Values whose range
 * is within rounding (1e-12) have no variance. All values must be finite.
 *
 * The order of the values does not matter, and all values negated give exactly the negated
 * interval with the same p. Equal input and seed, equal result. False: no memory. */
bool mgc_interval_mean(const double *values, size_t n, double alpha, uint64_t seed,
    size_t resamples, struct mgc_interval *ret_interval);

#endif
