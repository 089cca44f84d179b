/* What stands in the file after a run, and what the same run again does. */
#include "coordinator/history/history.h"

#include <stdlib.h>
#include <string.h>

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

static void test_a_run_with_all_that_belongs_to_it(void **state)
{
    struct history_fixture f;
    history_fixture_make(&f, 0, 10);
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM cells"), 7);
    assert_int_equal(
        history_ask(path, "SELECT count(*) FROM runs JOIN devices d ON d.id = runs.device WHERE "
                          "d.serial = 'SER1' AND d.model = 'Phone 9' AND d.fingerprint = "
                          "'maker/phone:16' AND NOT d.lab AND tool_build = 'mgcoord 1.2.3' AND "
                          "exit_code = 0 AND ended AND origin = 'run'"),
        1);
    assert_int_equal(
        history_ask(path, "SELECT count(*) FROM metrics WHERE name = 'apk_sha256' AND value = 'a'"),
        7);
    assert_int_equal(
        history_ask(path, "SELECT count(*) FROM metrics WHERE name = 'golden_sha256'"), 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM facts WHERE fact = 'geometry' AND "
                                       "applies AND value = '640x480'"),
        7);
    /* The monolith has no present credit; the device is the run's. */
    assert_int_equal(
        history_ask(path, "SELECT count(*) FROM facts JOIN cells c ON c.id = facts.cell WHERE "
                          "fact = 'present_credit' AND NOT applies AND arm = 'monolith'"),
        4);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM facts WHERE fact = 'device'"), 0);
    assert_int_equal(
        history_ask(path, "SELECT count(*) FROM run_facts WHERE (source, name, value) IN (VALUES "
                          "('device', 'model', 'Phone 9'), ('setup', 'app-1.apk_sha256', 'a'), "
                          "('worker', 'pc.build', '0.9'), ('setting', 'site', 'bench'))"),
        4);
    history_fixture_destroy(&f);
}

static void test_what_is_not_known_has_no_value(void **state)
{
    struct history_fixture f;
    history_fixture_make(&f, 0, 10);
    history_fixture_set(&f, "trace_sha256", NULL);
    mgc_fields_set_str(&f.results.device, "fingerprint", NULL);
    f.results.start_wall_ns = 0;
    mgc_fields_set_double(&f.results.cells[0].verdict.metrics, "fps", 0.0 / 0.0);
    f.results.cells[1].verdict.state = MGC_VERDICT_FAILED;
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM facts WHERE fact = 'trace'"), 0);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM metrics WHERE name = 'fps'"), 0);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM devices"), 0);
    assert_int_equal(
        history_ask(path, "SELECT device IS NULL AND start_wall_ns IS NULL FROM runs"), 1);
    assert_int_equal(/* nothing is proved of a cell that was not measured */
        history_ask(path, "SELECT count(*) FROM facts JOIN cells c ON c.id = facts.cell WHERE "
                          "c.verdict = 'failed'"),
        0);
    history_fixture_destroy(&f);
}

static void test_the_same_run_twice_is_one_run(void **state)
{
    struct history_fixture f;
    history_fixture_make(&f, 0, 10);
    history_add(path, &f, MGC_ORIGIN_IMPORT, true);
    history_add(path, &f, MGC_ORIGIN_IMPORT, true);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs"), 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM cells"), 7);
    /* What the run wrote itself is not replaced by what was read back, but the other way round. */
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_add(path, &f, MGC_ORIGIN_IMPORT, false);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs WHERE origin = 'run'"), 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs"), 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM devices"), 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM metrics WHERE cell NOT IN (SELECT id "
                                       "FROM cells)"),
        0);
    history_fixture_destroy(&f);
}

/* They are all called alike. */
static void test_runs_of_the_old_scripts_are_known_by_their_numbers(void **state)
{
    struct history_fixture f, other;
    history_fixture_make(&f, 0, 10);
    history_fixture_make(&other, 0, 11);
    history_add(path, &f, MGC_ORIGIN_OLD, true);
    history_add(path, &f, MGC_ORIGIN_OLD, true);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs WHERE exit_code IS NULL"), 1);
    history_add(path, &other, MGC_ORIGIN_OLD, true);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs WHERE origin = 'old'"), 2);
    history_fixture_destroy(&f);
    history_fixture_destroy(&other);
}

static void test_another_system_is_another_device_and_the_lab_is_its_own(void **state)
{
    struct history_fixture f;
    for (int i = 0; i < 3; i++) {
        history_fixture_make(&f, i, 10);
        if (i == 1)
            mgc_fields_set_str(&f.results.device, "fingerprint", "maker/phone:17");
        if (i == 2)
            mgc_fields_set_str(&f.results.device, "model", "lab phone");
        history_add(path, &f, MGC_ORIGIN_RUN, true);
        history_fixture_destroy(&f);
    }
    assert_int_equal(history_ask(path, "SELECT count(*) FROM devices WHERE serial = 'SER1'"), 3);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM devices WHERE lab"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_run_with_all_that_belongs_to_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_not_known_has_no_value, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_same_run_twice_is_one_run, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_runs_of_the_old_scripts_are_known_by_their_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_another_system_is_another_device_and_the_lab_is_its_own, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
