/* The model behind /sys, and the files as text. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/sys/nodes.h"

static struct mgl_node nodes[MGL_NODES_MAX];
static size_t count;

static const struct mgl_node *find(const char *end)
{
    count = mgl_nodes_list(nodes);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(nodes[i].path), end_len = strlen(end);
        if (len >= end_len && strcmp(nodes[i].path + len - end_len, end) == 0)
            return &nodes[i];
    }
    fail_msg("no node %s", end);
    return NULL;
}

static void check_text(const struct mgl_sys_model *model, const char *node, const char *expected)
{
    char text[MGL_NODE_TEXT_MAX];
    mgl_node_text(model, find(node), text);
    assert_string_equal(text, expected);
}

static void every_node_says_a_line(void **state)
{
    struct mgl_sys_model model;
    char text[MGL_NODE_TEXT_MAX];
    mgl_sys_model_init(&model);
    count = mgl_nodes_list(nodes);
    assert_true(count > 50 && count < MGL_NODES_MAX);
    for (size_t i = 0; i < count; i++) {
        mgl_node_text(&model, &nodes[i], text);
        assert_true(strlen(text) > 1 && strchr(text, '\n') == text + strlen(text) - 1);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(nodes[k].path, nodes[i].path);
    }
}

static void clocks_follow_load_limits_and_heat(void **state)
{
    struct mgl_sys_model model;
    mgl_sys_model_init(&model);
    check_text(&model, "policy7/scaling_cur_freq", "480000\n");
    model.busy = true;
    check_text(&model, "policy7/scaling_cur_freq", "3302400\n");
    assert_true(mgl_node_write(&model, find("policy7/scaling_max_freq"), "2035200\n"));
    check_text(&model, "policy7/scaling_cur_freq", "2035200\n");
    check_text(&model, "policy0/scaling_cur_freq", "2265600\n");
    model.throttled = true;
    check_text(&model, "policy7/scaling_max_freq", "1286400\n");
    check_text(&model, "policy7/scaling_cur_freq", "1286400\n");
    check_text(&model, "kgsl-3d0/thermal_pwrlevel", "3\n");
    check_text(&model, "kgsl-3d0/gpuclk", "422000000\n");
    model.throttled = false;
    check_text(&model, "policy7/scaling_max_freq", "2035200\n");
    assert_true(mgl_node_write(&model, find("cpu_max_freq"), "0:4294967295 7:1000000"));
    check_text(&model, "policy7/scaling_cur_freq", "787200\n"); /* the step below */
    check_text(&model, "policy7/scaling_max_freq", "2035200\n");
}

static void writes_are_brought_into_range(void **state)
{
    struct mgl_sys_model model;
    mgl_sys_model_init(&model);
    assert_true(mgl_node_write(&model, find("policy2/scaling_max_freq"), "1"));
    check_text(&model, "policy2/scaling_max_freq", "499200\n");
    assert_true(mgl_node_write(&model, find("policy2/scaling_min_freq"), "9999999"));
    check_text(&model, "policy2/scaling_min_freq", "499200\n"); /* not above the other limit */
    assert_true(mgl_node_write(&model, find("kgsl-3d0/max_gpuclk"), "600000000"));
    check_text(&model, "kgsl-3d0/thermal_pwrlevel", "1\n");
    assert_true(mgl_node_write(&model, find("kgsl-3d0/devfreq/min_freq"), "680000000"));
    check_text(&model, "kgsl-3d0/min_pwrlevel", "1\n");
}

static void nonsense_changes_nothing(void **state)
{
    static const char *const texts[] = {"", "fast", "-5", "99999999999999999999", "12 34"};
    static const char *const names[] = {"policy7/scaling_max_freq", "policy7/scaling_governor",
        "kgsl-3d0/max_pwrlevel", "cpu_max_freq", "thermal_zone0/temp"};
    struct mgl_sys_model model, before;
    mgl_sys_model_init(&model);
    memcpy(&before, &model, sizeof(model));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
            assert_false(mgl_node_write(&model, find(names[i]), texts[k]));
    assert_memory_equal(&before, &model, sizeof(model));
}

static void heat_comes_and_goes(void **state)
{
    struct mgl_sys_model model;
    mgl_sys_model_init(&model);
    mgl_sys_model_step(&model, 3600);
    assert_int_equal(mgl_sys_battery_dc(&model), 300);
    model.busy = true;
    mgl_sys_model_step(&model, 60);
    int warm = mgl_sys_battery_dc(&model);
    assert_true(warm > 310 && warm < 360);
    assert_true(model.gpu_stats_us[0] == 60000000);
    mgl_sys_model_step(&model, 3600);
    assert_int_equal(mgl_sys_battery_dc(&model), 360);
    model.busy = false;
    mgl_sys_model_step(&model, 3600);
    assert_int_equal(mgl_sys_battery_dc(&model), 300);
}

static void planted_heat_wins(void **state)
{
    struct mgl_sys_model model;
    mgl_sys_model_init(&model);
    model.hot_dc = 471;
    check_text(&model, "battery/temp", "471\n");
    check_text(&model, "thermal_zone5/temp", "47100\n");
    model.warming = 5;
    mgl_sys_model_step(&model, 10);
    check_text(&model, "battery/temp", "521\n");
    model.plugged = false;
    check_text(&model, "battery/status", "Discharging\n");
    assert_true(mgl_sys_battery_ua(&model) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_says_a_line),
        cmocka_unit_test(clocks_follow_load_limits_and_heat),
        cmocka_unit_test(writes_are_brought_into_range),
        cmocka_unit_test(nonsense_changes_nothing),
        cmocka_unit_test(heat_comes_and_goes),
        cmocka_unit_test(planted_heat_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
