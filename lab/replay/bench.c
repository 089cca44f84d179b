#include "lab/replay/bench.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct mgr_bench *bench)
{
    size_t cap = bench->cap ? bench->cap * 2 : 256;
    double *frame_ms = realloc(bench->frame_ms, cap * sizeof(double));
    if (!frame_ms)
        return false;
    bench->frame_ms = frame_ms;
    double *cpu_ms = realloc(bench->cpu_ms, cap * sizeof(double));
    if (!cpu_ms)
        return false;
    bench->cpu_ms = cpu_ms;
    bench->cap = cap;
    return true;
}

bool mgr_bench_add(struct mgr_bench *bench, int64_t wall_ns, int64_t cpu_ns)
{
    if (bench->count == bench->cap && !grow(bench))
        return false;
    bench->frame_ms[bench->count] = (double)wall_ns / 1e6;
    bench->cpu_ms[bench->count] = (double)cpu_ns / 1e6;
    bench->count++;
    return true;
}

void mgr_bench_destroy(struct mgr_bench *bench)
{
    if (!bench)
        return;
    free(bench->frame_ms);
    free(bench->cpu_ms);
    *bench = (struct mgr_bench){0};
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

struct mgr_figures mgr_bench_figures(const double *values, size_t count, size_t tail)
{
    struct mgr_figures none = {-1, -1, -1}, figures = none;
    if (tail > count)
        tail = count;
    double *sorted = tail ? malloc(tail * sizeof(*sorted)) : NULL;
    if (!sorted)
        return none;
    memcpy(sorted, values + count - tail, tail * sizeof(*sorted));
    qsort(sorted, tail, sizeof(*sorted), compare);
    double sum = 0;
    for (size_t i = 0; i < tail; i++)
        sum += sorted[i];
    figures.mean = sum / (double)tail;
    figures.median = tail % 2 ? sorted[tail / 2] : (sorted[tail / 2 - 1] + sorted[tail / 2]) / 2;
    figures.p95 = sorted[(tail * 95 + 99) / 100 - 1];
    free(sorted);
    return figures;
}
