/* mobilegl_trace_replay: load the library, replay, compare or measure, write the result files.
 * Exit code: statusCode of the result (contract section 4.1); usage errors exit 2 as well. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "lab/replay/fault.h"
#include "lab/replay/output.h"
#include "lab/replay/player.h"
#include "lab/replay/png.h"
#include "lab/replay/ssim.h"

enum {
    OK,
    INVALID_ARGUMENT,
    IO_ERROR,
    MOBILEGL_LOAD_ERROR,
    RETRACE_NOT_LINKED,
    RETRACE_FAILED,
    COMPARE_FAILED
};

struct client {
    struct mgr_options options;
    struct mgr_player player;
    struct mgr_outcome outcome;
    char message[MGC_ERROR_TEXT_MAX + 64];
    char actual_path[MGC_PATH_MAX], benchmark_path[MGC_PATH_MAX];
};

static void set_status(struct client *client, int status, const char *message)
{
    client->outcome.status = status;
    client->outcome.passed = status == OK;
    snprintf(client->message, sizeof(client->message), "%s", message);
}

static void in_output(const struct client *client, const char *name, char ret_path[MGC_PATH_MAX])
{
    snprintf(ret_path, MGC_PATH_MAX, "%s/%s", client->options.output, name);
}

/* actual.png and its twin that names the call. */
static bool write_actual(struct client *client, struct mgc_error *err)
{
    char name[64], twin[MGC_PATH_MAX];
    in_output(client, "actual.png", client->actual_path);
    snprintf(
        name, sizeof(name), "actual.%010llu.png", (unsigned long long)client->player.picture_call);
    in_output(client, name, twin);
    if (!mgr_png_write(client->actual_path, &client->player.picture, err) ||
        !mgr_png_write(twin, &client->player.picture, err))
        return false;
    client->outcome.actual = client->actual_path;
    return true;
}

/* Compare with one golden and keep the best. */
static bool try_golden(struct client *client, const char *path, struct mgc_error *err)
{
    struct mgr_crop crop = {(int)client->options.crop_x, (int)client->options.crop_y,
        (int)client->options.crop_width, (int)client->options.crop_height};
    struct mgr_image golden;
    struct mgr_compare compare;
    if (!mgr_png_read(path, &golden, err))
        return false;
    bool ok = mgr_compare(&client->player.picture, &golden, &crop, &compare, err);
    mgr_image_destroy(&golden);
    struct mgr_outcome *outcome = &client->outcome;
    if (ok && (outcome->mismatch_pixels < 0 || compare.ssim > outcome->ssim)) {
        outcome->ssim = compare.ssim;
        outcome->mismatch_pixels = compare.mismatch_pixels;
        outcome->matched_golden = path;
    }
    return ok;
}

static bool write_diff(struct client *client, struct mgc_error *err)
{
    struct mgr_image golden, diff = {0};
    if (!mgr_png_read(client->outcome.matched_golden, &golden, err))
        return false;
    bool ok = mgr_diff(&client->player.picture, &golden, &diff, err) &&
              mgr_png_write(client->options.diff, &diff, err);
    mgr_image_destroy(&golden);
    mgr_image_destroy(&diff);
    return ok;
}

static bool compare_all(struct client *client, struct mgc_error *err)
{
    const struct mgr_options *options = &client->options;
    if (!options->golden) {
        client->outcome.ssim = 1.0;
        return true;
    }
    if (!try_golden(client, options->golden, err))
        return false;
    for (size_t i = 0; i < options->alternate_goldens.count; i++) {
        if (!try_golden(client, options->alternate_goldens.items[i], err))
            return false;
    }
    return !options->diff || write_diff(client, err);
}

static void judge_picture(struct client *client)
{
    struct mgc_error err = {0};
    char text[128];
    if (!write_actual(client, &err)) {
        set_status(client, IO_ERROR, err.text);
    } else if (!compare_all(client, &err)) {
        set_status(client, err.code == MGC_E_FAILED ? COMPARE_FAILED : IO_ERROR, err.text);
    } else {
        bool passed = client->outcome.ssim >= client->options.ssim_threshold;
        snprintf(text, sizeof(text), "ssim %.9f %s threshold %.9f", client->outcome.ssim,
            passed ? "reaches" : "is below", client->options.ssim_threshold);
        set_status(client, passed ? OK : COMPARE_FAILED, text);
    }
}

/* Written even when the replay failed, as the runner does. */
static void write_benchmark(struct client *client)
{
    struct mgc_error err = {0};
    struct mgc_buf text = {0};
    mgr_output_benchmark_text(&client->options, &client->player.bench, &text);
    if (!mgr_output_write(client->benchmark_path, &text, false, &err) &&
        client->outcome.status == OK)
        set_status(client, IO_ERROR, err.text);
    mgc_buf_destroy(&text);
}

static void replay(struct client *client, int64_t start_ns)
{
    struct mgc_error err = {0};
    struct mgr_player *player = &client->player;
    if (!mgr_player_load(player, &err)) {
        set_status(client, MOBILEGL_LOAD_ERROR, err.text);
    } else if (!mgr_player_read(player, &err)) {
        set_status(client, IO_ERROR, err.text);
    } else {
        fprintf(player->log, "trace %s: %u frames of %u (1/%u), %ux%u\n", player->head.name,
            player->head.frames, player->head.full_frames, player->head.divisor, player->head.width,
            player->head.height);
        if (!mgr_player_run(player, start_ns, &err))
            set_status(client, RETRACE_FAILED, err.text);
        else if (client->options.benchmark)
            set_status(client, OK, "benchmark finished");
        else
            judge_picture(client);
        if (client->options.benchmark)
            write_benchmark(client);
    }
    if (client->outcome.status != OK)
        fprintf(player->log, "error: %s\n", client->message);
}

static bool write_result(struct client *client, bool half, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    in_output(client, "result.json", path);
    mgr_output_result_text(&client->outcome, &text);
    bool ok = mgr_output_write(path, &text, half, err);
    mgc_buf_destroy(&text);
    return ok;
}

/* What a client that is cut off leaves: the head of a document that says "passed". */
static void write_early_result(struct client *client)
{
    client->outcome.passed = true;
    write_result(client, true, NULL);
    client->outcome.passed = false;
}

static int run(struct client *client)
{
    int64_t start_ns = mgc_mono_ns();
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    client->outcome = (struct mgr_outcome){.options = &client->options,
        .bench = &client->player.bench,
        .message = client->message,
        .matched_golden = "",
        .actual = "",
        .benchmark_path = client->benchmark_path,
        .ssim = -1,
        .mismatch_pixels = -1};
    if (client->options.benchmark_result)
        snprintf(client->benchmark_path, MGC_PATH_MAX, "%s", client->options.benchmark_result);
    else
        in_output(client, "benchmark.json", client->benchmark_path);
    if (!mgc_dir_make(client->options.output, 0755, &err)) {
        fprintf(stderr, "mobilegl_trace_replay: %s\n", err.text);
        return IO_ERROR;
    }
    in_output(client, "retrace.log", path);
    FILE *log = fopen(path, "we");
    if (!log) {
        fprintf(stderr, "mobilegl_trace_replay: %s: %s\n", path, strerror(errno));
        return IO_ERROR;
    }
    client->player.options = &client->options;
    client->player.log = log;
    if (mgr_fault("client-result-early"))
        write_early_result(client);
    replay(client, start_ns);
    fclose(log);

    bool half = mgr_fault("client-result-half");
    if (!write_result(client, half, &err)) {
        fprintf(stderr, "mobilegl_trace_replay: %s\n", err.text);
        return IO_ERROR;
    }
    if (half)
        return OK;
    FILE *out = client->outcome.passed ? stdout : stderr;
    fprintf(out, "mobilegl_trace_replay: %s: %s\n", client->outcome.passed ? "passed" : "FAILED",
        client->message);
    fflush(out);
    if (client->options.hold_ms)
        mgc_sleep_ms(client->options.hold_ms);
    return client->outcome.status;
}

int main(int argc, char **argv)
{
    static struct client client;
    struct mgc_error err = {0};
    if (!mgc_clock_plant_from_env(&err)) {
        fprintf(stderr, "mobilegl_trace_replay: %s\n", err.text);
        return IO_ERROR;
    }
    switch (mgr_cli_parse(argc, argv, &client.options, &err)) {
    case MGC_CLI_HELP:
        mgr_cli_help(stderr);
        return 2; /* the contract's: the same as a usage error */
    case MGC_CLI_BAD:
        fprintf(stderr, "mobilegl_trace_replay: %s\n", err.text);
        return 2;
    case MGC_CLI_RUN:
        break;
    }
    if (client.options.coherent_as_flush)
        setenv("MOBILEGL_COHERENT_AS_FLUSH", "1", 1);
    int status = run(&client);
    mgr_player_destroy(&client.player);
    return status;
}
