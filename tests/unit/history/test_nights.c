/* One arm over time. */
#include "coordinator/history/nights.h"

#include <string.h>

#include "coordinator/history/print.h"
#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

static char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];

static int setup(void **state)
{
    history_dir_make(dir, path);
    return 0;
}

static int teardown(void **state)
{
    history_dir_remove(dir);
    return 0;
}

static void load(const struct mgc_history_filter *filter, struct mgc_nights *nights)
{
    struct mgc_error err = {0};
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, &err);
    if (!history || !mgc_nights_load(history, filter, nights, &err))
        fail_msg("%s", err.text);
    mgc_history_close(history);
}

static const struct mgc_arm_history *find(const struct mgc_nights *nights, const char *arm)
{
    for (size_t i = 0; i < nights->arm_count; i++) {
        if (strcmp(nights->arms[i].key.arm, arm) == 0)
            return &nights->arms[i];
    }
    fail_msg("no arm %s", arm);
    return NULL;
}

static void add(int n, const char *metric, const char *value)
{
    struct history_fixture f;
    history_fixture_make(&f, n, 10 + n);
    if (metric)
        history_fixture_set(&f, metric, value);
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
}

static void test_numbers_and_inputs(void **state)
{
    struct mgc_nights nights;
    add(0, NULL, NULL);
    add(1, NULL, NULL);
    add(2, "library_sha256", "l2");
    add(3, "library_sha256", NULL);
    load(&(struct mgc_history_filter){0}, &nights);
    assert_int_equal(nights.arm_count, 2);
    const struct mgc_arm_history *arm = find(&nights, "shm");
    assert_int_equal(arm->count, 4);
    assert_int_equal(arm->nights[0].numbers.cells, 3);
    assert_int_equal(arm->nights[0].numbers.spread.n, 3);
    assert_true(
        arm->nights[0].numbers.spread.median > 11.9 && arm->nights[0].numbers.spread.median < 12.2);
    static const enum mgc_inputs expected[] = {
        MGC_INPUTS_FIRST, MGC_INPUTS_UNCHANGED, MGC_INPUTS_CHANGED, MGC_INPUTS_UNKNOWN};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(arm->nights[i].inputs, expected[i]);
    assert_string_equal(arm->nights[2].why, "library_build differs: l and l2");
    assert_non_null(strstr(arm->nights[3].why, "library_build"));
    mgc_nights_destroy(&nights);
}

/* A night without a measured cell is a line of its own, and no base for the next. */
static void test_a_night_without_numbers(void **state)
{
    struct mgc_nights nights;
    struct history_fixture f;
    add(0, NULL, NULL);
    history_fixture_make(&f, 1, 10);
    for (size_t i = 0; i < f.results.count; i++)
        f.results.cells[i].verdict.state = MGC_VERDICT_INVALID;
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
    add(2, NULL, NULL);
    load(&(struct mgc_history_filter){0}, &nights);
    const struct mgc_arm_history *arm = find(&nights, "monolith");
    assert_int_equal(arm->nights[1].inputs, MGC_INPUTS_NONE);
    assert_false(arm->nights[1].numbers.has_spread);
    assert_int_equal(arm->nights[1].numbers.cells, 3);
    assert_int_equal(arm->nights[2].inputs, MGC_INPUTS_UNCHANGED);
    mgc_nights_destroy(&nights);
}

static void test_cells_that_differ_in_one_run(void **state)
{
    struct mgc_nights nights;
    struct history_fixture f;
    history_fixture_make(&f, 0, 10);
    mgc_fields_set_str(&f.results.cells[2].verdict.metrics, "apk_sha256", "other");
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
    load(&(struct mgc_history_filter){0}, &nights);
    assert_int_equal(find(&nights, "monolith")->nights[0].inputs, MGC_INPUTS_MIXED);
    assert_non_null(strstr(find(&nights, "monolith")->nights[0].why, "client_build"));
    assert_int_equal(find(&nights, "shm")->nights[0].inputs, MGC_INPUTS_FIRST);
    mgc_nights_destroy(&nights);
}

/* The run before the shown ones is still what the first of them is held against. */
static void test_filters(void **state)
{
    struct mgc_nights nights;
    for (int i = 0; i < 5; i++)
        add(i, NULL, NULL);
    load(&(struct mgc_history_filter){.last = 2, .arm = "shm"}, &nights);
    assert_int_equal(nights.arm_count, 1);
    assert_int_equal(nights.arms[0].count, 2);
    assert_int_equal(nights.arms[0].nights[0].inputs, MGC_INPUTS_UNCHANGED);
    assert_string_equal(nights.arms[0].nights[1].run->run_id, "20261205T010000Z-matrix-aaaa");
    mgc_nights_destroy(&nights);
    static const struct mgc_history_filter none[] = {
        {.workload = "rd12"}, {.arm = "tcp"}, {.device = "SER2"}};
    for (size_t i = 0; i < 3; i++) {
        load(&none[i], &nights);
        assert_int_equal(nights.arm_count, 0);
        mgc_nights_destroy(&nights);
    }
    load(&(struct mgc_history_filter){.device = "SER1", .workload = "openra"}, &nights);
    assert_int_equal(nights.arm_count, 2);
    mgc_nights_destroy(&nights);
}

/* Runs of another plan in between do not count. */
static void test_last_is_of_each_arm(void **state)
{
    struct mgc_nights nights;
    for (int i = 0; i < 6; i++) {
        struct history_fixture f;
        history_fixture_make(&f, i, 10);
        for (size_t k = 0; i > 1 && k < f.plan.cell_count; k++)
            f.cells[k].workload = (char *)"rd12";
        history_fixture_replan(&f);
        history_add(path, &f, MGC_ORIGIN_RUN, true);
        history_fixture_destroy(&f);
    }
    load(&(struct mgc_history_filter){.last = 1}, &nights);
    assert_int_equal(nights.arm_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(nights.arms[i].count, 1);
        assert_int_equal(nights.arms[i].nights[0].inputs, MGC_INPUTS_UNCHANGED);
    }
    assert_string_equal(
        find(&nights, "shm")->nights[0].run->run_id, "20261202T010000Z-matrix-aaaa");
    mgc_nights_destroy(&nights);
}

static void test_devices_are_kept_apart(void **state)
{
    static const char *const models[] = {"Phone 9", "lab phone", "Phone 9", "lab phone"};
    struct mgc_nights nights;
    for (int i = 0; i < 4; i++) {
        struct history_fixture f;
        history_fixture_make(&f, i, 10);
        mgc_fields_set_str(&f.results.device, "model", models[i]);
        history_add(path, &f, MGC_ORIGIN_RUN, true);
        history_fixture_destroy(&f);
    }
    load(&(struct mgc_history_filter){.last = 1}, &nights);
    assert_int_equal(nights.arm_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(nights.arms[i].count, 1);
        assert_int_equal(nights.arms[i].nights[0].inputs, MGC_INPUTS_UNCHANGED);
        assert_int_equal(nights.arms[i].device->lab, i >= 2);
    }
    struct mgc_buf text = {0};
    mgc_nights_print(&nights, &text);
    assert_non_null(strstr(mgc_buf_text(&text), "The lab's phone: says nothing about a real one."));
    mgc_buf_destroy(&text);
    mgc_nights_destroy(&nights);
}

static void test_forms(void **state)
{
    static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    struct mgc_nights nights;
    struct mgc_buf text = {0};
    add(0, NULL, NULL);
    add(1, "apk_sha256", hash);
    load(&(struct mgc_history_filter){0}, &nights);
    mgc_nights_print(&nights, &text);
    assert_non_null(strstr(mgc_buf_text(&text), "changed: client_build differs: a and 01234567\n"));
    mgc_buf_destroy(&text);
    json_t *doc = mgc_nights_to_json(&nights);
    json_t *arm = json_array_get(json_object_get(doc, "arms"), 0);
    json_t *night = json_array_get(json_object_get(arm, "nights"), 1);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(night, "facts"), "client_build")), hash);
    assert_true(json_is_null(json_object_get(json_object_get(night, "facts"), "present_credit")));
    assert_int_equal(json_integer_value(json_object_get(night, "n")), 3);
    assert_string_equal(json_string_value(json_object_get(night, "inputs")), "changed");
    json_decref(doc);
    mgc_nights_destroy(&nights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers_and_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_night_without_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cells_that_differ_in_one_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_filters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_last_is_of_each_arm, setup, teardown),
        cmocka_unit_test_setup_teardown(test_devices_are_kept_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forms, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
