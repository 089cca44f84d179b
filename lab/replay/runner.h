/* One replay in this process: what mobilegl_trace_replay does after its command line and what the
 * trace app's Activity does after its extras (contract sections 4, 6 and 7).
 *
 *   struct mgr_run run = {.thread_name = MGR_RUN_ANDROID_THREAD, .mobilegl_env = "K=V;K="};
 *   mgr_options_init(&run.options);
 *   run.options.trace = ...;
 *   mgr_runner_run(&run, &result);
 *
 * It loads libMobileGL.so (options.library), which opens the arm that the environment asks for: the
 * calling process is the client; an apply thread or a forked server come and go with the run.
 */
#ifndef MGC_LAB_REPLAY_RUNNER_H
#define MGC_LAB_REPLAY_RUNNER_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/replay/cli.h"

/* comm of the Activity's replay thread, as the kernel cuts it (contract section 1). */
#define MGR_RUN_ANDROID_THREAD "MobileGLTraceRe"

/* All texts are borrowed for the length of the call. */
struct mgr_run {
    struct mgr_options options; /* trace and output are required; mgr_options_init first */
    const char *server_path;    /* MOBILEGL_IPC_SERVER_PATH, unless it is set; NULL: none */
    /* Extra of that name, NULL: none. Applied to this process's environment, after server_path and
     * just before the library is loaded: ';' separates, the first '=' splits, "K=" sets empty, a
     * bare K unsets, empty entries are ignored. */
    const char *mobilegl_env;
    const char *thread_name; /* replay in a thread of that name; NULL: in the calling thread */
};

/* statusCode of result.json, and the exit code of the command (contract section 4.1). */
enum mgr_status {
    MGR_STATUS_OK,
    MGR_STATUS_INVALID_ARGUMENT,
    MGR_STATUS_IO_ERROR,
    MGR_STATUS_MOBILEGL_LOAD_ERROR,
    MGR_STATUS_RETRACE_NOT_LINKED,
    MGR_STATUS_RETRACE_FAILED,
    MGR_STATUS_COMPARE_FAILED,
};

struct mgr_run_result {
    enum mgr_status status;
    bool passed;        /* what result.json says */
    bool written;       /* result.json is there and whole */
    int64_t written_ns; /* monotonic, when it was closed; with `written` */
    char message[MGC_ERROR_TEXT_MAX + 64];
};

/* Replay and write the result files below options.output (made if missing). Blocks until the run is
 * over, hold_ms included; once per process, as it changes the environment. Does not print. */
void mgr_runner_run(const struct mgr_run *run, struct mgr_run_result *ret_result);

#endif
