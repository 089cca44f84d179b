/* Kinds of files below /sys, for nodes.c: what reads and writes mean. Pure. */
#ifndef MGC_LAB_PHONE_SYS_KINDS_H
#define MGC_LAB_PHONE_SYS_KINDS_H

#include "lab/phone/sys/nodes.h"

struct mgl_node_kind {
    void (*read)(const struct mgl_sys_model *model, int index, char ret_text[MGL_NODE_TEXT_MAX]);
    bool (*write)(struct mgl_sys_model *model, int index, const char *text); /* NULL: nothing */
};

enum mgl_zone {
    MGL_ZONE_LITTLE,
    MGL_ZONE_BIG,
    MGL_ZONE_PRIME,
    MGL_ZONE_GPU,
    MGL_ZONE_SKIN,
    MGL_ZONE_BATTERY,
    MGL_ZONE_PMIC,
    MGL_ZONES
};

/* kinds_heat.c */
extern const struct mgl_node_kind mgl_kind_zone_type, mgl_kind_zone_temp, mgl_kind_cooling_type,
    mgl_kind_cooling_state, mgl_kind_cooling_max, mgl_kind_capacity, mgl_kind_current,
    mgl_kind_health, mgl_kind_charging, mgl_kind_battery_temp, mgl_kind_voltage,
    mgl_kind_usb_online, mgl_kind_one;
/* kinds_cpu.c */
extern const struct mgl_node_kind mgl_kind_cpus, mgl_kind_policy_cpus, mgl_kind_policy_cur,
    mgl_kind_policy_hw_max, mgl_kind_policy_hw_min, mgl_kind_policy_opps, mgl_kind_governors,
    mgl_kind_governor, mgl_kind_policy_max, mgl_kind_policy_min, mgl_kind_boost_max,
    mgl_kind_boost_min;
/* kinds_gpu.c */
extern const struct mgl_node_kind mgl_kind_gpu_mhz, mgl_kind_gpu_min_level, mgl_kind_gpu_freqs,
    mgl_kind_gpu_clk, mgl_kind_gpu_governor, mgl_kind_gpu_max_freq, mgl_kind_gpu_min_freq,
    mgl_kind_gpu_busy, mgl_kind_gpu_stats, mgl_kind_gpu_model, mgl_kind_gpu_limit,
    mgl_kind_gpu_max_level, mgl_kind_gpu_levels, mgl_kind_gpu_temp, mgl_kind_gpu_thermal_level,
    mgl_kind_gpu_throttling;

/* A whole number, with or without a newline; false: it is none, or out of an int's range. */
bool mgl_kind_number(const char *text, int64_t min, int64_t max, int64_t *ret_number);

#endif
