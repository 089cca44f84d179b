#include "bench/lib/stats.h"

#include <math.h>
#include <stdlib.h>

#include "coordinator/stats/percentile.h"

bool mgc_bench_add(struct mgc_bench_samples *samples, double value)
{
    if (samples->count == samples->cap) {
        size_t cap = samples->cap ? 2 * samples->cap : 256;
        double *values = realloc(samples->values, cap * sizeof(*values));
        if (!values)
            return false;
        samples->values = values;
        samples->cap = cap;
    }
    samples->values[samples->count++] = value;
    return true;
}

void mgc_bench_samples_destroy(struct mgc_bench_samples *samples)
{
    if (!samples)
        return;
    free(samples->values);
    *samples = (struct mgc_bench_samples){0};
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double mgc_bench_percentile(struct mgc_bench_samples *samples, double percent)
{
    if (samples->count == 0)
        return NAN;
    qsort(samples->values, samples->count, sizeof(*samples->values), compare);
    struct mgc_sample sorted = {samples->values, samples->count};
    double value = NAN;
    mgc_sample_nearest(&sorted, percent, &value);
    return value;
}
