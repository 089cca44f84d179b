/* cpufreq and msm_performance. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lab/phone/sys/kinds.h"

/* What msm_performance writes for "no request". */
#define NO_LIMIT 4294967295LL

static const char governor_names[] = "walt schedutil powersave performance";

static void put(char *ret_text, int number)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%d\n", number);
}

static void cpus(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "0-%d\n", MGL_CPUS - 1);
}

static void policy_cpus(const struct mgl_sys_model *model, int index, char *ret_text)
{
    const struct mgl_policy_spec *spec = &mgl_policy_specs[index];
    size_t len = 0;
    for (int i = 0; i < spec->cpus; i++)
        len += (size_t)snprintf(ret_text + len, MGL_NODE_TEXT_MAX - len, "%d%c",
            spec->first_cpu + i, i + 1 < spec->cpus ? ' ' : '\n');
}

static void policy_opps(const struct mgl_sys_model *model, int index, char *ret_text)
{
    size_t len = 0;
    for (int i = 0; i < MGL_POLICY_OPPS; i++)
        len += (size_t)snprintf(ret_text + len, MGL_NODE_TEXT_MAX - len, "%d%s",
            mgl_policy_specs[index].opps[i], i + 1 < MGL_POLICY_OPPS ? " " : " \n");
}

static void policy_cur(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_sys_policy_cur(model, index));
}

static void policy_hw_max(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_sys_policy_hw_max(index));
}

static void policy_hw_min(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_sys_policy_hw_min(index));
}

static void policy_max(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_sys_policy_max(model, index));
}

static void policy_min(const struct mgl_sys_model *model, int index, char *ret_text)
{
    int min = model->policies[index].min_khz, max = mgl_sys_policy_max(model, index);
    put(ret_text, min < max ? min : max);
}

/* As the kernel does: a limit beyond the other one is cut to it. */
static bool write_max(struct mgl_sys_model *model, int index, const char *text)
{
    int64_t khz;
    if (!mgl_kind_number(text, 0, INT_MAX, &khz))
        return false;
    mgl_sys_policy_set(model, index, model->policies[index].min_khz, (int)khz);
    return true;
}

static bool write_min(struct mgl_sys_model *model, int index, const char *text)
{
    int64_t khz;
    if (!mgl_kind_number(text, 0, INT_MAX, &khz))
        return false;
    mgl_sys_policy_set(model, index, (int)khz, model->policies[index].max_khz);
    return true;
}

static void governors(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%s \n", governor_names);
}

static void governor(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%s\n", model->policies[index].governor);
}

static bool write_governor(struct mgl_sys_model *model, int index, const char *text)
{
    size_t len = strcspn(text, "\n");
    for (const char *name = governor_names; *name; name += *name == ' ') {
        size_t name_len = strcspn(name, " ");
        if (name_len == len && strncmp(name, text, len) == 0) {
            memcpy(model->policies[index].governor, text, len);
            model->policies[index].governor[len] = '\0';
            return true;
        }
        name += name_len;
    }
    return false;
}

/* "CPU:KHZ CPU:KHZ ..."; a policy's request is that of its first processor. */
static void put_boost(const struct mgl_sys_model *model, bool max, char *ret_text)
{
    size_t len = 0;
    for (int policy = 0; policy < MGL_POLICIES; policy++) {
        const struct mgl_policy_spec *spec = &mgl_policy_specs[policy];
        int khz =
            max ? model->policies[policy].boost_max_khz : model->policies[policy].boost_min_khz;
        for (int i = 0; i < spec->cpus; i++)
            len += (size_t)snprintf(ret_text + len, MGL_NODE_TEXT_MAX - len, "%d:%lld ",
                spec->first_cpu + i, khz == INT_MAX ? NO_LIMIT : khz);
    }
    snprintf(ret_text + len, MGL_NODE_TEXT_MAX - len, "\n");
}

static void boost_max(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put_boost(model, true, ret_text);
}

static void boost_min(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put_boost(model, false, ret_text);
}

static void set_boost(struct mgl_sys_model *model, int cpu, long long khz, bool max)
{
    int value = khz > INT_MAX ? INT_MAX : (int)khz;
    for (int policy = 0; policy < MGL_POLICIES; policy++) {
        if (mgl_policy_specs[policy].first_cpu != cpu)
            continue;
        if (max)
            model->policies[policy].boost_max_khz = value;
        else
            model->policies[policy].boost_min_khz = value == INT_MAX ? 0 : value;
    }
}

static bool write_boost(struct mgl_sys_model *model, const char *text, bool max)
{
    int cpu, used;
    long long khz;
    bool any = false;
    while (sscanf(text, " %d:%lld%n", &cpu, &khz, &used) == 2 && khz >= 0) {
        set_boost(model, cpu, khz, max);
        text += used;
        any = true;
    }
    return any;
}

static bool write_boost_max(struct mgl_sys_model *model, int index, const char *text)
{
    return write_boost(model, text, true);
}

static bool write_boost_min(struct mgl_sys_model *model, int index, const char *text)
{
    return write_boost(model, text, false);
}

const struct mgl_node_kind mgl_kind_cpus = {cpus, NULL};
const struct mgl_node_kind mgl_kind_policy_cpus = {policy_cpus, NULL};
const struct mgl_node_kind mgl_kind_policy_cur = {policy_cur, NULL};
const struct mgl_node_kind mgl_kind_policy_hw_max = {policy_hw_max, NULL};
const struct mgl_node_kind mgl_kind_policy_hw_min = {policy_hw_min, NULL};
const struct mgl_node_kind mgl_kind_policy_opps = {policy_opps, NULL};
const struct mgl_node_kind mgl_kind_governors = {governors, NULL};
const struct mgl_node_kind mgl_kind_governor = {governor, write_governor};
const struct mgl_node_kind mgl_kind_policy_max = {policy_max, write_max};
const struct mgl_node_kind mgl_kind_policy_min = {policy_min, write_min};
const struct mgl_node_kind mgl_kind_boost_max = {boost_max, write_boost_max};
const struct mgl_node_kind mgl_kind_boost_min = {boost_min, write_boost_min};
