#include "lab/phone/sys/nodes.h"

#include <stdio.h>
#include <string.h>

#include "lab/phone/sys/kinds.h"

#define THERMAL "devices/virtual/thermal"
#define CPUFREQ "devices/system/cpu/cpufreq"
#define KGSL    "devices/platform/soc/3d00000.gpu/kgsl/kgsl-3d0"
#define SUPPLY  "devices/platform/soc/battery/power_supply"

/* One per thing: of each processor policy, thermal zone, and so on. */
enum repeat { ONCE = 1, PER_CPU = MGL_CPUS, PER_POLICY = MGL_POLICIES, PER_ZONE = MGL_ZONES };

static const struct row {
    const char *path; /* "%d" is the number of the thing */
    enum repeat repeat;
    mode_t mode;
    const struct mgl_node_kind *kind;
} rows[] = {
    {THERMAL "/thermal_zone%d/type", PER_ZONE, 0444, &mgl_kind_zone_type},
    {THERMAL "/thermal_zone%d/temp", PER_ZONE, 0444, &mgl_kind_zone_temp},
    {THERMAL "/cooling_device0/type", ONCE, 0444, &mgl_kind_cooling_type},
    {THERMAL "/cooling_device0/cur_state", ONCE, 0644, &mgl_kind_cooling_state},
    {THERMAL "/cooling_device0/max_state", ONCE, 0444, &mgl_kind_cooling_max},
    {"devices/system/cpu/online", ONCE, 0444, &mgl_kind_cpus},
    {"devices/system/cpu/possible", ONCE, 0444, &mgl_kind_cpus},
    {"devices/system/cpu/present", ONCE, 0444, &mgl_kind_cpus},
    {"devices/system/cpu/cpu%d/online", PER_CPU, 0644, &mgl_kind_one},
    {CPUFREQ "/policy%d/affected_cpus", PER_POLICY, 0444, &mgl_kind_policy_cpus},
    {CPUFREQ "/policy%d/related_cpus", PER_POLICY, 0444, &mgl_kind_policy_cpus},
    {CPUFREQ "/policy%d/cpuinfo_cur_freq", PER_POLICY, 0400, &mgl_kind_policy_cur},
    {CPUFREQ "/policy%d/cpuinfo_max_freq", PER_POLICY, 0444, &mgl_kind_policy_hw_max},
    {CPUFREQ "/policy%d/cpuinfo_min_freq", PER_POLICY, 0444, &mgl_kind_policy_hw_min},
    {CPUFREQ "/policy%d/scaling_available_frequencies", PER_POLICY, 0444, &mgl_kind_policy_opps},
    {CPUFREQ "/policy%d/scaling_available_governors", PER_POLICY, 0444, &mgl_kind_governors},
    {CPUFREQ "/policy%d/scaling_cur_freq", PER_POLICY, 0444, &mgl_kind_policy_cur},
    {CPUFREQ "/policy%d/scaling_governor", PER_POLICY, 0644, &mgl_kind_governor},
    {CPUFREQ "/policy%d/scaling_max_freq", PER_POLICY, 0644, &mgl_kind_policy_max},
    {CPUFREQ "/policy%d/scaling_min_freq", PER_POLICY, 0644, &mgl_kind_policy_min},
    {KGSL "/clock_mhz", ONCE, 0444, &mgl_kind_gpu_mhz},
    {KGSL "/default_pwrlevel", ONCE, 0644, &mgl_kind_gpu_min_level},
    {KGSL "/devfreq/available_frequencies", ONCE, 0444, &mgl_kind_gpu_freqs},
    {KGSL "/devfreq/cur_freq", ONCE, 0444, &mgl_kind_gpu_clk},
    {KGSL "/devfreq/governor", ONCE, 0644, &mgl_kind_gpu_governor},
    {KGSL "/devfreq/max_freq", ONCE, 0644, &mgl_kind_gpu_max_freq},
    {KGSL "/devfreq/min_freq", ONCE, 0644, &mgl_kind_gpu_min_freq},
    {KGSL "/gpu_available_frequencies", ONCE, 0444, &mgl_kind_gpu_freqs},
    {KGSL "/gpu_busy_percentage", ONCE, 0444, &mgl_kind_gpu_busy},
    {KGSL "/gpu_clock_stats", ONCE, 0400, &mgl_kind_gpu_stats},
    {KGSL "/gpu_model", ONCE, 0444, &mgl_kind_gpu_model},
    {KGSL "/gpuclk", ONCE, 0644, &mgl_kind_gpu_clk},
    {KGSL "/max_gpuclk", ONCE, 0644, &mgl_kind_gpu_limit},
    {KGSL "/max_pwrlevel", ONCE, 0644, &mgl_kind_gpu_max_level},
    {KGSL "/min_pwrlevel", ONCE, 0644, &mgl_kind_gpu_min_level},
    {KGSL "/num_pwrlevels", ONCE, 0444, &mgl_kind_gpu_levels},
    {KGSL "/temp", ONCE, 0444, &mgl_kind_gpu_temp},
    {KGSL "/thermal_pwrlevel", ONCE, 0644, &mgl_kind_gpu_thermal_level},
    {KGSL "/throttling", ONCE, 0644, &mgl_kind_gpu_throttling},
    {SUPPLY "/battery/capacity", ONCE, 0444, &mgl_kind_capacity},
    {SUPPLY "/battery/current_now", ONCE, 0440, &mgl_kind_current},
    {SUPPLY "/battery/health", ONCE, 0444, &mgl_kind_health},
    {SUPPLY "/battery/present", ONCE, 0444, &mgl_kind_one},
    {SUPPLY "/battery/status", ONCE, 0444, &mgl_kind_charging},
    {SUPPLY "/battery/temp", ONCE, 0444, &mgl_kind_battery_temp},
    {SUPPLY "/battery/voltage_now", ONCE, 0440, &mgl_kind_voltage},
    {SUPPLY "/usb/online", ONCE, 0444, &mgl_kind_usb_online},
    {"kernel/msm_performance/parameters/cpu_max_freq", ONCE, 0644, &mgl_kind_boost_max},
    {"kernel/msm_performance/parameters/cpu_min_freq", ONCE, 0644, &mgl_kind_boost_min},
};

const struct mgl_node_link mgl_node_links[] = {
    {"class/thermal/thermal_zone0", "/sys/" THERMAL "/thermal_zone0"},
    {"class/thermal/thermal_zone1", "/sys/" THERMAL "/thermal_zone1"},
    {"class/thermal/thermal_zone2", "/sys/" THERMAL "/thermal_zone2"},
    {"class/thermal/thermal_zone3", "/sys/" THERMAL "/thermal_zone3"},
    {"class/thermal/thermal_zone4", "/sys/" THERMAL "/thermal_zone4"},
    {"class/thermal/thermal_zone5", "/sys/" THERMAL "/thermal_zone5"},
    {"class/thermal/thermal_zone6", "/sys/" THERMAL "/thermal_zone6"},
    {"class/thermal/cooling_device0", "/sys/" THERMAL "/cooling_device0"},
    {"class/kgsl/kgsl-3d0", "/sys/" KGSL},
    {"class/power_supply/battery", "/sys/" SUPPLY "/battery"},
    {"class/power_supply/usb", "/sys/" SUPPLY "/usb"},
    {"devices/system/cpu/cpu0/cpufreq", "/sys/" CPUFREQ "/policy0"},
    {"devices/system/cpu/cpu1/cpufreq", "/sys/" CPUFREQ "/policy0"},
    {"devices/system/cpu/cpu2/cpufreq", "/sys/" CPUFREQ "/policy2"},
    {"devices/system/cpu/cpu3/cpufreq", "/sys/" CPUFREQ "/policy2"},
    {"devices/system/cpu/cpu4/cpufreq", "/sys/" CPUFREQ "/policy2"},
    {"devices/system/cpu/cpu5/cpufreq", "/sys/" CPUFREQ "/policy5"},
    {"devices/system/cpu/cpu6/cpufreq", "/sys/" CPUFREQ "/policy5"},
    {"devices/system/cpu/cpu7/cpufreq", "/sys/" CPUFREQ "/policy7"},
    {NULL, NULL},
};

/* A policy is named by its first processor. */
static int number_of(const struct row *row, int index)
{
    return row->repeat == PER_POLICY ? mgl_policy_specs[index].first_cpu : index;
}

/* A zone that no shell may read, as phones have, too. */
static mode_t mode_of(const struct row *row, int index)
{
    return row->kind == &mgl_kind_zone_temp && index == MGL_ZONE_PMIC ? 0400 : row->mode;
}

size_t mgl_nodes_list(struct mgl_node ret_nodes[MGL_NODES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int index = 0; index < (int)rows[i].repeat && count < MGL_NODES_MAX; index++) {
            struct mgl_node *node = &ret_nodes[count++];
            *node = (struct mgl_node){
                .mode = mode_of(&rows[i], index), .kind = rows[i].kind, .index = index};
            const char *percent = strstr(rows[i].path, "%d");
            if (percent)
                snprintf(node->path, sizeof(node->path), "%.*s%d%s", (int)(percent - rows[i].path),
                    rows[i].path, number_of(&rows[i], index), percent + 2);
            else
                snprintf(node->path, sizeof(node->path), "%s", rows[i].path);
        }
    }
    return count;
}

void mgl_node_text(const struct mgl_sys_model *model, const struct mgl_node *node,
    char ret_text[MGL_NODE_TEXT_MAX])
{
    node->kind->read(model, node->index, ret_text);
}

bool mgl_node_write(struct mgl_sys_model *model, const struct mgl_node *node, const char *text)
{
    return node->kind->write && node->kind->write(model, node->index, text);
}

bool mgl_node_is_cpu_limit(const struct mgl_node *node)
{
    return node->kind == &mgl_kind_policy_max || node->kind == &mgl_kind_policy_min;
}
