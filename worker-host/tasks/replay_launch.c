#include "worker-host/tasks/replay_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "worker-host/adb/quote.h"
#include "worker-host/tasks/replay_check.h"

#define ACTION   "top.mobilegl.plugin.TRACE_REPLAY"
#define ACTIVITY "top.mobilegl.plugin.trace.TraceReplayActivity"

bool mgc_replay_app_path(struct mgc_buf *out, const char *package, const char *below)
{
    return mgc_buf_printf(
        out, "/data/user/0/%s/files%s%s", package, below ? "/" : "", below ? below : "");
}

/* One extra: " --TYPE NAME VALUE". */
static void put(struct mgc_buf *out, const char *type, const char *name, const char *value)
{
    const char *const words[] = {type, name, value, NULL};
    mgc_buf_putc(out, ' ');
    mgc_adb_quote_all(out, words);
}

static void put_int(struct mgc_buf *out, const char *type, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, value);
    put(out, type, name, text);
}

static void put_path(struct mgc_buf *out, const char *name, const struct mgc_replay_launch *launch,
    const char *folder, const char *file)
{
    struct mgc_buf below = {0}, path = {0};
    if (mgc_buf_printf(&below, "%s%s%s", folder, *file ? "/" : "", file) &&
        mgc_replay_app_path(&path, launch->package, mgc_buf_text(&below)))
        put(out, "--es", name, mgc_buf_text(&path));
    else
        out->failed = true;
    mgc_buf_destroy(&path);
    mgc_buf_destroy(&below);
}

static void put_paths(struct mgc_buf *out, const struct mgc_replay_launch *launch)
{
    char input[128];
    snprintf(input, sizeof(input), "trace-replay/%s", launch->dir);
    put_path(out, "trace_path", launch, input, "trace.trace");
    put_path(out, "golden_path", launch, input, "golden.png");
    put_path(out, "output_dir", launch, MGC_REPLAY_OUTPUT, "");
    put_path(out, "diff_path", launch, MGC_REPLAY_OUTPUT, "diff.png");
    put_path(out, "benchmark_result_path", launch, MGC_REPLAY_OUTPUT, "benchmark.json");
}

static void put_numbers(struct mgc_buf *out, const struct mgc_replay_launch *launch)
{
    char threshold[32];
    put_int(out, "--ei", "target_frame", -1);
    put_int(out, "--el", "target_call", launch->target_call);
    put_int(out, "--ei", "width", launch->width);
    put_int(out, "--ei", "height", launch->height);
    put_int(out, "--ei", "crop_x", launch->crop_x);
    put_int(out, "--ei", "crop_y", launch->crop_y);
    put_int(out, "--ei", "crop_width", launch->crop_width);
    put_int(out, "--ei", "crop_height", launch->crop_height);
    put_int(out, "--ei", "benchmark_tail_frames", launch->benchmark_tail_frames);
    /* As text: "am" knows no double, and the activity takes both. */
    snprintf(threshold, sizeof(threshold), "%.9g", launch->ssim_threshold);
    put(out, "--es", "ssim_threshold", threshold);
}

bool mgc_replay_launch_command(struct mgc_buf *out, const struct mgc_replay_launch *launch)
{
    char component[400];
    snprintf(component, sizeof(component), "%s/" ACTIVITY, launch->package);
    const char *const head[] = {"am", "start", "-a", ACTION, "-n", component, NULL};
    mgc_adb_quote_all(out, head);
    put_paths(out, launch);
    put(out, "--es", "backend", launch->backend);
    put(out, "--es", "mobilegl_env", launch->env ? launch->env : "");
    put_numbers(out, launch);
    put(out, "--ez", "benchmark", strcmp(launch->mode, "benchmark") == 0 ? "true" : "false");
    put(out, "--ez", "benchmark_finish", launch->benchmark_finish ? "true" : "false");
    return mgc_buf_ok(out);
}

bool mgc_replay_script(struct mgc_buf *out, const char *package,
    const struct mgc_replay_launch *launch, const struct mgc_knobs *held, int64_t since_s)
{
    if (!mgc_replay_check_script(out, held))
        return false;
    /* The log reader is a child of this shell: it ends with it, also when the stream breaks (end of
     * input, or the signal that adbd sends). */
    mgc_buf_puts(out, "l=; trap '[ -z \"$l\" ] || kill $l 2>/dev/null; exit 1' HUP TERM\npkg=");
    mgc_adb_quote(out, package);
    mgc_buf_putc(out, '\n');
    if (launch)
        mgc_buf_puts(out, "t=$(date +%s); echo \"mgc-time $t\" >&2\n");
    else if (since_s > 0)
        mgc_buf_printf(out, "t=%" PRId64 "\n", since_s);
    else
        mgc_buf_puts(out, "t=\n");
    if (launch) {
        mgc_replay_launch_command(out, launch);
        mgc_buf_puts(out, " >&2 </dev/null; echo \"mgc-am $?\" >&2\n");
    }
    return mgc_buf_puts(out,
        "while read -r word arg; do\n"
        "  case $word in\n"
        "    log) [ -z \"$l\" ] || kill $l 2>/dev/null\n"
        "      logcat -v threadtime ${t:+-T} ${t:+$t.000} --pid=\"$arg\" MobileGL:V "
        "MobileGLTraceRunner:V libc:F '*:S' "
        "</dev/null & l=$!;;\n"
        "    kill) run-as \"$pkg\" kill -9 \"$arg\" </dev/null >&2; echo \"mgc-killed $?\" >&2;;\n"
        "    check) [ -z \"$l\" ] || kill $l 2>/dev/null; l=; check \"$pkg\" </dev/null >&2;;\n"
        "  esac\n"
        "done\n"
        "[ -z \"$l\" ] || kill $l 2>/dev/null\n"
        "exit 0\n");
}
