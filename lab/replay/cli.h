/* Command line of mobilegl_trace_replay, as the contract gives it (section 6). */
#ifndef MGC_LAB_REPLAY_CLI_H
#define MGC_LAB_REPLAY_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/cli/cli.h"

struct mgr_options {
    const char *trace, *output;        /* required; all texts are borrowed from argv */
    int64_t target_call, target_frame; /* -1: not given */
    const char *golden;                /* NULL: none */
    struct mgc_cli_strings alternate_goldens;
    const char *diff;
    const char *backend, *library;
    int64_t width, height; /* 0: not given, the trace decides */
    bool window_surface, pbuffer_surface;
    int64_t hold_ms;
    double ssim_threshold;
    int64_t crop_x, crop_y, crop_width, crop_height;
    bool coherent_as_flush;
    bool benchmark, benchmark_finish;
    int64_t benchmark_tail_frames;
    const char *benchmark_result; /* NULL: <output>/benchmark.json */
    const char *dump_fbo;
};

/* The defaults; trace and output stay NULL. */
void mgr_options_init(struct mgr_options *ret_options);

/* Fill *ret_options from the command line; the outcome is mgc_cli's. */
enum mgc_cli_outcome mgr_cli_parse(
    int argc, char **argv, struct mgr_options *ret_options, struct mgc_error *err);
void mgr_cli_help(FILE *out);

#endif
