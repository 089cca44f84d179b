#include "coordinator/plan/bench.h"

#include <stdio.h>
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
        .skip_frames = 8,
        .ssim_threshold = 0.99,
        .client_timeout_ms = 600 * 1000,
        .typical_ms = 20 * 1000,
        .phone_dir = "input",
        .phone_typical_ms = 15 * 1000,
    },
    {
        .name = "rd12",
        .frames = 251,
        .width = 854,
        .height = 480,
        .target_call = 4660351,
        .tail_frames = 200,
        .skip_frames = 4,
        .ssim_threshold = 0.99,
        .client_timeout_ms = 1500 * 1000,
        .typical_ms = 75 * 1000,
        .phone_dir = "input-rd12",
        .phone_typical_ms = 60 * 1000,
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
        .server = true, .required = crosshost_required, .forbidden = crosshost_forbidden,          \
    }

/* What makes any run worthless, and per arm what proves that it was that one: a monolith by the
 * absence of a second half, the others by their own lines. */
#define PHONE_FORBIDDEN "transport-refused", "lockstep", "disarmed", "fatal", "device-lost"
static const char *const monolith_required[] = {NULL};
static const char *const monolith_forbidden[] = {
    PHONE_FORBIDDEN, "transport-inproc", "transport-spawn", "spawn-armed", "control-tcp", NULL};
static const char *const inproc_required[] = {"transport-inproc", "run-ahead-armed", NULL};
static const char *const inproc_forbidden[] = {
    PHONE_FORBIDDEN, "transport-spawn", "spawn-armed", "control-tcp", NULL};
static const char *const shm_required[] = {
    "transport-spawn", "spawn-armed", "run-ahead-armed", NULL};
static const char *const shm_forbidden[] = {
    PHONE_FORBIDDEN, "transport-inproc", "control-tcp", NULL};
static const char *const tcp_required[] = {
    "transport-spawn", "control-tcp", "run-ahead-armed", NULL};
static const char *const tcp_forbidden[] = {
    PHONE_FORBIDDEN, "transport-inproc", "spawn-armed", NULL};

static const struct mgc_bench_arm arms[] = {
    {
        .name = "monolith",
        .lane = "matrix",
        .required = monolith_required,
        .forbidden = monolith_forbidden,
    },
    {
        .name = "inproc",
        .lane = "matrix",
        .client_env = "MOBILEGL_TRANSPORT=inproc;MOBILEGL_IPC_RUN_AHEAD=1",
        .required = inproc_required,
        .forbidden = inproc_forbidden,
    },
    {
        .name = "shm",
        .lane = "matrix",
        .client_env = "MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_CONTROL=fork;MOBILEGL_IPC_DATA=auto;"
                      "MOBILEGL_IPC_RUN_AHEAD=1",
        .required = shm_required,
        .forbidden = shm_forbidden,
    },
    {
        .name = "tcp",
        .lane = "matrix",
        .client_env = "MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_DATA=stream;MOBILEGL_IPC_RUN_AHEAD=1",
        .server = true,
        .required = tcp_required,
        .forbidden = tcp_forbidden,
    },
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
    size_t len = strcspn(name, "@");
    for (size_t i = 0; i < bench->arm_count; i++) {
        const char *known = bench->arms[i].name;
        if (strncmp(known, name, len) == 0 && !known[len])
            return &bench->arms[i];
    }
    return NULL;
}

bool mgc_bench_two_processes(const struct mgc_bench_arm *arm)
{
    return arm && arm->client_env &&
           (arm->server || strstr(arm->client_env, "MOBILEGL_TRANSPORT=spawn"));
}

bool mgc_bench_package(const char *arm, const char *package, char *ret_package, size_t size)
{
    const char *tag = strchr(arm, '@');
    int len = tag ? snprintf(ret_package, size, "top.mobilegl.plugin.%s.trace", tag + 1)
                  : snprintf(ret_package, size, "%s", package);
    return len > 0 && (size_t)len < size;
}

/* ---- clocks -------------------------------------------------------------------------------- */

static const struct mgc_bench_clocks clocks[] = {
    {"sustained", 2035200, 1574400, 680000000},
    {"gpumax", 2035200, 1574400, 903000000},
    {"gpulow", 2035200, 1574400, 422000000},
    {"cpulow", 1286400, 1017600, 680000000},
    {"cpuhunt", 1500000, 1250000, 903000000},
    {"gpuhunt", 2400000, 1800000, 578000000},
};

const struct mgc_bench_clocks *mgc_bench_clocks(const char *name)
{
    for (size_t i = 0; i < COUNT(clocks); i++) {
        if (strcmp(clocks[i].name, name) == 0)
            return &clocks[i];
    }
    return NULL;
}

const char *mgc_bench_clocks_names(void)
{
    return "sustained, gpumax, gpulow, cpulow, cpuhunt, gpuhunt";
}
