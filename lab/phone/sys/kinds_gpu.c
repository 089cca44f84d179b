/* kgsl: the graphics processor. Levels count from the fastest, 0. */
#include <math.h>
#include <stdio.h>

#include "lab/phone/sys/kinds.h"

enum { BUSY_PERCENT = 71 };

static void put(char *ret_text, long long number)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%lld\n", number);
}

static void gpu_clk(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_gpu_hz[mgl_sys_gpu_level(model)]);
}

static void gpu_mhz(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_gpu_hz[mgl_sys_gpu_level(model)] / 1000000);
}

static void gpu_freqs(const struct mgl_sys_model *model, int index, char *ret_text)
{
    size_t len = 0;
    for (int i = 0; i < MGL_GPU_LEVELS; i++)
        len += (size_t)snprintf(ret_text + len, MGL_NODE_TEXT_MAX - len, "%lld%s",
            (long long)mgl_gpu_hz[i], i + 1 < MGL_GPU_LEVELS ? " " : "\n");
}

static void gpu_governor(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "msm-adreno-tz\n");
}

static void gpu_model(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "mglab-software\n");
}

static void gpu_busy(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%d %%\n", model->busy ? BUSY_PERCENT : 0);
}

/* Microseconds at each level since the start. */
static void gpu_stats(const struct mgl_sys_model *model, int index, char *ret_text)
{
    size_t len = 0;
    for (int i = 0; i < MGL_GPU_LEVELS; i++)
        len += (size_t)snprintf(ret_text + len, MGL_NODE_TEXT_MAX - len, "%lld%s",
            (long long)model->gpu_stats_us[i], i + 1 < MGL_GPU_LEVELS ? " " : " \n");
}

static void gpu_levels(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, MGL_GPU_LEVELS);
}

static void gpu_temp(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, (long long)lround(model->gpu_c * 1000));
}

static void gpu_thermal_level(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_sys_gpu_thermal_level(model));
}

/* 1 while the clocks are held down. */
static void gpu_throttling(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, model->throttled);
}

static void gpu_limit(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_gpu_hz[mgl_sys_gpu_thermal_level(model)]);
}

static void gpu_max_level(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, model->gpu_max_level);
}

static void gpu_min_level(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, model->gpu_min_level);
}

static void gpu_max_freq(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_gpu_hz[model->gpu_max_level]);
}

static void gpu_min_freq(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_gpu_hz[model->gpu_min_level]);
}

/* A limit beyond the other one is cut to it. */
static void set_levels(struct mgl_sys_model *model, int slowest, int fastest)
{
    model->gpu_max_level = fastest;
    model->gpu_min_level = slowest < fastest ? fastest : slowest;
}

static bool read_level(const char *text, bool hertz, int *ret_level)
{
    int64_t number;
    if (!mgl_kind_number(text, 0, hertz ? INT64_MAX : MGL_GPU_LEVELS - 1, &number))
        return false;
    *ret_level = hertz ? mgl_sys_gpu_level_of(number) : (int)number;
    return true;
}

static bool write_fastest(struct mgl_sys_model *model, const char *text, bool hertz)
{
    int level;
    if (!read_level(text, hertz, &level))
        return false;
    set_levels(model, model->gpu_min_level, level);
    return true;
}

static bool write_slowest(struct mgl_sys_model *model, const char *text, bool hertz)
{
    int level;
    if (!read_level(text, hertz, &level))
        return false;
    set_levels(model, level, model->gpu_max_level < level ? model->gpu_max_level : level);
    return true;
}

static bool write_max_level(struct mgl_sys_model *model, int index, const char *text)
{
    return write_fastest(model, text, false);
}

static bool write_max_freq(struct mgl_sys_model *model, int index, const char *text)
{
    return write_fastest(model, text, true);
}

static bool write_min_level(struct mgl_sys_model *model, int index, const char *text)
{
    return write_slowest(model, text, false);
}

static bool write_min_freq(struct mgl_sys_model *model, int index, const char *text)
{
    return write_slowest(model, text, true);
}

static bool write_limit(struct mgl_sys_model *model, int index, const char *text)
{
    return read_level(text, true, &model->gpu_limit_level);
}

static bool write_thermal_level(struct mgl_sys_model *model, int index, const char *text)
{
    return read_level(text, false, &model->gpu_limit_level);
}

const struct mgl_node_kind mgl_kind_gpu_mhz = {gpu_mhz, NULL};
const struct mgl_node_kind mgl_kind_gpu_min_level = {gpu_min_level, write_min_level};
const struct mgl_node_kind mgl_kind_gpu_freqs = {gpu_freqs, NULL};
const struct mgl_node_kind mgl_kind_gpu_clk = {gpu_clk, NULL};
const struct mgl_node_kind mgl_kind_gpu_governor = {gpu_governor, NULL};
const struct mgl_node_kind mgl_kind_gpu_max_freq = {gpu_max_freq, write_max_freq};
const struct mgl_node_kind mgl_kind_gpu_min_freq = {gpu_min_freq, write_min_freq};
const struct mgl_node_kind mgl_kind_gpu_busy = {gpu_busy, NULL};
const struct mgl_node_kind mgl_kind_gpu_stats = {gpu_stats, NULL};
const struct mgl_node_kind mgl_kind_gpu_model = {gpu_model, NULL};
const struct mgl_node_kind mgl_kind_gpu_limit = {gpu_limit, write_limit};
const struct mgl_node_kind mgl_kind_gpu_max_level = {gpu_max_level, write_max_level};
const struct mgl_node_kind mgl_kind_gpu_levels = {gpu_levels, NULL};
const struct mgl_node_kind mgl_kind_gpu_temp = {gpu_temp, NULL};
const struct mgl_node_kind mgl_kind_gpu_throttling = {gpu_throttling, NULL};
const struct mgl_node_kind mgl_kind_gpu_thermal_level = {gpu_thermal_level, write_thermal_level};
