/* What can be measured: MobileGL's workloads and arms as data (MobileGL trace replay contract,
 * sections 1, 2 and 3.5).
 *
 * All of it is static; pointers live as long as the program.
 */
#ifndef MGC_PLAN_BENCH_H
#define MGC_PLAN_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mgc_bench_workload {
    const char *name;
    int64_t frames; /* of the whole trace, as benchmark.json counts them */
    int64_t width, height;
    int64_t target_call;    /* whose picture is compared */
    int64_t crop_x, crop_y; /* compared part; crop_width 0: the whole picture */
    int64_t crop_width, crop_height;
    int64_t tail_frames; /* the client's means are over the last so many */
    int64_t skip_frames; /* ours leave out the first so many: they hold set-up and load */
    double ssim_threshold;
    int64_t client_timeout_ms; /* cross-host: one run of the replay client */
    int64_t typical_ms;        /* cross-host: what one took in published runs; for estimates */
    const char *phone_dir;     /* on the phone: fixture directory below files/trace-replay */
    int64_t phone_typical_ms;  /* on the phone: what one run took in published runs */
};

/* One way of rendering. Markers are named as in common/contract/markers.h. */
struct mgc_bench_arm {
    const char *name;             /* "crosshost-c1" */
    const char *lane;             /* "crosshost" */
    int64_t credit;               /* MOBILEGL_IPC_PRESENT_CREDIT, set explicitly; 0: the plan's */
    const char *client_env;       /* "K=V;K=V": what makes this arm; the endpoint, token and credit
                                     come from the cell. NULL: one process, nothing is split */
    bool server;                  /* a render server of its own is started first */
    const char *const *required;  /* NULL-ended: markers without which a run proves nothing */
    const char *const *forbidden; /* NULL-ended: markers that make a run invalid */
};

struct mgc_bench {
    const char *name;
    const struct mgc_bench_workload *workloads;
    size_t workload_count;
    const struct mgc_bench_arm *arms;
    size_t arm_count;
};

const struct mgc_bench *mgc_bench_built_in(void);

/* NULL when there is none. */
const struct mgc_bench_workload *mgc_bench_workload(
    const struct mgc_bench *bench, const char *name);
/* `name` may carry a tag, "tcp@p14": the arm tcp of another installed build. */
const struct mgc_bench_arm *mgc_bench_arm(const struct mgc_bench *bench, const char *name);
/* Does a second process draw? NULL: an arm that nobody knows, of which nothing is said. */
bool mgc_bench_two_processes(const struct mgc_bench_arm *arm);
/* Package of the build that an arm names: "top.mobilegl.plugin.p14.trace" for "tcp@p14", else
 * `package`. False: too long. */
bool mgc_bench_package(const char *arm, const char *package, char *ret_package, size_t size);

/* Clocks that a bench session holds (contract section 3.4). */
struct mgc_bench_clocks {
    const char *name; /* "sustained" */
    int64_t big_khz, little_khz, gpu_hz;
};
const struct mgc_bench_clocks *mgc_bench_clocks(const char *name); /* NULL: none is called so */
const char *mgc_bench_clocks_names(void);                          /* "sustained, gpumax, ..." */

#endif
