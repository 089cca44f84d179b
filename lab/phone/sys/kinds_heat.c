/* Thermal zones and the power supply. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "lab/phone/sys/kinds.h"

enum { LEVEL = 85, VOLTAGE_UV = 4200000, COOLING_MAX = 7, COOLING_NOW = 4 };

static void put(char ret_text[MGL_NODE_TEXT_MAX], long long number)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%lld\n", number);
}

bool mgl_kind_number(const char *text, int64_t min, int64_t max, int64_t *ret_number)
{
    char line[32];
    size_t len = strcspn(text, "\n");
    if (len >= sizeof(line))
        return false;
    memcpy(line, text, len);
    line[len] = '\0';
    return mgc_parse_int(line, min, max, ret_number);
}

static void zone_type(const struct mgl_sys_model *model, int index, char *ret_text)
{
    static const char *const names[MGL_ZONES] = {[MGL_ZONE_LITTLE] = "cpu-0-0-0",
        [MGL_ZONE_BIG] = "cpu-1-0-0",
        [MGL_ZONE_PRIME] = "cpu-1-4-0",
        [MGL_ZONE_GPU] = "gpuss-0",
        [MGL_ZONE_SKIN] = "skin-therm",
        [MGL_ZONE_BATTERY] = "battery",
        [MGL_ZONE_PMIC] = "pm8550-tz"};
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%s\n", names[index]);
}

/* Thousandths of a degree. */
static void zone_temp(const struct mgl_sys_model *model, int index, char *ret_text)
{
    const double c[MGL_ZONES] = {[MGL_ZONE_LITTLE] = model->cpu_c - 6,
        [MGL_ZONE_BIG] = model->cpu_c - 2,
        [MGL_ZONE_PRIME] = model->cpu_c,
        [MGL_ZONE_GPU] = model->gpu_c,
        [MGL_ZONE_SKIN] = model->skin_c + model->warmed_c,
        [MGL_ZONE_BATTERY] = mgl_sys_battery_dc(model) / 10.0,
        [MGL_ZONE_PMIC] = model->skin_c + 4};
    put(ret_text, (long long)lround(c[index] * 1000));
}

static void cooling_type(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "thermal-cpufreq-0\n");
}

static void cooling_state(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, model->throttled ? COOLING_NOW : 0);
}

static void cooling_max(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, COOLING_MAX);
}

static void capacity(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, LEVEL);
}

static void current(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_sys_battery_ua(model));
}

static void health(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "Good\n");
}

static void charging(const struct mgl_sys_model *model, int index, char *ret_text)
{
    snprintf(ret_text, MGL_NODE_TEXT_MAX, "%s\n", model->plugged ? "Charging" : "Discharging");
}

static void battery_temp(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, mgl_sys_battery_dc(model));
}

static void voltage(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, VOLTAGE_UV);
}

static void usb_online(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, model->plugged);
}

static void one(const struct mgl_sys_model *model, int index, char *ret_text)
{
    put(ret_text, 1);
}

const struct mgl_node_kind mgl_kind_zone_type = {zone_type, NULL};
const struct mgl_node_kind mgl_kind_zone_temp = {zone_temp, NULL};
const struct mgl_node_kind mgl_kind_cooling_type = {cooling_type, NULL};
const struct mgl_node_kind mgl_kind_cooling_state = {cooling_state, NULL};
const struct mgl_node_kind mgl_kind_cooling_max = {cooling_max, NULL};
const struct mgl_node_kind mgl_kind_capacity = {capacity, NULL};
const struct mgl_node_kind mgl_kind_current = {current, NULL};
const struct mgl_node_kind mgl_kind_health = {health, NULL};
const struct mgl_node_kind mgl_kind_charging = {charging, NULL};
const struct mgl_node_kind mgl_kind_battery_temp = {battery_temp, NULL};
const struct mgl_node_kind mgl_kind_voltage = {voltage, NULL};
const struct mgl_node_kind mgl_kind_usb_online = {usb_online, NULL};
const struct mgl_node_kind mgl_kind_one = {one, NULL};
