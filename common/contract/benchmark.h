/* benchmark.json as MobileGL's replay runner writes it (contract section 4.2). Pure.
 *
 * The file is written even when the replay failed, so it proves nothing by itself.
 */
#ifndef MGC_CONTRACT_BENCHMARK_H
#define MGC_CONTRACT_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/fields.h"

#define MGC_BENCHMARK_MAX_BYTES  ((size_t)32 << 20)
#define MGC_BENCHMARK_MAX_FRAMES ((size_t)1000000)

/* One value per frame, in ms. Element 0 holds set-up and load (contract 4.2). */
struct mgc_frame_series {
    bool present;   /* the key was there; an empty list is present with count 0 */
    double *values; /* owned; finite and >= 0 */
    size_t count;
};

/* `fields`: tracePath, backend, benchmarkFinish, width, height (0: not asked for), totalFrames,
 * tailFrames, totalSeconds (s), meanFrameMs, medianFrameMs, p95FrameMs, fps, meanFrameCpuMs,
 * medianFrameCpuMs, p95FrameCpuMs. A number of -1 ("no data") is absent. */
struct mgc_benchmark_doc {
    struct mgc_fields fields;
    struct mgc_frame_series frame_times_ms;
    struct mgc_frame_series frame_cpu_times_ms; /* as long as frame_times_ms, or empty */
    size_t unknown_keys;
};

/* Fill *ret_doc; on false it is empty. Destroy it when done. */
bool mgc_benchmark_parse(
    const void *data, size_t len, struct mgc_benchmark_doc *ret_doc, struct mgc_error *err);
void mgc_benchmark_destroy(struct mgc_benchmark_doc *doc); /* takes NULL and zeroed */

#endif
