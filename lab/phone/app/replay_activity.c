/* TraceReplayActivity: replays one trace, logs its result and leaves its process alive.
 *
 * The replay's own state (apitrace's) belongs to the process, so only the first run of a process is
 * sound. What a real second run does is not documented; this one fails and says so, with the
 * environment of the first still in force. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/plat/file.h"
#include "lab/phone/app/channel.h"
#include "lab/phone/app/components.h"
#include "lab/phone/app/replay_run.h"
#include "lab/phone/control.h"
#include "lab/phone/logd.h"
#include "lab/replay/output.h"

#define TAG "MobileGLTraceRunner"

/* From the surface to the replay (contract section 7: an older version of the activity). */
enum { START_DELAY_MS = 250 };
/* The phone tells nobody when its screen is lit. */
enum { SCREEN_LOOK_MS = 50 };

static void say_result(const struct mgr_run_result *result)
{
    char text[MGC_ERROR_TEXT_MAX + 160];
    snprintf(text, sizeof(text), "trace replay result: passed=%s statusCode=%d message=%s",
        result->passed ? "true" : "false", (int)result->status, result->message);
    mgl_logd_write(result->passed ? MGL_LOG_INFO : MGL_LOG_ERROR, TAG, text);
}

/* A run that did not come to the replay still leaves its result. */
static void refuse(const struct mgl_replay_run *run, enum mgr_status status, const char *message,
    struct mgr_run_result *ret_result)
{
    static const struct mgr_bench no_bench;
    struct mgr_outcome outcome = {.options = &run->run.options,
        .bench = &no_bench,
        .status = status,
        .message = message,
        .matched_golden = "",
        .actual = "",
        .benchmark_path = "",
        .ssim = -1,
        .mismatch_pixels = -1};
    char path[MGL_REPLAY_PATH_MAX + 16];
    struct mgc_buf text = {0};
    *ret_result = (struct mgr_run_result){.status = status};
    snprintf(ret_result->message, sizeof(ret_result->message), "%s", message);
    snprintf(path, sizeof(path), "%s/result.json", run->output);
    mgr_output_result_text(&outcome, &text);
    ret_result->written =
        mgc_dir_make(run->output, 0755, NULL) && mgr_output_write(path, &text, false, NULL);
    ret_result->written_ns = mgc_mono_ns();
    mgc_buf_destroy(&text);
}

/* An activity that is started on a phone that sleeps gets its surface once the screen is lit. */
static void wait_for_surface(void)
{
    static const char *const words[] = {"get", "power", "wakefulness", NULL};
    char now[32];
    while (mgl_control_get(words, now, sizeof(now)) == MGL_CONTROL_OK && strcmp(now, "Awake") != 0)
        mgc_sleep_ms(SCREEN_LOOK_MS);
}

static void replay(const struct mgl_app_request *request, bool first, int channel)
{
    static struct mgl_replay_run run;
    static struct mgr_run_result result;
    const char *message;
    wait_for_surface();
    mgc_sleep_ms(START_DELAY_MS);
    if (!mgl_replay_run_make(request, &run, &message))
        refuse(&run, MGR_STATUS_INVALID_ARGUMENT, message, &result);
    else if (!first)
        refuse(&run, MGR_STATUS_RETRACE_FAILED,
            "the retrace state of an earlier run in this process is in the way", &result);
    else
        mgr_runner_run(&run.run, &result);
    if (result.written)
        mgl_channel_report(channel, MGL_REPORT_RESULT, result.written_ns);
    say_result(&result);
    mgl_channel_report(channel, MGL_REPORT_FINISHED, 0);
}

int mgl_replay_activity(const struct mgl_app_request *request, int channel)
{
    static char data[MGL_CHANNEL_PACKET_MAX];
    struct mgl_app_request again;
    ssize_t len;
    replay(request, true, channel);
    while ((len = recv(channel, data, sizeof(data), 0)) > 0)
        if (mgl_app_request_parse(data, (size_t)len, &again))
            replay(&again, false, channel);
    return 0; /* the phone's PID 1 has gone */
}
