#include "coordinator/plan/bench.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct mgc_bench_workload workloads[] = {
    {
        .name = "openra",
        .frames = 128,
        .width = 640,
        .height = 480,
        .target_call = 31249,
        .crop_x = 1,
        .crop_y = 1,
        .crop_width = 638,
        .crop_height = 478,
        .tail_frames = 200,
        .ssim_threshold = 0.99,
        .client_timeout_ms = 600 * 1000,
        .typical_ms = 20 * 1000,
    },
    {
        .name = "rd12",
        .frames = 251,
        .width = 854,
        .height = 480,
        .target_call = 4660351,
        .tail_frames = 200,
        .ssim_threshold = 0.99,
        .client_timeout_ms = 1500 * 1000,
        .typical_ms = 75 * 1000,
    },
};

/* transport-spawn and control-tcp: it was this transport; run-ahead-armed: frames really ran
 * ahead, the credit was in force. */
static const char *const crosshost_required[] = {
    "transport-spawn", "control-tcp", "run-ahead-armed", NULL};
static const char *const crosshost_forbidden[] = {
    "transport-refused", "lockstep", "disarmed", "fatal", "device-lost", NULL};

#define CROSSHOST_ENV                                                                              \
    "MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_DATA=stream;MOBILEGL_IPC_RUN_AHEAD=1;"                  \
    "MOBILEGL_IPC_COLD_START_MS=120000;MOBILEGL_PIPE_STATS=1"
#define CROSSHOST_ARM(n)                                                                           \
    {                                                                                              \
        .name = "crosshost-c" #n, .lane = "crosshost", .credit = n, .client_env = CROSSHOST_ENV,   \
        .required = crosshost_required, .forbidden = crosshost_forbidden,                          \
    }

static const struct mgc_bench_arm arms[] = {
    CROSSHOST_ARM(1),
    CROSSHOST_ARM(2),
    CROSSHOST_ARM(3),
};

static const struct mgc_bench bench_built_in = {
    .name = "mobilegl",
    .workloads = workloads,
    .workload_count = COUNT(workloads),
    .arms = arms,
    .arm_count = COUNT(arms),
};

const struct mgc_bench *mgc_bench_built_in(void)
{
    return &bench_built_in;
}

const struct mgc_bench_workload *mgc_bench_workload(const struct mgc_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->workload_count; i++) {
        if (strcmp(bench->workloads[i].name, name) == 0)
            return &bench->workloads[i];
    }
    return NULL;
}

const struct mgc_bench_arm *mgc_bench_arm(const struct mgc_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->arm_count; i++) {
        if (strcmp(bench->arms[i].name, name) == 0)
            return &bench->arms[i];
    }
    return NULL;
}
