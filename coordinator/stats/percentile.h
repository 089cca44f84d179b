/* Percentiles, median and spread of a handful or a few thousand numbers. The one definition of each
 * for verdicts, aggregates and reports. Pure; any thread.
 *
 * Nothing is made up: without a value there is no percentile (false), and a value that is not a
 * finite number is left out, so n says how many counted.
 */
#ifndef MGC_STATS_PERCENTILE_H
#define MGC_STATS_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

/* The finite ones of some values, ascending. */
struct mgc_sample {
    double *values; /* owned; NULL when n is 0 */
    size_t n;
};

/* False: no memory. No value at all is a sample with n = 0. */
bool mgc_sample_init(struct mgc_sample *sample, const double *values, size_t count);
void mgc_sample_destroy(struct mgc_sample *sample); /* takes NULL and zeroed */

/* All of these are false, and leave the result alone, for n = 0 or a percent outside 0..100. */

/* Nearest rank: the smallest value that at least `percent` per cent of all values do not exceed,
 * x[ceil(n * percent / 100)], counted from 1; percent 0 is the smallest value. Always a value that
 * was measured. MobileGL's own p95 (contract section 4.2) and ours of frame times. */
bool mgc_sample_nearest(const struct mgc_sample *sample, double percent, double *ret_value);

/* Middle value; mean of the middle two for an even n. */
bool mgc_sample_median(const struct mgc_sample *sample, double *ret_median);
bool mgc_sample_mean(const struct mgc_sample *sample, double *ret_mean);

struct mgc_spread {
    size_t n; /* at least 1 */
    double median, min, max;
    /* Geometric mean: the ratio of two of them is the mean ratio of compare.h where the same rounds
     * count. NAN when a value is not above 0. */
    double geometric_mean;
};

/* Ascending, in place; NAN is not allowed. */
void mgc_sort_doubles(double *values, size_t count);

/* As above for values in any order, which stay as they are. Also false without memory. */
bool mgc_median(const double *values, size_t count, double *ret_median);
bool mgc_spread_of(const double *values, size_t count, struct mgc_spread *ret_spread);

#endif
