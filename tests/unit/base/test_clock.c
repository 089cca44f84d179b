#include "common/base/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/ticks.h"
#include "tests/lib/env.h"

/* Far above any delay of a busy machine, so that a planted value cannot be confused with one. */
#define HOUR_NS (3600 * MGC_NS_PER_S)

enum raw { RAW_MONO, RAW_BOOT, RAW_WALL };

static int64_t raw_ns(enum raw which)
{
#ifdef _WIN32
    return which == RAW_MONO   ? mgc_ticks_mono_ns()
           : which == RAW_BOOT ? mgc_ticks_boot_ns()
                               : mgc_ticks_wall_ns();
#else
    static const clockid_t ids[] = {CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME};
    struct timespec ts;
    clock_gettime(ids[which], &ts);
    return (int64_t)ts.tv_sec * MGC_NS_PER_S + ts.tv_nsec;
#endif
}

/* How far a clock is from the kernel's, in whole hours. */
static int64_t hours_off(int64_t got_ns, enum raw which)
{
    int64_t off_ns = got_ns - raw_ns(which);
    return (off_ns + (off_ns >= 0 ? HOUR_NS / 2 : -HOUR_NS / 2)) / HOUR_NS;
}

static int unplant(void **state)
{
    mgc_clock_plant_set(NULL);
    env_unset("MGC_CLOCK_PLANT");
    return 0;
}

static void assert_hours(int mono, int boot, int wall)
{
    assert_int_equal(hours_off(mgc_mono_ns(), RAW_MONO), mono);
    assert_int_equal(hours_off(mgc_boot_ns(), RAW_BOOT), boot);
    assert_int_equal(hours_off(mgc_wall_ns(), RAW_WALL), wall);
}

static void test_honest_without_a_plant(void **state)
{
    assert_hours(0, 0, 0);
    int64_t last_ns = mgc_mono_ns();
    for (int i = 0; i < 10000; i++) {
        int64_t now_ns = mgc_mono_ns();
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
    }
}

static void test_planted_offset_step_and_sleep(void **state)
{
    static const struct {
        struct mgc_clock_plant plant;
        int mono, boot, wall;
    } rows[] = {
        {{.offset_ns = 2 * HOUR_NS}, 2, 2, 2},
        {{.offset_ns = -2 * HOUR_NS}, -2, -2, -2},
        {{.step_ns = 3 * HOUR_NS}, 3, 3, 3},
        {{.sleep_ns = 4 * HOUR_NS}, 0, 4, 4},
        {{.offset_ns = HOUR_NS, .step_ns = 2 * HOUR_NS, .sleep_ns = HOUR_NS}, 3, 4, 4},
        {{.offset_ns = HOUR_NS, .step_ns = 2 * HOUR_NS, .sleep_ns = HOUR_NS, .after_ns = HOUR_NS},
            1, 1, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        mgc_clock_plant_set(&rows[i].plant);
        assert_hours(rows[i].mono, rows[i].boot, rows[i].wall);
    }
    mgc_clock_plant_set(NULL);
    assert_hours(0, 0, 0);
}

static void test_step_comes_after_its_time(void **state)
{
    struct mgc_clock_plant plant = {.step_ns = HOUR_NS, .after_ns = 20 * MGC_NS_PER_MS};
    int64_t set_ns = raw_ns(CLOCK_MONOTONIC);
    mgc_clock_plant_set(&plant);
    int64_t stepped_at_ns;
    while (mgc_mono_ns() - (stepped_at_ns = raw_ns(CLOCK_MONOTONIC)) < HOUR_NS / 2)
        ;
    assert_true(stepped_at_ns - set_ns >= plant.after_ns);
}

static void test_drift(void **state)
{
    /* A thousand times too fast; readings of the true clock bracket the planted interval. */
    struct mgc_clock_plant plant = {.drift_ppb = 1000 * MGC_NS_PER_S};
    mgc_clock_plant_set(&plant);
    int64_t outer_start = raw_ns(CLOCK_MONOTONIC), planted_start = mgc_mono_ns();
    int64_t inner_start = raw_ns(CLOCK_MONOTONIC), inner_end;
    while ((inner_end = raw_ns(CLOCK_MONOTONIC)) - inner_start < MGC_NS_PER_MS)
        ;
    int64_t planted_end = mgc_mono_ns(), outer_end = raw_ns(CLOCK_MONOTONIC);
    int64_t planted = planted_end - planted_start, slack = MGC_NS_PER_US;
    assert_true(planted + slack >= 1000 * (inner_end - inner_start));
    assert_true(planted <= 1002 * (outer_end - outer_start) + slack);
}

static void test_sleep_ends_at_the_instant(void **state)
{
    int64_t until_ns = mgc_mono_ns() + 2 * MGC_NS_PER_MS;
    mgc_sleep_until(until_ns);
    assert_true(mgc_mono_ns() >= until_ns);
    int64_t before_ns = mgc_mono_ns();
    mgc_sleep_ms(1);
    assert_true(mgc_mono_ns() - before_ns >= MGC_NS_PER_MS);
    mgc_sleep_until(0);
    mgc_sleep_ms(-5);
}

static void test_deadlines(void **state)
{
    assert_true(mgc_deadline_past(mgc_deadline_in_ms(0)));
    assert_true(mgc_deadline_past(mgc_deadline_in_ms(-1)));
    assert_false(mgc_deadline_past(mgc_deadline_in_ms(3600 * 1000)));
    assert_false(mgc_deadline_past(MGC_NEVER));
    assert_int_equal(mgc_deadline_in_ms(INT64_MAX), MGC_NEVER);
    assert_int_equal(mgc_deadline_min(5, 7), 5);
    assert_int_equal(mgc_deadline_min(MGC_NEVER, 7), 7);

    assert_int_equal(mgc_deadline_poll_ms(MGC_NEVER), -1);
    assert_int_equal(mgc_deadline_poll_ms(0), 0);
    assert_int_equal(
        mgc_deadline_poll_ms(mgc_mono_ns() + INT64_C(4000000) * MGC_NS_PER_S), INT_MAX);
    int left_ms = mgc_deadline_poll_ms(mgc_mono_ns() + HOUR_NS);
    assert_true(left_ms > 0 && left_ms <= 3600 * 1000);
    /* Rounded up: a poll that slept this long must not come back early and spin. */
    struct mgc_clock_plant frozen = {.drift_ppb = -MGC_NS_PER_S};
    mgc_clock_plant_set(&frozen);
    assert_true(mgc_deadline_poll_ms(mgc_mono_ns() + 1000) >= 1);
}

static void test_plant_parse(void **state)
{
    static const struct {
        const char *text;
        struct mgc_clock_plant want;
    } rows[] = {
        {"", {0}},
        {"offset_ms=250", {.offset_ns = 250000000}},
        {"offset_ms=-250", {.offset_ns = -250000000}},
        {"drift_ppm=50", {.drift_ppb = 50000}},
        {"step_ms=2000,after_ms=1000", {.step_ns = 2000000000, .after_ns = 1000000000}},
        {"sleep_ms=1,", {.sleep_ns = 1000000}},
        {"offset_ms=1,offset_ms=2", {.offset_ns = 2000000}},
        {"offset_ms=250,drift_ppm=50,step_ms=2000,sleep_ms=0,after_ms=1000",
            {250000000, 50000, 2000000000, 0, 1000000000}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_clock_plant got;
        struct mgc_error err = {0};
        if (!mgc_clock_plant_parse(rows[i].text, &got, &err))
            fail_msg("'%s': %s", rows[i].text, err.text);
        assert_memory_equal(&got, &rows[i].want, sizeof(got));
    }
}

static void test_plant_parse_refuses(void **state)
{
    static const char *const bad[] = {"offset", "offset_ms", "offset_ms=", "offset_ms=,", "x=1",
        "offset_ms=1x", "offset_ms=1;step_ms=2", "offset_msx=1", ",offset_ms=1", "offset_ms=1.5",
        "offset_ms=9223372036854775807", "offset_ms=-9223372036854775808",
        "offset_ms=99999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mgc_clock_plant got = {.offset_ns = 42};
        struct mgc_error err = {0};
        if (mgc_clock_plant_parse(bad[i], &got, &err))
            fail_msg("accepted '%s'", bad[i]);
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_int_equal(got.offset_ns, 42);
    }
}

/* Against the C library's own wall clock, which is not what mgc_ticks_wall_ns reads on Windows. */
static void test_wall_time_counts_from_1970(void **state)
{
    int64_t off_s = mgc_wall_ns() / MGC_NS_PER_S - (int64_t)time(NULL);
    assert_true(off_s >= -3600 && off_s <= 3600);
}

static void test_plant_from_env(void **state)
{
    assert_true(mgc_clock_plant_from_env(NULL));
    assert_hours(0, 0, 0);
    env_set("MGC_CLOCK_PLANT", "offset_ms=7200000");
    assert_true(mgc_clock_plant_from_env(NULL));
    assert_hours(2, 2, 2);
    env_set("MGC_CLOCK_PLANT", "nonsense");
    struct mgc_error err = {0};
    assert_false(mgc_clock_plant_from_env(&err));
    assert_non_null(strstr(err.text, "MGC_CLOCK_PLANT"));
    assert_non_null(strstr(err.text, "nonsense"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest_without_a_plant),
        cmocka_unit_test_teardown(test_planted_offset_step_and_sleep, unplant),
        cmocka_unit_test_teardown(test_step_comes_after_its_time, unplant),
        cmocka_unit_test_teardown(test_drift, unplant),
        cmocka_unit_test(test_sleep_ends_at_the_instant),
        cmocka_unit_test_teardown(test_deadlines, unplant),
        cmocka_unit_test(test_plant_parse),
        cmocka_unit_test(test_plant_parse_refuses),
        cmocka_unit_test(test_wall_time_counts_from_1970),
        cmocka_unit_test_teardown(test_plant_from_env, unplant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
