/* How the app is told to replay: every extra of the activity that the task knows, explicitly, with
 * the type that the activity asks for, since an extra of another type is as good as absent and a
 * default may differ between builds (contract section 7). Pure; any thread. */
#ifndef MGC_HOST_REPLAY_LAUNCH_H
#define MGC_HOST_REPLAY_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "worker-host/tasks/knob.h"

#define MGC_REPLAY_OUTPUT "trace-replay/output" /* below the app's files directory */
#define MGC_REPLAY_RESULT "result.json"         /* in there: the run's last word */

struct mgc_replay_launch {
    const char *package, *dir, *mode, *backend, *env; /* env: NULL or K=V;K=V */
    int64_t width, height, target_call;
    int64_t crop_x, crop_y, crop_width, crop_height;
    double ssim_threshold;
    bool benchmark_finish;
    int64_t benchmark_tail_frames;
};

/* "/data/user/0/PACKAGE/files" and `below` it (NULL: just that). */
bool mgc_replay_app_path(struct mgc_buf *out, const char *package, const char *below);
/* The "am start ..." line for the device's shell, all words quoted. */
bool mgc_replay_launch_command(struct mgc_buf *out, const struct mgc_replay_launch *launch);

/* The whole script of the stream that launches: with `launch` (NULL: not again), then what standard
 * input says, line by line, until its end; `since_s`: what an earlier one of these streams said was
 * the time of the launch (0: not known):
 *
 *   log PID     the log of that process, tags MobileGL* and the crash's, to stdout; from the
 *               launch on, since the buffer may hold lines of an earlier process of that number
 *   kill PID    end that process, as the app's user
 *   check       what replay_check.h asks, to stderr; with `held` (NULL: none). The log ends
 *
 * On stderr: "mgc-time SECONDS" (phone's wall clock before the launch), what am says, then "mgc-am
 * CODE"; "mgc-killed CODE". */
bool mgc_replay_script(struct mgc_buf *out, const char *package,
    const struct mgc_replay_launch *launch, const struct mgc_knobs *held, int64_t since_s);

#endif
