/* Order statistics of a benchmark's samples. Pure; any thread. */
#ifndef MGC_BENCH_LIB_STATS_H
#define MGC_BENCH_LIB_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Samples of one quantity, in whatever unit its owner says. Zeroed is valid and empty. */
struct mgc_bench_samples {
    double *values; /* owned */
    size_t count, cap;
};

bool mgc_bench_add(struct mgc_bench_samples *samples, double value); /* false: no memory */
void mgc_bench_samples_destroy(struct mgc_bench_samples *samples);   /* takes NULL and zeroed */

/* The smallest sample that at least `percent` (0..100) of all samples do not exceed (nearest rank),
 * so always one that was really measured. Sorts the samples. NaN when there are none. */
double mgc_bench_percentile(struct mgc_bench_samples *samples, double percent);

#endif
