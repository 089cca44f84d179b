#include "lab/phone/sys/model.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The steps hold the figures that people pin to: 1.5744 and 2.0352 GHz, and lower ones. */
const struct mgl_policy_spec mgl_policy_specs[MGL_POLICIES] = {
    {0, 2, {364800, 672000, 787200, 1017600, 1248000, 1574400, 1804800, 2265600}, 1017600},
    {2, 3, {499200, 844800, 1075200, 1286400, 1574400, 2035200, 2400000, 3148800}, 1286400},
    {5, 2, {499200, 844800, 1075200, 1286400, 1574400, 2035200, 2400000, 2956800}, 1286400},
    {7, 1, {480000, 787200, 1075200, 1286400, 1574400, 2035200, 2400000, 3302400}, 1286400},
};

const int64_t mgl_gpu_hz[MGL_GPU_LEVELS] = {903000000, 680000000, 578000000, 422000000, 231000000};

enum { THROTTLED_GPU_LEVEL = 3, THERMAL_SEVERE = 3, CHARGING_UA = 450000 };

/* Where a temperature goes, and how fast: degrees C, seconds. */
struct heat {
    double idle, busy, throttled, tau;
};

static const struct heat battery_heat = {30, 36, 39, 120};
static const struct heat cpu_heat = {38, 72, 96, 4};
static const struct heat gpu_heat = {36, 66, 92, 4};
static const struct heat skin_heat = {31, 38, 46, 60};

void mgl_sys_model_init(struct mgl_sys_model *model)
{
    *model = (struct mgl_sys_model){.plugged = true,
        .hot_dc = MGL_HOT_NONE,
        .gpu_min_level = MGL_GPU_LEVELS - 1,
        .battery_c = battery_heat.idle,
        .cpu_c = cpu_heat.idle,
        .gpu_c = gpu_heat.idle,
        .skin_c = skin_heat.idle};
    for (int i = 0; i < MGL_POLICIES; i++) {
        struct mgl_policy *policy = &model->policies[i];
        policy->min_khz = mgl_sys_policy_hw_min(i);
        policy->max_khz = mgl_sys_policy_hw_max(i);
        policy->boost_max_khz = INT_MAX;
        strcpy(policy->governor, "walt");
    }
}

static void heat_step(
    const struct mgl_sys_model *model, const struct heat *heat, double seconds, double *c)
{
    double target = model->throttled ? heat->throttled : model->busy ? heat->busy : heat->idle;
    *c = target + (*c - target) * exp(-seconds / heat->tau);
}

void mgl_sys_model_step(struct mgl_sys_model *model, double seconds)
{
    heat_step(model, &battery_heat, seconds, &model->battery_c);
    heat_step(model, &cpu_heat, seconds, &model->cpu_c);
    heat_step(model, &gpu_heat, seconds, &model->gpu_c);
    heat_step(model, &skin_heat, seconds, &model->skin_c);
    model->warmed_c = model->warming ? model->warmed_c + model->warming * seconds / 10 : 0;
    if (model->busy)
        model->gpu_stats_us[mgl_sys_gpu_level(model)] += (int64_t)(seconds * 1e6);
}

int mgl_sys_policy_hw_min(int policy)
{
    return mgl_policy_specs[policy].opps[0];
}

int mgl_sys_policy_hw_max(int policy)
{
    return mgl_policy_specs[policy].opps[MGL_POLICY_OPPS - 1];
}

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

/* The fastest step that is not above the limit. */
static int step_below(int policy, int khz)
{
    const int *opps = mgl_policy_specs[policy].opps;
    int found = opps[0];
    for (int i = 0; i < MGL_POLICY_OPPS && opps[i] <= khz; i++)
        found = opps[i];
    return found;
}

int mgl_sys_policy_max(const struct mgl_sys_model *model, int policy)
{
    int max = model->policies[policy].max_khz;
    return model->throttled ? lesser(max, mgl_policy_specs[policy].throttled_khz) : max;
}

/* Requests of msm_performance act without showing in scaling_max_freq. */
int mgl_sys_policy_cur(const struct mgl_sys_model *model, int policy)
{
    const struct mgl_policy *set = &model->policies[policy];
    int max = lesser(mgl_sys_policy_max(model, policy), set->boost_max_khz);
    int min = lesser(greater(set->min_khz, set->boost_min_khz), max);
    bool fast = strcmp(set->governor, "performance") == 0 ||
                (model->busy && strcmp(set->governor, "powersave") != 0);
    return step_below(policy, fast ? max : min);
}

int mgl_sys_gpu_thermal_level(const struct mgl_sys_model *model)
{
    return model->throttled ? greater(model->gpu_limit_level, THROTTLED_GPU_LEVEL)
                            : model->gpu_limit_level;
}

int mgl_sys_gpu_level(const struct mgl_sys_model *model)
{
    int fastest = greater(model->gpu_max_level, mgl_sys_gpu_thermal_level(model));
    return model->busy ? fastest : greater(fastest, model->gpu_min_level);
}

int mgl_sys_battery_dc(const struct mgl_sys_model *model)
{
    double own = model->hot_dc != MGL_HOT_NONE ? model->hot_dc : model->battery_c * 10;
    return (int)lround(own + model->warmed_c * 10);
}

int mgl_sys_battery_ua(const struct mgl_sys_model *model)
{
    int use = model->busy ? -1400000 : -180000;
    return model->plugged ? CHARGING_UA + use / 10 : use;
}

int mgl_sys_thermal_status(const struct mgl_sys_model *model)
{
    return model->throttled ? THERMAL_SEVERE : 0;
}

void mgl_sys_policy_set(struct mgl_sys_model *model, int policy, int min_khz, int max_khz)
{
    int low = mgl_sys_policy_hw_min(policy), high = mgl_sys_policy_hw_max(policy);
    max_khz = lesser(greater(max_khz, low), high);
    model->policies[policy].max_khz = max_khz;
    model->policies[policy].min_khz = lesser(greater(min_khz, low), max_khz);
}

int mgl_sys_gpu_level_of(int64_t hz)
{
    for (int level = MGL_GPU_LEVELS - 1; level > 0; level--)
        if (mgl_gpu_hz[level] >= hz)
            return level;
    return 0;
}
