#include "coordinator/stats/percentile.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void mgc_sort_doubles(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
}

bool mgc_sample_init(struct mgc_sample *sample, const double *values, size_t count)
{
    *sample = (struct mgc_sample){0};
    if (count == 0)
        return true;
    sample->values = malloc(count * sizeof(*sample->values));
    if (!sample->values)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i]))
            sample->values[sample->n++] = values[i];
    }
    mgc_sort_doubles(sample->values, sample->n);
    return true;
}

void mgc_sample_destroy(struct mgc_sample *sample)
{
    if (!sample)
        return;
    free(sample->values);
    *sample = (struct mgc_sample){0};
}

static bool answerable(const struct mgc_sample *sample, double percent)
{
    return sample->n > 0 && percent >= 0 && percent <= 100;
}

bool mgc_sample_nearest(const struct mgc_sample *sample, double percent, double *ret_value)
{
    if (!answerable(sample, percent))
        return false;
    /* n * percent / 100 may come out a rounding error above a whole number, and the rank with it:
     * 99.9 % of 1000 values is rank 999. */
    double rank = ceil((double)sample->n * percent / 100 * (1 - 1e-12));
    size_t at = rank < 1 ? 0 : (size_t)rank - 1;
    *ret_value = sample->values[at < sample->n ? at : sample->n - 1];
    return true;
}

bool mgc_sample_median(const struct mgc_sample *sample, double *ret_median)
{
    size_t n = sample->n;
    if (n == 0)
        return false;
    const double *values = sample->values;
    *ret_median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    return true;
}

bool mgc_sample_mean(const struct mgc_sample *sample, double *ret_mean)
{
    double sum = 0;
    if (sample->n == 0)
        return false;
    for (size_t i = 0; i < sample->n; i++)
        sum += sample->values[i];
    *ret_mean = sum / (double)sample->n;
    return true;
}

bool mgc_median(const double *values, size_t count, double *ret_median)
{
    struct mgc_sample sample;
    if (!mgc_sample_init(&sample, values, count))
        return false;
    bool ok = mgc_sample_median(&sample, ret_median);
    mgc_sample_destroy(&sample);
    return ok;
}

static double geometric_mean(const struct mgc_sample *sample)
{
    double sum = 0;
    if (sample->n == 0 || !(sample->values[0] > 0)) /* ascending */
        return NAN;
    for (size_t i = 0; i < sample->n; i++)
        sum += log(sample->values[i]);
    return exp(sum / (double)sample->n);
}

bool mgc_spread_of(const double *values, size_t count, struct mgc_spread *ret_spread)
{
    struct mgc_sample sample;
    struct mgc_spread spread = {0};
    if (!mgc_sample_init(&sample, values, count))
        return false;
    bool ok = mgc_sample_median(&sample, &spread.median);
    if (ok) {
        spread.n = sample.n;
        spread.min = sample.values[0];
        spread.max = sample.values[sample.n - 1];
        spread.geometric_mean = geometric_mean(&sample);
        *ret_spread = spread;
    }
    mgc_sample_destroy(&sample);
    return ok;
}
