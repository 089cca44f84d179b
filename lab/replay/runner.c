/* One replay, from the clock's start to the result files. */
#include "lab/replay/runner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "lab/replay/fault.h"
#include "lab/replay/output.h"
#include "lab/replay/player.h"
#include "lab/replay/png.h"
#include "lab/replay/ssim.h"
#include "lab/replay/thread.h"

enum { PAUSE_MS = 2000, CRASH_MS = 200 };

struct runner {
    const struct mgr_run *run; /* borrowed */
    struct mgr_run_result *result;
    struct mgr_options options;
    struct mgr_player player;
    struct mgr_outcome outcome;
    char actual_path[MGC_PATH_MAX], benchmark_path[MGC_PATH_MAX];
};

static void set_status(struct runner *runner, enum mgr_status status, const char *message)
{
    runner->outcome.status = status;
    runner->outcome.passed = status == MGR_STATUS_OK;
    snprintf(runner->result->message, sizeof(runner->result->message), "%s", message);
}

static void in_output(const struct runner *runner, const char *name, char ret_path[MGC_PATH_MAX])
{
    snprintf(ret_path, MGC_PATH_MAX, "%s/%s", runner->options.output, name);
}

/* actual.png and its twin that names the call. */
static bool write_actual(struct runner *runner, struct mgc_error *err)
{
    char name[64], twin[MGC_PATH_MAX];
    in_output(runner, "actual.png", runner->actual_path);
    snprintf(
        name, sizeof(name), "actual.%010llu.png", (unsigned long long)runner->player.picture_call);
    in_output(runner, name, twin);
    if (!mgr_png_write(runner->actual_path, &runner->player.picture, err) ||
        !mgr_png_write(twin, &runner->player.picture, err))
        return false;
    runner->outcome.actual = runner->actual_path;
    return true;
}

/* Compare with one golden and keep the best. */
static bool try_golden(struct runner *runner, const char *path, struct mgc_error *err)
{
    struct mgr_crop crop = {(int)runner->options.crop_x, (int)runner->options.crop_y,
        (int)runner->options.crop_width, (int)runner->options.crop_height};
    struct mgr_image golden;
    struct mgr_compare compare;
    if (!mgr_png_read(path, &golden, err))
        return false;
    bool ok = mgr_compare(&runner->player.picture, &golden, &crop, &compare, err);
    mgr_image_destroy(&golden);
    struct mgr_outcome *outcome = &runner->outcome;
    if (ok && (outcome->mismatch_pixels < 0 || compare.ssim > outcome->ssim)) {
        outcome->ssim = compare.ssim;
        outcome->mismatch_pixels = compare.mismatch_pixels;
        outcome->matched_golden = path;
    }
    return ok;
}

static bool write_diff(struct runner *runner, struct mgc_error *err)
{
    struct mgr_image golden, diff = {0};
    if (!mgr_png_read(runner->outcome.matched_golden, &golden, err))
        return false;
    bool ok = mgr_diff(&runner->player.picture, &golden, &diff, err) &&
              mgr_png_write(runner->options.diff, &diff, err);
    mgr_image_destroy(&golden);
    mgr_image_destroy(&diff);
    return ok;
}

static bool compare_all(struct runner *runner, struct mgc_error *err)
{
    const struct mgr_options *options = &runner->options;
    if (!options->golden) {
        runner->outcome.ssim = 1.0;
        return true;
    }
    if (!try_golden(runner, options->golden, err))
        return false;
    for (size_t i = 0; i < options->alternate_goldens.count; i++) {
        if (!try_golden(runner, options->alternate_goldens.items[i], err))
            return false;
    }
    return !options->diff || write_diff(runner, err);
}

static void judge_picture(struct runner *runner)
{
    struct mgc_error err = {0};
    char text[128];
    if (!write_actual(runner, &err)) {
        set_status(runner, MGR_STATUS_IO_ERROR, err.text);
    } else if (!compare_all(runner, &err)) {
        set_status(runner,
            err.code == MGC_E_FAILED ? MGR_STATUS_COMPARE_FAILED : MGR_STATUS_IO_ERROR, err.text);
    } else {
        bool passed = runner->outcome.ssim >= runner->options.ssim_threshold;
        snprintf(text, sizeof(text), "ssim %.9f %s threshold %.9f", runner->outcome.ssim,
            passed ? "reaches" : "is below", runner->options.ssim_threshold);
        set_status(runner, passed ? MGR_STATUS_OK : MGR_STATUS_COMPARE_FAILED, text);
    }
}

/* Written even when the replay failed, as the runner does. */
static void write_benchmark(struct runner *runner)
{
    struct mgc_error err = {0};
    struct mgc_buf text = {0};
    mgr_output_benchmark_text(&runner->options, &runner->player.bench, &text);
    if (!mgr_output_write(runner->benchmark_path, &text, false, &err) &&
        runner->outcome.status == MGR_STATUS_OK)
        set_status(runner, MGR_STATUS_IO_ERROR, err.text);
    mgc_buf_destroy(&text);
}

static void replay(struct runner *runner, int64_t start_ns)
{
    struct mgc_error err = {0};
    struct mgr_player *player = &runner->player;
    if (!mgr_player_load(player, &err)) {
        set_status(runner, MGR_STATUS_MOBILEGL_LOAD_ERROR, err.text);
    } else if (!mgr_player_read(player, &err)) {
        set_status(runner, MGR_STATUS_IO_ERROR, err.text);
    } else {
        fprintf(player->log, "trace %s: %u frames of %u (1/%u), %ux%u\n", player->head.name,
            player->head.frames, player->head.full_frames, player->head.divisor, player->head.width,
            player->head.height);
        if (!mgr_player_run(player, start_ns, &err))
            set_status(runner, MGR_STATUS_RETRACE_FAILED, err.text);
        else if (runner->options.benchmark)
            set_status(runner, MGR_STATUS_OK, "benchmark finished");
        else
            judge_picture(runner);
        if (runner->options.benchmark)
            write_benchmark(runner);
    }
    if (runner->outcome.status != MGR_STATUS_OK)
        fprintf(player->log, "error: %s\n", runner->result->message);
}

static bool write_result(struct runner *runner, enum mgr_cut cut, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    int64_t pause_ms;
    struct mgc_buf text = {0};
    in_output(runner, "result.json", path);
    mgr_output_result_text(&runner->outcome, &text);
    bool ok = cut == MGR_CUT_NONE && mgr_fault_number("client-result-pause", PAUSE_MS, &pause_ms)
                  ? mgr_output_write_paused(path, &text, pause_ms, err)
                  : mgr_output_write(path, &text, cut, err);
    mgc_buf_destroy(&text);
    return ok;
}

/* What a client that is cut off leaves: the head of a document that says "passed". */
static void write_early_result(struct runner *runner)
{
    runner->outcome.passed = true;
    write_result(runner, MGR_CUT_HALF, NULL);
    runner->outcome.passed = false;
}

static void init_outcome(struct runner *runner)
{
    runner->outcome = (struct mgr_outcome){.options = &runner->options,
        .bench = &runner->player.bench,
        .message = runner->result->message,
        .matched_golden = "",
        .actual = "",
        .benchmark_path = runner->benchmark_path,
        .ssim = -1,
        .mismatch_pixels = -1};
    if (runner->options.benchmark_result)
        snprintf(runner->benchmark_path, MGC_PATH_MAX, "%s", runner->options.benchmark_result);
    else
        in_output(runner, "benchmark.json", runner->benchmark_path);
    runner->player.options = &runner->options;
}

/* The output directory and retrace.log in it. */
static bool open_output(struct runner *runner, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_dir_make(runner->options.output, 0755, err))
        return false;
    in_output(runner, "retrace.log", path);
    runner->player.log = fopen(path, "we");
    return runner->player.log || mgc_error_errno(err, errno, "%s: cannot write", path);
}

/* The fault client-crash-ms: the kernel sends what abort() sends, wherever the replay is. */
static void arm_crash(void)
{
    int64_t ms;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGABRT};
    if (!mgr_fault_number("client-crash-ms", CRASH_MS, &ms) ||
        timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return;
    struct itimerspec at = {.it_value = {ms / 1000, ms % 1000 * MGC_NS_PER_MS + 1}};
    timer_settime(timer, 0, &at, NULL);
}

static void run(struct runner *runner, int64_t start_ns)
{
    struct mgc_error err = {0};
    init_outcome(runner);
    if (!open_output(runner, &err)) {
        set_status(runner, MGR_STATUS_IO_ERROR, err.text);
        return;
    }
    arm_crash();
    if (mgr_fault("client-result-early"))
        write_early_result(runner);
    replay(runner, start_ns);
    if (mgr_fault("client-not-passed"))
        set_status(runner, MGR_STATUS_RETRACE_FAILED, "not passed: planted by the lab");
    fclose(runner->player.log);

    bool half = mgr_fault("client-result-half");
    if (!write_result(runner, half ? MGR_CUT_HALF : MGR_CUT_NONE, &err))
        set_status(runner, MGR_STATUS_IO_ERROR, err.text);
    else
        runner->result->written = !half;
    runner->result->written_ns = mgc_mono_ns();
    if (half)
        runner->outcome.status = MGR_STATUS_OK;
    else if (runner->result->written && runner->options.hold_ms)
        mgc_sleep_ms(runner->options.hold_ms);
}

/* One entry of mobilegl_env, cut at its first '='. */
static void apply_variable(char *entry)
{
    char *equals = strchr(entry, '=');
    if (equals)
        *equals = '\0';
    if (!*entry)
        return;
    if (equals)
        setenv(entry, equals + 1, 1);
    else
        unsetenv(entry);
}

static bool apply_environment(const struct mgr_run *run)
{
    if (run->options.coherent_as_flush)
        setenv("MOBILEGL_COHERENT_AS_FLUSH", "1", 1);
    if (run->server_path)
        setenv("MOBILEGL_IPC_SERVER_PATH", run->server_path, 0);
    if (!run->mobilegl_env)
        return true;
    char *copy = strdup(run->mobilegl_env), *rest = copy, *entry;
    while ((entry = strsep(&rest, ";")))
        apply_variable(entry);
    free(copy);
    return copy != NULL;
}

static void thread_main(void *arg)
{
    run(arg, mgc_mono_ns());
}

void mgr_runner_run(const struct mgr_run *run, struct mgr_run_result *ret_result)
{
    struct mgc_error err = {0};
    *ret_result = (struct mgr_run_result){0};
    struct runner *runner = calloc(1, sizeof(*runner));
    if (!runner || !apply_environment(run)) {
        ret_result->status = MGR_STATUS_IO_ERROR;
        snprintf(ret_result->message, sizeof(ret_result->message), "no memory for a replay");
        free(runner);
        return;
    }
    runner->run = run;
    runner->result = ret_result;
    runner->options = run->options;
    if (!run->thread_name)
        thread_main(runner);
    else if (!mgr_thread_run(run->thread_name, thread_main, runner, &err))
        set_status(runner, MGR_STATUS_IO_ERROR, err.text);
    ret_result->status = (enum mgr_status)runner->outcome.status;
    ret_result->passed = runner->outcome.passed;
    mgr_player_destroy(&runner->player);
    free(runner);
}
