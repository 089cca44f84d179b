/* Task kinds whose parameters are settled and whose work is not built: each fails and says so. They
 * are here so that plans can be checked against their tables. */
#include <string.h>

#include "worker-host/tasks/common.h"
#include "worker-host/tasks/files.h"
#include "worker-host/tasks/replay_params.h"

static bool not_built(struct mgc_error *err, const char *kind)
{
    return mgc_error_set(err, MGC_E_UNSUPPORTED, "%s is not built in this version", kind);
}

const struct mgc_param mgc_host_replay_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app that replays"},
    {"dir", MGC_PARAM_STRING, true, 1, 64, mgc_host_check_file_name, "below files/trace-replay"},
    {"mode", MGC_PARAM_STRING, true, 1, 16, mgc_replay_check_mode, "benchmark or ssim"},
    {"backend", MGC_PARAM_STRING, true, 1, 64, mgc_host_check_backend, MGC_BACKENDS_TEXT},
    {"env", MGC_PARAM_STRING, false, 0, 8192, mgc_host_check_env, "K=V;K=V: mobilegl_env"},
    {"width", MGC_PARAM_INT, true, 1, MGC_REPLAY_SIDE_MAX, NULL, "of the surface"},
    {"height", MGC_PARAM_INT, true, 1, MGC_REPLAY_SIDE_MAX, NULL, "of the surface"},
    {"target_call", MGC_PARAM_INT, false, -1, INT64_MAX, NULL, "call to compare at; default -1"},
    {"crop_x", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, "part to compare"},
    {"crop_y", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, NULL},
    {"crop_width", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, "0: all of it"},
    {"crop_height", MGC_PARAM_INT, false, 0, MGC_REPLAY_SIDE_MAX, NULL, NULL},
    {"ssim_threshold", MGC_PARAM_DOUBLE, false, 0, 0, mgc_replay_check_ratio, "default 0.99"},
    {"benchmark_finish", MGC_PARAM_BOOL, false, 0, 0, NULL, "glFinish per frame, default true"},
    {"benchmark_tail_frames", MGC_PARAM_INT, false, 1, 1000000, NULL, "default 200"},
    {"timeout_ms", MGC_PARAM_INT, true, 1, 24 * 3600 * 1000, NULL, "from am start to the end"},
    {"files", MGC_PARAM_STRING, true, 0, 4096, mgc_host_check_files, "path=name,path=name"},
    {"barrier", MGC_PARAM_STRING, false, 1, 200, NULL, "where to arrive when prepared"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

#define NOT_BUILT(kind)                                                                            \
    bool mgc_host_##kind##_run(struct mgc_task *task, struct mgc_error *err)                       \
    {                                                                                              \
        (void)task;                                                                                \
        return not_built(err, "host." #kind);                                                      \
    }
NOT_BUILT(replay)
