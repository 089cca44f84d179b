#include "worker-wsl/replay/client.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/hash.h"

/* Of crosshost_accept.sh: a phone that loads a large trace answers its first call late. */
enum { COLD_START_MS = 120000 };
enum { RC_TIMED_OUT = 124, RC_SIGNAL = 128 };

void mgc_replay_strings_destroy(struct mgc_replay_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) {
        mgc_wipe(strings->items[i], strlen(strings->items[i]));
        free(strings->items[i]);
    }
    *strings = (struct mgc_replay_strings){0};
}

__attribute__((format(printf, 2, 3))) static void add(
    struct mgc_replay_strings *strings, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0) {
        strings->failed = true;
    } else if (strings->count == MGC_REPLAY_STRINGS_MAX) {
        strings->failed = true;
        free(text);
    } else {
        strings->items[strings->count++] = text;
    }
}

static void add_pair(struct mgc_replay_strings *strings, const char *flag, const char *value)
{
    add(strings, "%s", flag);
    add(strings, "%s", value);
}

static void add_int(struct mgc_replay_strings *strings, const char *flag, int64_t value)
{
    add(strings, "%s", flag);
    add(strings, "%" PRId64, value);
}

bool mgc_replay_check(const struct mgc_replay_params *params, struct mgc_error *err)
{
    bool crop = params->crop_width || params->crop_height;
    if (params->mode != MGC_REPLAY_SSIM)
        return true;
    if (!params->golden)
        return mgc_error_set(
            err, MGC_E_CONFIG, "mode \"ssim\" needs the parameter \"golden\", a picture");
    if (params->target_call < 0)
        return mgc_error_set(
            err, MGC_E_CONFIG, "mode \"ssim\" needs the parameter \"target_call\", a call number");
    if (crop && (params->crop_width < 1 || params->crop_height < 1 ||
                    params->crop_x + params->crop_width > params->width ||
                    params->crop_y + params->crop_height > params->height))
        return mgc_error_set(err, MGC_E_CONFIG,
            "the crop %" PRId64 ",%" PRId64 " %" PRId64 "x%" PRId64
            " does not lie in the picture of %" PRId64 "x%" PRId64,
            params->crop_x, params->crop_y, params->crop_width, params->crop_height, params->width,
            params->height);
    return true;
}

static void add_benchmark(const struct mgc_replay_params *params, struct mgc_replay_strings *args)
{
    add(args, "--benchmark");
    /* Always said, never left to a default: runs with and without it do not compare. */
    add(args, "--benchmark-finish=%d", params->benchmark_finish ? 1 : 0);
    add(args, "--benchmark-tail-frames=%" PRId64, params->benchmark_tail_frames);
    add(args, "--benchmark-result=%s/benchmark.json", params->output);
}

static void add_ssim(const struct mgc_replay_params *params, struct mgc_replay_strings *args)
{
    add_int(args, "--target-call", params->target_call);
    add_pair(args, "--golden", params->golden);
    add(args, "--diff");
    add(args, "%s/diff.png", params->output);
    add(args, "--ssim-threshold");
    add(args, "%.9g", params->ssim_threshold);
    if (params->crop_width == 0)
        return;
    add_int(args, "--crop-x", params->crop_x);
    add_int(args, "--crop-y", params->crop_y);
    add_int(args, "--crop-width", params->crop_width);
    add_int(args, "--crop-height", params->crop_height);
}

bool mgc_replay_args(const struct mgc_replay_params *params, struct mgc_replay_strings *ret_args)
{
    *ret_args = (struct mgc_replay_strings){0};
    add(ret_args, "%s", params->client);
    add_pair(ret_args, "--trace", params->trace);
    add_pair(ret_args, "--output", params->output);
    add_pair(ret_args, "--backend", params->backend);
    add_pair(ret_args, "--mobilegl-library", params->library);
    add_int(ret_args, "--width", params->width);
    add_int(ret_args, "--height", params->height);
    if (params->mode == MGC_REPLAY_BENCHMARK)
        add_benchmark(params, ret_args);
    else
        add_ssim(params, ret_args);
    return !ret_args->failed;
}

bool mgc_replay_env(const struct mgc_replay_params *params, struct mgc_replay_strings *ret_env)
{
    *ret_env = (struct mgc_replay_strings){0};
    add(ret_env, "MOBILEGL_TRANSPORT=spawn");
    add(ret_env, "MOBILEGL_IPC_CONTROL=tcp://%s:%" PRId64, params->address, params->port);
    add(ret_env, "MOBILEGL_IPC_DATA=stream");
    add(ret_env, "MOBILEGL_IPC_TOKEN=%s", params->token);
    add(ret_env, "MOBILEGL_IPC_RUN_AHEAD=1");
    add(ret_env, "MOBILEGL_IPC_COLD_START_MS=%d", COLD_START_MS);
    add(ret_env, "MOBILEGL_IPC_PRESENT_CREDIT=%" PRId64, params->credit);
    add(ret_env, "MOBILEGL_PIPE_STATS=1"); /* the link metrics need exactly 1 */
    add(ret_env, "PATH=/usr/local/bin:/usr/bin:/bin");
    /* Caches and leftovers stay in the run's own directory and go with it. */
    add(ret_env, "HOME=%s", params->output);
    add(ret_env, "TMPDIR=%s", params->output);
    add(ret_env, "LANG=C.UTF-8");
    return !ret_env->failed;
}

void mgc_replay_rc_text(
    const struct mgc_exit *exit, bool timed_out, int64_t wall_ns, char *ret_text, size_t size)
{
    int rc = timed_out                       ? RC_TIMED_OUT
             : exit->kind == MGC_EXIT_SIGNAL ? RC_SIGNAL + exit->value
                                             : exit->value;
    snprintf(ret_text, size, "rc=%d secs=%" PRId64 "\n", rc, wall_ns / MGC_NS_PER_S);
}
