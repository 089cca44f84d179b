/* The phone's clocks, temperatures and battery, as a small model. Pure; time is an argument.
 *
 * It is made so that a harness meets what a phone does, not to predict one: clocks follow load,
 * limits and throttling at once; temperatures go exponentially to what idle or load would give.
 * While an activity is on the screen the phone is busy, else idle. */
#ifndef MGC_LAB_PHONE_SYS_MODEL_H
#define MGC_LAB_PHONE_SYS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MGL_CPUS = 8,
    MGL_POLICIES = 4,
    MGL_POLICY_OPPS = 8,
    MGL_GPU_LEVELS = 5, /* 0 is the fastest */
    MGL_GOVERNOR_MAX = 24,
    MGL_HOT_NONE = -1,
};

/* What is built in: the clusters of an 8-core phone chip. */
struct mgl_policy_spec {
    int first_cpu, cpus;
    int opps[MGL_POLICY_OPPS]; /* kHz, rising */
    int throttled_khz;         /* limit while the phone throttles */
};

extern const struct mgl_policy_spec mgl_policy_specs[MGL_POLICIES];
extern const int64_t mgl_gpu_hz[MGL_GPU_LEVELS];

struct mgl_policy {
    int min_khz, max_khz;             /* as set through scaling_min_freq and scaling_max_freq */
    int boost_min_khz, boost_max_khz; /* of msm_performance; INT_MAX and 0: no request */
    char governor[MGL_GOVERNOR_MAX];
};

struct mgl_sys_model {
    /* from outside */
    bool busy, plugged, throttled;
    int hot_dc;  /* battery, tenths of a degree; MGL_HOT_NONE: as the model says */
    int warming; /* tenths of a degree per second, on top of all else; 0: none */
    /* settings */
    struct mgl_policy policies[MGL_POLICIES];
    int gpu_min_level, gpu_max_level; /* slowest and fastest allowed */
    int gpu_limit_level;              /* max_gpuclk; shows as thermal_pwrlevel */
    /* state, degrees C */
    double battery_c, cpu_c, gpu_c, skin_c, warmed_c;
    int64_t gpu_stats_us[MGL_GPU_LEVELS]; /* time at each level while the GPU worked */
};

void mgl_sys_model_init(struct mgl_sys_model *model);
void mgl_sys_model_step(struct mgl_sys_model *model, double seconds);

/* What is in force. */
int mgl_sys_policy_max(const struct mgl_sys_model *model, int policy); /* kHz, scaling_max_freq */
int mgl_sys_policy_cur(const struct mgl_sys_model *model, int policy); /* kHz */
int mgl_sys_policy_hw_min(int policy);
int mgl_sys_policy_hw_max(int policy);
int mgl_sys_gpu_thermal_level(const struct mgl_sys_model *model);
int mgl_sys_gpu_level(const struct mgl_sys_model *model);
int mgl_sys_battery_dc(const struct mgl_sys_model *model); /* tenths of a degree C */
int mgl_sys_battery_ua(const struct mgl_sys_model *model); /* microampere, positive: charging */
/* As in android.os.PowerManager: 0 none, 3 severe. */
int mgl_sys_thermal_status(const struct mgl_sys_model *model);

/* Settings, brought into the range that the hardware has. */
void mgl_sys_policy_set(struct mgl_sys_model *model, int policy, int min_khz, int max_khz);
/* The slowest level that is at least as fast as `hz`; level 0 when none is. */
int mgl_sys_gpu_level_of(int64_t hz);

#endif
