#include "lab/replay/cli.h"

#include <stddef.h>
#include <string.h>

#include "common/base/parse.h"

static const struct mgc_cli_range any_size = {0, 4096}, at_least_one = {1, 1000000};
static const struct mgc_cli_range not_negative = {0, INT64_MAX};
static const char *const backends[] = {"DirectGLES", "DirectVulkan", NULL};

/* Anything but "0" is true. */
static bool parse_not_zero(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    (void)arg;
    (void)err;
    *(bool *)field = strcmp(text, "0") != 0;
    return true;
}

static bool parse_threshold(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    (void)arg;
    double value;
    if (!mgc_parse_double(text, &value) || value < -1 || value > 1)
        return mgc_error_set(err, MGC_E_USAGE, "\"%s\" is not a number within -1..1", text);
    *(double *)field = value;
    return true;
}

#define FIELD(name) offsetof(struct mgr_options, name)
static const struct mgc_cli_option table[] = {
    {"trace", 0, "P", "trace to replay (required)", mgc_cli_string, FIELD(trace)},
    {"output", 0, "D", "directory for the results (required)", mgc_cli_string, FIELD(output)},
    {"target-call", 0, "N", "call whose picture is compared (required unless --benchmark)",
        mgc_cli_int, FIELD(target_call), &not_negative},
    {"target-frame", 0, "N", "frame whose picture is compared", mgc_cli_int, FIELD(target_frame),
        &not_negative},
    {"golden", 0, "P", "picture to compare with", mgc_cli_string, FIELD(golden)},
    {"alternate-golden", 0, "P", "another one; may be repeated, the best counts", mgc_cli_list,
        FIELD(alternate_goldens)},
    {"diff", 0, "P", "write the difference to the best golden here", mgc_cli_string, FIELD(diff)},
    {"backend", 0, "NAME", "DirectGLES (default) or DirectVulkan", mgc_cli_choice, FIELD(backend),
        backends},
    {"mobilegl-library", 0, "P", "library to load (default libMobileGL.so)", mgc_cli_string,
        FIELD(library)},
    {"width", 0, "N", "surface width (default: the trace's)", mgc_cli_int, FIELD(width), &any_size},
    {"height", 0, "N", "surface height (default: the trace's)", mgc_cli_int, FIELD(height),
        &any_size},
    {"window-surface", 0, NULL, "draw to a window surface", mgc_cli_flag, FIELD(window_surface)},
    {"pbuffer-surface", 0, NULL, "draw to a pbuffer (default)", mgc_cli_flag,
        FIELD(pbuffer_surface)},
    {"hold-ms", 0, "N", "stay alive that long after the replay (default 0)", mgc_cli_int,
        FIELD(hold_ms), &not_negative},
    {"ssim-threshold", 0, "F", "pass mark (default 0.99)", parse_threshold, FIELD(ssim_threshold)},
    {"crop-x", 0, "N", "left edge of the compared area", mgc_cli_int, FIELD(crop_x), &any_size},
    {"crop-y", 0, "N", "top edge", mgc_cli_int, FIELD(crop_y), &any_size},
    {"crop-width", 0, "N", "width; 0: all", mgc_cli_int, FIELD(crop_width), &any_size},
    {"crop-height", 0, "N", "height; 0: all", mgc_cli_int, FIELD(crop_height), &any_size},
    {"coherent-as-flush", 0, NULL, "set MOBILEGL_COHERENT_AS_FLUSH=1", mgc_cli_flag,
        FIELD(coherent_as_flush)},
    {"benchmark", 0, NULL, "measure frame times instead of comparing", mgc_cli_flag,
        FIELD(benchmark)},
    {"benchmark-tail-frames", 0, "N", "frames that the statistics cover (default 200)", mgc_cli_int,
        FIELD(benchmark_tail_frames), &at_least_one},
    {"benchmark-finish", 0, "0|1", "glFinish at each frame boundary (default 1)", parse_not_zero,
        FIELD(benchmark_finish)},
    {"benchmark-result", 0, "P", "default <output>/benchmark.json", mgc_cli_string,
        FIELD(benchmark_result)},
    {"dump-fbo-attachments", 0, "CALL:DIR[:FBO,...]",
        "accepted; the lab's traces have no framebuffer objects, so nothing is dumped",
        mgc_cli_string, FIELD(dump_fbo)},
    {0},
};

static const struct mgc_cli cli = {
    .program = "mobilegl_trace_replay",
    .synopsis = "--trace P --output D (--target-call N | --benchmark) [options]",
    .summary = "Replay a lab trace through libMobileGL.so (miniature of MobileGL's replay client).",
    .options = table,
};

void mgr_options_init(struct mgr_options *ret_options)
{
    *ret_options = (struct mgr_options){
        .target_call = -1,
        .target_frame = -1,
        .backend = "DirectGLES",
        .library = "libMobileGL.so",
        .ssim_threshold = 0.99,
        .benchmark_finish = true,
        .benchmark_tail_frames = 200,
    };
}

enum mgc_cli_outcome mgr_cli_parse(
    int argc, char **argv, struct mgr_options *ret_options, struct mgc_error *err)
{
    struct mgr_options options;
    mgr_options_init(&options);
    char **operands;
    int count;
    enum mgc_cli_outcome outcome =
        mgc_cli_parse_args(&cli, argc, argv, &options, &operands, &count, err);
    if (outcome != MGC_CLI_RUN)
        return outcome;
    const char *missing = !options.trace ? "--trace" : !options.output ? "--output" : NULL;
    if (!missing && !options.benchmark && options.target_call < 0 && options.target_frame < 0)
        missing = "--target-call (or --benchmark)";
    if (missing) {
        mgc_error_set(err, MGC_E_USAGE, "%s is required", missing);
        return MGC_CLI_BAD;
    }
    *ret_options = options;
    return MGC_CLI_RUN;
}

void mgr_cli_help(FILE *out)
{
    mgc_cli_print_help(&cli, out);
}
