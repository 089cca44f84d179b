/* Two runs against each other. */
#include "coordinator/history/run_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/history/print.h"
#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

struct two {
    struct history_fixture fixtures[2];
    struct mgc_history *history;
    struct mgc_history_run runs[2];
    struct mgc_history_cells cells[2];
    struct mgc_past past;
    struct mgc_run_arm *arms;
    size_t count;
};

/* Other nights of this device: enough for a floor, of little movement. */
enum { NIGHTS = 6 };

static void add_nights(struct two *two, int nights)
{
    static const double moves[NIGHTS] = {0.02, -0.02, 0.03, -0.03, 0.01, -0.01};
    for (int i = 0; i < nights; i++) {
        struct history_fixture f;
        history_fixture_make(&f, 10 + i, 10 + moves[i]);
        assert_true(
            mgc_history_record(two->history, &f.results, "/r", MGC_ORIGIN_IMPORT, NULL, NULL));
        history_fixture_destroy(&f);
    }
}

static void make(struct two *two, double a_ms, double b_ms)
{
    *two = (struct two){0};
    history_fixture_make(&two->fixtures[0], 0, a_ms);
    history_fixture_make(&two->fixtures[1], 1, b_ms);
}

static void compare_among(struct two *two, int nights)
{
    const struct mgc_history_filter all = {0};
    struct mgc_error err = {0};
    two->history = mgc_history_open(MGC_HISTORY_IN_MEMORY, MGC_HISTORY_WRITE, &err);
    assert_non_null(two->history);
    for (int i = 0; i < 2; i++)
        assert_true(mgc_history_record(
            two->history, &two->fixtures[i].results, "/r", MGC_ORIGIN_IMPORT, NULL, &err));
    for (int i = 0; i < 2; i++) {
        assert_true(mgc_history_find(two->history, two->fixtures[i].run_id, &two->runs[i], &err));
        assert_true(mgc_history_cells(two->history, &two->runs[i], &all, &two->cells[i], &err));
    }
    add_nights(two, nights);
    struct mgc_history_run any = two->runs[0];
    any.start_wall_ns = INT64_MAX;
    assert_true(mgc_past_load(two->history, &any, &two->runs[1], &two->cells[0], &two->past, &err));
    bool measured = two->fixtures[0].results.cells[0].verdict.state == MGC_VERDICT_MEASURED;
    assert_int_equal(two->past.count, two->runs[0].serial && measured ? nights : 0);
    assert_true(mgc_runs_compare(
        &two->cells[0], &two->cells[1], &two->past, &two->arms, &two->count, &err));
}

static void compare(struct two *two)
{
    compare_among(two, NIGHTS);
}

static void destroy(struct two *two)
{
    for (int i = 0; i < 2; i++) {
        history_fixture_destroy(&two->fixtures[i]);
        mgc_history_run_destroy(&two->runs[i]);
        mgc_history_cells_destroy(&two->cells[i]);
    }
    mgc_past_destroy(&two->past);
    mgc_history_close(two->history);
    free(two->arms);
}

static void set_value(struct two *two, int run, size_t cell, double value)
{
    mgc_fields_set_double(
        &two->fixtures[run].results.cells[cell].verdict.metrics, "kept_mean_ms", value);
}

static void test_a_slower_run(void **state)
{
    struct two two;
    make(&two, 10, 12);
    set_value(&two, 1, 0, 12.2); /* noise: pairs without any cannot be judged */
    set_value(&two, 1, 1, 14.6);
    compare(&two);
    assert_int_equal(two.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(two.arms[i].comparable, MGC_COMPARABLE_YES);
        assert_int_equal(two.arms[i].result.n, 3);
        assert_int_equal(two.arms[i].result.conclusion, MGC_CONCLUSION_SLOWER);
        assert_true(fabs(two.arms[i].result.ratio - 1.2) < 0.02);
    }
    destroy(&two);
}

static void expect_text(const struct two *two, size_t arm, const char *expected)
{
    char text[320];
    mgc_run_arm_text(&two->arms[arm], text, sizeof(text));
    assert_string_equal(text, expected);
}

/* Significant, but nights of this device differ as much by themselves, or nobody knows. */
static void test_a_difference_has_to_exceed_the_floor(void **state)
{
    struct two two;
    make(&two, 10, 10.05);
    set_value(&two, 1, 0, 10.05 * 1.0131);
    compare(&two);
    assert_int_equal(two.arms[0].noise.nights, NIGHTS);
    assert_true(two.arms[0].floor.fraction > 0.01 && two.arms[0].floor.fraction < 0.03);
    assert_int_equal(two.arms[0].result.open, MGC_OPEN_BELOW_FLOOR);
    destroy(&two);
    for (int nights = 0; nights < 5; nights += 4) {
        make(&two, 10, 12);
        set_value(&two, 1, 0, 12.2);
        compare_among(&two, nights);
        assert_int_equal(two.arms[0].result.open, MGC_OPEN_FLOOR_UNKNOWN);
        expect_text(
            &two, 0, nights ? "no baseline (4 of 5 nights)" : "no baseline (0 of 5 nights)");
        destroy(&two);
    }
}

/* Nights that measured nothing, or with other settings, are none of the forty. */
static void test_other_nights_push_none_out(void **state)
{
    enum { GOOD = 6, OTHERS = 60, TONIGHT = 90 };
    const struct mgc_history_filter all = {0};
    struct mgc_history_run run = {0};
    struct mgc_history_cells cells;
    struct mgc_past past;
    struct mgc_arm_past own;
    struct mgc_history *history = mgc_history_open(MGC_HISTORY_IN_MEMORY, MGC_HISTORY_WRITE, NULL);
    for (int n = 0; n <= TONIGHT; n++) {
        struct history_fixture f;
        history_fixture_make(&f, n, 10);
        if (n >= GOOD && n < GOOD + OTHERS && n % 2)
            history_fixture_set(&f, "trace_sha256", "shorter");
        for (size_t i = 0; n >= GOOD && n < TONIGHT && n % 2 == 0 && i < f.results.count; i++)
            f.results.cells[i].verdict.state = MGC_VERDICT_FAILED;
        if (n < GOOD + OTHERS || n == TONIGHT)
            assert_true(
                mgc_history_record(history, &f.results, "/r", MGC_ORIGIN_IMPORT, NULL, NULL));
        history_fixture_destroy(&f);
    }
    assert_true(mgc_history_find(history, "last", &run, NULL));
    assert_true(mgc_history_cells(history, &run, &all, &cells, NULL));
    assert_true(mgc_past_load(history, &run, NULL, &cells, &past, NULL));
    struct mgc_arm_key key = mgc_arm_key_of(&cells.items[0]);
    assert_true(mgc_arm_past_make(&past, &key, &cells, &own));
    assert_int_equal(own.count, GOOD);
    assert_int_equal(own.left_out, OTHERS / 2);
    mgc_arm_past_destroy(&own);
    mgc_past_destroy(&past);
    mgc_history_cells_destroy(&cells);
    mgc_history_run_destroy(&run);
    mgc_history_close(history);
}

static void test_rounds_that_only_one_has_are_left_out(void **state)
{
    struct two two;
    make(&two, 10, 10.1);
    two.fixtures[1].results.cells[2].verdict.state = MGC_VERDICT_FAILED; /* monolith, round 2 */
    compare(&two);
    assert_int_equal(two.arms[0].result.n, 2);
    assert_int_equal(two.arms[0].result.left_out, 1);
    assert_int_equal(two.arms[0].b.measured, 2);
    assert_int_equal(two.arms[1].result.n, 3);
    destroy(&two);
}

static void expect_not_compared(struct two *two, enum mgc_comparable answer, const char *words)
{
    char text[320];
    compare(two);
    assert_int_equal(two->arms[0].comparable, answer);
    assert_int_equal(two->arms[0].result.n, 0);
    mgc_run_arm_text(&two->arms[0], text, sizeof(text));
    assert_non_null(strstr(text, "not compared: "));
    if (!strstr(text, words))
        fail_msg("'%s' does not say '%s'", text, words);
    destroy(two);
}

static void test_the_first_fact_that_forbids_is_named(void **state)
{
    struct two two;
    make(&two, 10, 10);
    history_fixture_set(&two.fixtures[1], "trace_sha256", "t2");
    history_fixture_set(&two.fixtures[1], "apk_sha256", "a2");
    expect_not_compared(&two, MGC_COMPARABLE_NO, "trace differs: t and t2");
    make(&two, 10, 10);
    history_fixture_set(&two.fixtures[1], "library_sha256", NULL);
    expect_not_compared(&two, MGC_COMPARABLE_UNKNOWN, "library_build");
    make(&two, 10, 10);
    for (size_t i = 0; i < two.fixtures[1].plan.cell_count; i++)
        two.fixtures[1].cells[i].expect.pins = (char *)"cpu7=2035200";
    expect_not_compared(&two, MGC_COMPARABLE_NO, "clock_profile differs");
}

static void expect_setting_forbids(const char *key, const char *value, const char *words)
{
    struct two two;
    make(&two, 10, 10);
    history_fixture_setting(&two.fixtures[1], key, value);
    expect_not_compared(&two, MGC_COMPARABLE_NO, words);
}

/* What the plan asks for shapes the numbers as much as the builds do. */
static void test_settings_of_the_runs_are_held_against_each_other(void **state)
{
    struct two two;
    expect_setting_forbids("lanes.matrix.extra_env", ";A=1", "extra_env differs: none and A=1");
    expect_setting_forbids("lanes.matrix.stop_services", "thermal-engine",
        "stopped_services differs: none and thermal-engine");
    make(&two, 10, 10);
    two.fixtures[1].results.settings[1].value[0] = 'f'; /* "frue": any other will do */
    expect_not_compared(&two, MGC_COMPARABLE_NO, "pipe_stats differs: true and frue");
    make(&two, 10, 10);
    two.fixtures[1].plan.order = (char *)"rotate";
    history_fixture_replan(&two.fixtures[1]);
    expect_not_compared(&two, MGC_COMPARABLE_NO,
        "arm_order differs: fixed: monolith, shm and rotate: monolith, shm");
    make(&two, 10, 10);
    two.fixtures[1].results.settings[1].key[0] = 'x'; /* there is no pipe_stats any more */
    expect_not_compared(&two, MGC_COMPARABLE_UNKNOWN, "pipe_stats is not known");
}

/* Only the arm with a render server of its own reads what is set for that. */
static void test_the_servers_settings_concern_arms_with_a_server(void **state)
{
    struct two two;
    make(&two, 10, 10);
    for (int run = 0; run < 2; run++) {
        for (size_t i = 1; i < two.fixtures[run].plan.cell_count; i += 2)
            two.fixtures[run].cells[i].arm = (char *)"tcp";
    }
    history_fixture_setting(&two.fixtures[1], "lanes.matrix.extra_server_env", "B=2");
    compare(&two);
    assert_int_equal(two.arms[0].comparable, MGC_COMPARABLE_YES);
    assert_int_equal(two.arms[1].comparable, MGC_COMPARABLE_NO);
    assert_string_equal(two.arms[1].why, "extra_server_env differs: none and B=2");
    destroy(&two);
}

/* One odd cell is enough. */
static void test_every_cell_counts(void **state)
{
    struct two two;
    make(&two, 10, 10);
    mgc_fields_set_str(&two.fixtures[0].results.cells[4].verdict.metrics, "apk_sha256", "x");
    expect_not_compared(&two, MGC_COMPARABLE_NO, "client_build differs: x and a");
}

static void test_the_lab_is_never_compared_with_a_phone(void **state)
{
    struct two two;
    make(&two, 10, 10);
    mgc_fields_set_str(&two.fixtures[1].results.device, "model", "lab phone");
    expect_not_compared(&two, MGC_COMPARABLE_NO,
        "device differs: Phone 9 SER1 (maker/phone:16) "
        "and lab: lab phone SER1");
    make(&two, 10, 10);
    mgc_fields_set_str(&two.fixtures[1].results.device, "fingerprint", NULL);
    expect_not_compared(&two, MGC_COMPARABLE_UNKNOWN, "device");
}

static void test_an_arm_that_one_does_not_have(void **state)
{
    struct two two;
    make(&two, 10, 10);
    for (size_t i = 0; i < two.fixtures[1].plan.cell_count; i += 2)
        two.fixtures[1].cells[i].arm = (char *)"tcp";
    expect_not_compared(&two, MGC_COMPARABLE_UNKNOWN, "run B does not have it");
    make(&two, 10, 10);
    for (size_t i = 0; i < two.fixtures[0].results.count; i++)
        two.fixtures[0].results.cells[i].verdict.state = MGC_VERDICT_INVALID;
    expect_not_compared(&two, MGC_COMPARABLE_UNKNOWN, "run A did not measure it");
}

/* Two runs, and none else. */
static void test_names_of_runs(void **state)
{
    static const char *const wrong[] = {"last-2", "last-0", "last-x", "last-", "nothing"};
    struct two two;
    struct mgc_history_run run;
    make(&two, 10, 10);
    compare_among(&two, 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct mgc_error err = {0};
        assert_false(mgc_history_find(two.history, wrong[i], &run, &err));
        assert_int_equal(err.code, MGC_E_NOT_FOUND);
        assert_non_null(strstr(err.text, wrong[i]));
    }
    static const char *const right[] = {"last-1", "last"};
    for (int i = 0; i < 2; i++) {
        assert_true(mgc_history_find(two.history, right[i], &run, NULL));
        assert_string_equal(run.run_id, two.fixtures[i].run_id);
        mgc_history_run_destroy(&run);
    }
    destroy(&two);
}

static void test_forms(void **state)
{
    struct two two;
    struct mgc_buf text = {0};
    make(&two, 10, 12);
    set_value(&two, 1, 0, 12.2);
    history_fixture_set(&two.fixtures[1], "surface", "server");
    compare(&two);
    struct mgc_run_pair pair = {&two.runs[0], &two.runs[1], two.arms, two.count};
    mgc_run_pair_print(&pair, &text);
    assert_non_null(strstr(mgc_buf_text(&text), "t, n = 3, p < 0.001: slower"));
    assert_non_null(strstr(mgc_buf_text(&text), "%, by 6 nights with unchanged inputs"));
    assert_non_null(strstr(mgc_buf_text(&text), "Rounds are paired by their number."));
    mgc_buf_destroy(&text);
    json_t *doc = mgc_run_pair_to_json(&pair), *arms = json_object_get(doc, "arms");
    json_t *one = json_array_get(arms, 0), *other = json_array_get(arms, 1);
    assert_string_equal(json_string_value(json_object_get(one, "comparable")), "yes");
    assert_string_equal(json_string_value(json_object_get(one, "method")), "t");
    assert_string_equal(json_string_value(json_object_get(other, "comparable")), "no");
    assert_null(json_object_get(other, "conclusion"));
    assert_non_null(strstr(json_string_value(json_object_get(other, "text")), "surface differs"));
    json_decref(doc);
    destroy(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slower_run),
        cmocka_unit_test(test_a_difference_has_to_exceed_the_floor),
        cmocka_unit_test(test_other_nights_push_none_out),
        cmocka_unit_test(test_rounds_that_only_one_has_are_left_out),
        cmocka_unit_test(test_the_first_fact_that_forbids_is_named),
        cmocka_unit_test(test_settings_of_the_runs_are_held_against_each_other),
        cmocka_unit_test(test_the_servers_settings_concern_arms_with_a_server),
        cmocka_unit_test(test_every_cell_counts),
        cmocka_unit_test(test_the_lab_is_never_compared_with_a_phone),
        cmocka_unit_test(test_an_arm_that_one_does_not_have),
        cmocka_unit_test(test_names_of_runs),
        cmocka_unit_test(test_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
