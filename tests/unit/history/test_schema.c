/* Files of other versions, other programs, and none at all. */
#include "coordinator/history/history.h"

#include <string.h>

#include "common/plat/file.h"
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

static void expect_refused(enum mgc_history_access access, enum mgc_code code, const char *words)
{
    struct mgc_error err = {0};
    assert_null(mgc_history_open(path, access, &err));
    assert_int_equal(err.code, code);
    assert_non_null(strstr(err.text, words));
    assert_non_null(strstr(err.text, path));
}

static void test_reading_makes_no_file(void **state)
{
    expect_refused(MGC_HISTORY_READ, MGC_E_NOT_FOUND, "history import");
    assert_false(mgc_file_exists(path));
}

static void test_a_new_file_says_what_it_is(void **state)
{
    mgc_history_close(mgc_history_open(path, MGC_HISTORY_WRITE, NULL));
    assert_int_equal(history_ask(path, "PRAGMA application_id"), 0x4d474348);
    assert_true(history_ask(path, "PRAGMA user_version") >= 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs"), 0);
}

static void test_a_newer_file_is_left_alone(void **state)
{
    mgc_history_close(mgc_history_open(path, MGC_HISTORY_WRITE, NULL));
    history_do(path, "PRAGMA user_version = 1000");
    expect_refused(MGC_HISTORY_READ, MGC_E_VERSION, "schema 1000");
    expect_refused(MGC_HISTORY_WRITE, MGC_E_VERSION, "newer mgcoord");
    assert_int_equal(history_ask(path, "PRAGMA user_version"), 1000);
}

static void test_another_programs_database_is_left_alone(void **state)
{
    history_do(path, "CREATE TABLE t (x)");
    expect_refused(MGC_HISTORY_WRITE, MGC_E_CONFIG, "another program's");
    assert_int_equal(history_ask(path, "SELECT count(*) FROM sqlite_schema"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reading_makes_no_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_new_file_says_what_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_newer_file_is_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_another_programs_database_is_left_alone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
