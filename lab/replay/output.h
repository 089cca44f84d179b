/* result.json and benchmark.json as the runner writes them (contract section 4): a plain
 * truncate-and-write, all keys, fixed numbers of decimals. */
#ifndef MGC_LAB_REPLAY_OUTPUT_H
#define MGC_LAB_REPLAY_OUTPUT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/replay/bench.h"
#include "lab/replay/cli.h"

struct mgr_outcome {
    const struct mgr_options *options; /* borrowed */
    const struct mgr_bench *bench;     /* borrowed; benchmark mode */
    bool passed;
    int status;                 /* statusCode, which is also the exit code */
    const char *message;        /* borrowed, as all texts */
    const char *matched_golden; /* "": none */
    const char *actual;         /* "": none */
    const char *benchmark_path;
    double ssim;             /* -1 in benchmark mode, 1.0 without a golden */
    int64_t mismatch_pixels; /* -1: not compared */
};

void mgr_output_result_text(const struct mgr_outcome *outcome, struct mgc_buf *buf);
void mgr_output_benchmark_text(
    const struct mgr_options *options, const struct mgr_bench *bench, struct mgc_buf *buf);

/* Truncate and write all of it, or the first half only. */
enum mgr_cut { MGR_CUT_NONE, MGR_CUT_HALF };
bool mgr_output_write(
    const char *path, const struct mgc_buf *text, enum mgr_cut cut, struct mgc_error *err);
/* The first half, a pause, the rest: what a watcher may see of a slow writer. */
bool mgr_output_write_paused(
    const char *path, const struct mgc_buf *text, int64_t pause_ms, struct mgc_error *err);

#endif
