#include "lab/phone/app/replay_run.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"

#define APP_FILES  "/data/user/0/%s/files"
#define OUTPUT_DIR APP_FILES "/trace-replay"
#define LIBRARY    "/data/app/%s/lib/libMobileGL.so"
#define SERVER     "/data/app/%s/lib/libMobileGLServer.so"

static void set_paths(const struct mgl_app_request *request, struct mgl_replay_run *to)
{
    const char *output = mgl_app_request_extra(request, "output_dir", NULL);
    if (output)
        snprintf(to->output, sizeof(to->output), "%s", output);
    else
        snprintf(to->output, sizeof(to->output), OUTPUT_DIR, request->package);
    snprintf(to->library, sizeof(to->library), LIBRARY, request->package);
    snprintf(to->server, sizeof(to->server), SERVER, request->package);
}

static void set_goldens(const struct mgl_app_request *request, struct mgr_options *options)
{
    const char *alternate = mgl_app_request_extra(request, "alternate_golden_path", NULL);
    options->golden = mgl_app_request_extra(request, "golden_path", NULL);
    options->diff = mgl_app_request_extra(request, "diff_path", NULL);
    if (alternate && *alternate)
        options->alternate_goldens.items[options->alternate_goldens.count++] = alternate;
}

/* As a string first, as people's scripts send it. */
static double threshold(const struct mgl_app_request *request, double otherwise)
{
    const char *text = mgl_app_request_extra(request, "ssim_threshold", NULL);
    double value;
    if (text)
        return mgc_parse_double(text, &value) ? value : otherwise;
    return mgl_app_request_double(request, "ssim_threshold", otherwise);
}

static void set_numbers(const struct mgl_app_request *request, struct mgr_options *options)
{
    options->target_frame = mgl_app_request_int(request, "target_frame", -1);
    options->target_call = mgl_app_request_long(request, "target_call", -1);
    options->width = mgl_app_request_int(request, "width", 0);
    options->height = mgl_app_request_int(request, "height", 0);
    options->crop_x = mgl_app_request_int(request, "crop_x", 0);
    options->crop_y = mgl_app_request_int(request, "crop_y", 0);
    options->crop_width = mgl_app_request_int(request, "crop_width", 0);
    options->crop_height = mgl_app_request_int(request, "crop_height", 0);
    options->ssim_threshold = threshold(request, options->ssim_threshold);
}

static void set_mode(const struct mgl_app_request *request, struct mgr_options *options)
{
    bool pbuffer = mgl_app_request_bool(request, "use_pbuffer", false);
    options->pbuffer_surface = pbuffer;
    options->window_surface = !pbuffer;
    options->coherent_as_flush = mgl_app_request_bool(request, "coherent_as_flush", false);
    options->benchmark = mgl_app_request_bool(request, "benchmark", false);
    options->benchmark_finish = mgl_app_request_bool(request, "benchmark_finish", true);
    options->benchmark_tail_frames = mgl_app_request_int(request, "benchmark_tail_frames", 200);
    options->benchmark_result = mgl_app_request_extra(request, "benchmark_result_path", NULL);
    options->backend = mgl_app_request_extra(request, "backend", options->backend);
}

static const char *find_fault(const struct mgr_options *options)
{
    if (!options->trace || !*options->trace)
        return "trace_path is missing";
    if (!options->benchmark && options->target_call < 0 && options->target_frame < 0)
        return "target_call (a long) or target_frame (an int) is missing";
    if (strcmp(options->backend, "DirectGLES") != 0 &&
        strcmp(options->backend, "DirectVulkan") != 0)
        return "backend is neither DirectGLES nor DirectVulkan";
    if (options->width < 0 || options->height < 0 || options->crop_x < 0 || options->crop_y < 0 ||
        options->crop_width < 0 || options->crop_height < 0 || options->benchmark_tail_frames <= 0)
        return "a size is negative";
    return NULL;
}

bool mgl_replay_run_make(
    const struct mgl_app_request *request, struct mgl_replay_run *ret_run, const char **ret_message)
{
    *ret_run = (struct mgl_replay_run){0};
    struct mgr_options *options = &ret_run->run.options;
    mgr_options_init(options);
    set_paths(request, ret_run);
    options->trace = mgl_app_request_extra(request, "trace_path", NULL);
    options->output = ret_run->output;
    options->library = ret_run->library;
    set_goldens(request, options);
    set_numbers(request, options);
    set_mode(request, options);
    ret_run->run.server_path = ret_run->server;
    ret_run->run.mobilegl_env = mgl_app_request_extra(request, "mobilegl_env", NULL);
    ret_run->run.thread_name = MGR_RUN_ANDROID_THREAD;
    *ret_message = find_fault(options);
    return *ret_message == NULL;
}
