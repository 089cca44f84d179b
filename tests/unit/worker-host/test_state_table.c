#include "worker-host/tasks/state_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

struct row {
    struct mgc_device_list list;
    struct mgc_buf buf;
};

static void add(struct row *row, const char *item)
{
    assert_true(mgc_device_list_add(&row->list, &row->buf, item));
}

/* What the probe says of a phone with policies 0 and 6 and these zones. */
static struct mgc_state_table *table_of(const char *const *zones, size_t count)
{
    struct row row = {0};
    struct mgc_state_table *table = calloc(1, sizeof(*table));
    assert_non_null(table);
    for (int i = 0; i < MGC_STATE_CPUS_MAX; i++)
        add(&row, i == 0 || i == 6 ? "=1000" : "!2");
    for (size_t i = 0; i < MGC_STATE_ZONES_SEEN; i++)
        add(&row, i < count ? zones[i] : "!2");
    mgc_state_table_make(table, &row.list);
    mgc_buf_destroy(&row.buf);
    return table;
}

static void test_probe_fits_a_request(void **state)
{
    char nodes[MGC_STATE_CPUS_MAX + MGC_STATE_ZONES_SEEN][MGC_STATE_PATH_MAX];
    size_t count = mgc_state_probe_nodes(nodes);
    assert_int_equal(count, MGC_STATE_CPUS_MAX + MGC_STATE_ZONES_SEEN);
    assert_true(count <= MGC_DEVICE_LIST_MAX);
    assert_string_equal(nodes[1], "/sys/devices/system/cpu/cpufreq/policy1/scaling_cur_freq");
    assert_string_equal(nodes[MGC_STATE_CPUS_MAX + 2], "/sys/class/thermal/thermal_zone2/type");
}

static void test_head(void **state)
{
    static const char *const zones[] = {"=battery", "=cpu,0 a", "!13", "=battery"};
    struct mgc_state_table *table = table_of(zones, 4);
    struct mgc_buf out = {0};
    assert_true(mgc_state_put_head(&out, table, 500));
    assert_string_equal(mgc_buf_text(&out),
        "# mgdevice state period_ms=500 clock=monotonic\n"
        "t_ns,battery_temp_dc,battery_level,plugged,mem_available_kb,gpu_hz,gpu_busy_pct,"
        "gpu_thermal_level,cpu0_cur_khz,cpu0_max_khz,cpu0_min_khz,cpu0_hw_khz,cpu0_governor,"
        "cpu6_cur_khz,cpu6_max_khz,cpu6_min_khz,cpu6_hw_khz,cpu6_governor,zone_battery_mc,zone_cpu_"
        "0_a_mc,zone_battery_3_mc\n");
    assert_string_equal(
        table->nodes[table->node_count - 1], "/sys/class/thermal/thermal_zone3/temp");
    mgc_buf_destroy(&out);
    free(table);
}

static void test_rows(void **state)
{
    static const char *const zones[] = {"=skin"};
    static const char *const first[] = {"=315", "=80", "=0", "!2", "=1",
        "=MemTotal: 9 kB\nMemFree: 1 kB\nMemAvailable:    7654321 kB\n", "=680000000", "=12 %",
        "!13", "=2035200", "=2035200", "=300000", "=3187200", "=walt\n", "=1", "=2", "=3", "=4",
        "=made-up", "=-500"};
    struct mgc_state_table *table = table_of(zones, 1);
    struct mgc_buf out = {0}, names = {0};
    struct row row = {0}, empty = {0};
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        add(&row, first[i]);
    assert_true(mgc_state_put_row(&out, table, 81234000000, &row.list));
    assert_string_equal(mgc_buf_text(&out), "81234000000,315,80,1,7654321,680000000,12,,2035200,"
                                            "2035200,300000,3187200,8,1,2,3,4,0,-500\n");
    assert_true(mgc_state_put_unreadable(&names, table));
    assert_string_equal(mgc_buf_text(&names), "gpu_thermal_level");
    /* A row that is too short has no values, and takes none away. */
    mgc_buf_clear(&out);
    assert_true(mgc_state_put_row(&out, table, 1, &empty.list));
    assert_string_equal(mgc_buf_text(&out), "1,,,,,,,,,,,,,,,,,,\n");
    mgc_buf_destroy(&row.buf);
    mgc_buf_destroy(&names);
    mgc_buf_destroy(&out);
    free(table);
}

static void test_nonsense_is_empty(void **state)
{
    static const char *const odd[] = {
        "=", "=hot", "=", "=x", "=off", "=MemFree: 1 kB", "=99999999999999999999", "= ", "=%"};
    struct mgc_state_table *table = table_of(NULL, 0);
    struct mgc_buf out = {0};
    struct row row = {0};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        add(&row, odd[i]);
    assert_true(mgc_state_put_row(&out, table, 1, &row.list));
    assert_string_equal(mgc_buf_text(&out), "1,,,,,,,,,,,,,,,,,\n");
    mgc_buf_destroy(&row.buf);
    mgc_buf_destroy(&out);
    free(table);
}

static void test_many_zones_are_capped(void **state)
{
    char names[MGC_STATE_ZONES_SEEN][16];
    const char *zones[MGC_STATE_ZONES_SEEN];
    for (int i = 0; i < MGC_STATE_ZONES_SEEN; i++) {
        snprintf(names[i], sizeof(names[i]), "=zone%d", i);
        zones[i] = names[i];
    }
    struct mgc_state_table *table = table_of(zones, MGC_STATE_ZONES_SEEN);
    assert_int_equal(table->column_count, 7 + 10 + MGC_STATE_ZONES_MAX);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probe_fits_a_request),
        cmocka_unit_test(test_head), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_nonsense_is_empty), cmocka_unit_test(test_many_zones_are_capped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
