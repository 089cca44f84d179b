/* Frame times of a replay and the figures made from them (contract section 4.2). Pure. */
#ifndef MGC_LAB_REPLAY_BENCH_H
#define MGC_LAB_REPLAY_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mgr_bench {
    double *frame_ms, *cpu_ms; /* owned; one each per frame */
    size_t count, cap;
    double total_s; /* whole replay, includes time after the last frame */
};

bool mgr_bench_add(struct mgr_bench *bench, int64_t wall_ns, int64_t cpu_ns); /* false: no memory */
void mgr_bench_destroy(struct mgr_bench *bench);

/* Over the last `tail` values; all -1 without values. p95 is the nearest rank. */
struct mgr_figures {
    double mean, median, p95;
};
struct mgr_figures mgr_bench_figures(const double *values, size_t count, size_t tail);

#endif
