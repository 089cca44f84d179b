#include "coordinator/stats/interval.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "coordinator/stats/distribution.h"
#include "coordinator/stats/percentile.h"
#include "coordinator/stats/random.h"

static const double rounding = 1e-12;

const char *mgc_interval_method_name(enum mgc_interval_method method)
{
    static const char *const names[] = {
        [MGC_INTERVAL_NONE] = "none",
        [MGC_INTERVAL_T] = "t",
        [MGC_INTERVAL_BOOTSTRAP_T] = "bootstrap t",
    };
    return (size_t)method < sizeof(names) / sizeof(names[0]) ? names[method] : "unknown";
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

static double sd_of(const double *values, size_t n, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (double)(n - 1));
}

/* Of a sorted list and its mirror image, which one is worked with? The larger at the first place
 * where they differ. So swapping arm and reference gives the same sums and the same resamples. */
static bool faces_down(const double *sorted, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double mirrored = -sorted[n - 1 - i];
        if (sorted[i] != mirrored)
            return sorted[i] < mirrored;
    }
    return false;
}

static void turn(double *sorted, size_t n)
{
    for (size_t i = 0, k = n - 1; i <= k && k < n; i++, k--) {
        double low = sorted[i];
        sorted[i] = -sorted[k];
        sorted[k] = -low;
    }
}

/* |t*| of one resample of values that were taken less their mean. One without variance proves
 * nothing about the noise: it counts as extreme, unless its mean is the sample's. The sums are
 * taken along while drawing, since a report of thousands of cells draws by the hundred million;
 * what little variance they leave is too inexact, and is worked out again. */
static double resample(
    struct mgc_random *random, const double *deviations, size_t n, double *scratch)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double drawn = deviations[mgc_random_below(random, (uint32_t)n)];
        scratch[i] = drawn;
        sum += drawn;
        squares += drawn * drawn;
    }
    double mean = sum / (double)n, left = squares - sum * mean;
    double sd = left > squares * 1e-6 ? sqrt(left / (double)(n - 1)) : sd_of(scratch, n, mean);
    if (sd <= rounding)
        return fabs(mean) <= rounding ? 0 : INFINITY;
    return fabs(mean) * sqrt((double)n) / sd;
}

/* p and q from the same ranks, so that p <= alpha says the same as 0 outside the interval. */
static void read_resamples(
    double *t_stars, size_t count, double t, double alpha, double *ret_p, double *ret_q)
{
    size_t beyond = 0;
    for (size_t i = 0; i < count; i++)
        beyond += t_stars[i] >= t;
    mgc_sort_doubles(t_stars, count);
    double rank = ceil((1 - alpha) * (double)(count + 1) - 1e-9);
    *ret_p = (double)(beyond + 1) / (double)(count + 1);
    *ret_q = rank <= (double)count ? t_stars[(size_t)rank - 1] : INFINITY;
}

static bool bootstrap(const struct mgc_interval *interval, const double *values, double alpha,
    uint64_t seed, size_t resamples, double *ret_p, double *ret_q)
{
    struct mgc_random random;
    size_t n = interval->n;
    double *t_stars = calloc(resamples + 2 * n, sizeof(*t_stars));
    if (!t_stars)
        return false;
    double *deviations = t_stars + resamples, *scratch = deviations + n;
    for (size_t i = 0; i < n; i++)
        deviations[i] = values[i] - interval->mean;
    mgc_random_seed(&random, seed);
    for (size_t i = 0; i < resamples; i++)
        t_stars[i] = resample(&random, deviations, n, scratch);
    double t = fabs(interval->mean) * sqrt((double)n) / interval->sd;
    read_resamples(t_stars, resamples, t, alpha, ret_p, ret_q);
    free(t_stars);
    return true;
}

/* Values sorted and turned. */
static bool find_interval(struct mgc_interval *interval, const double *values, double alpha,
    uint64_t seed, size_t resamples)
{
    size_t n = interval->n;
    double q, root = sqrt((double)n);
    interval->mean = n ? mean_of(values, n) : 0;
    interval->sd = n > 1 ? sd_of(values, n, interval->mean) : 0;
    if (n < 2 || values[n - 1] - values[0] <= rounding)
        return true;
    interval->method = n < MGC_BOOTSTRAP_FROM ? MGC_INTERVAL_T : MGC_INTERVAL_BOOTSTRAP_T;
    if (interval->method == MGC_INTERVAL_T) {
        interval->p = mgc_t_tails(interval->mean * root / interval->sd, (double)(n - 1));
        q = mgc_t_quantile(1 - alpha / 2, (double)(n - 1));
    } else if (!bootstrap(interval, values, alpha, seed, resamples, &interval->p, &q)) {
        return false;
    }
    interval->low = interval->mean - q * interval->sd / root;
    interval->high = interval->mean + q * interval->sd / root;
    return true;
}

bool mgc_interval_mean(const double *values, size_t n, double alpha, uint64_t seed,
    size_t resamples, struct mgc_interval *ret_interval)
{
    struct mgc_interval interval = {.n = n};
    struct mgc_sample sample;
    assert(alpha > 0 && alpha < 1 && resamples > 0);
    if (!mgc_sample_init(&sample, values, n))
        return false;
    assert(sample.n == n && n <= UINT32_MAX);
    bool turned = n && faces_down(sample.values, n);
    if (turned)
        turn(sample.values, n);
    bool ok = find_interval(&interval, sample.values, alpha, seed, resamples);
    if (turned) {
        double low = interval.low;
        interval.mean = -interval.mean;
        interval.low = -interval.high;
        interval.high = -low;
    }
    mgc_sample_destroy(&sample);
    if (ok)
        *ret_interval = interval;
    return ok;
}
