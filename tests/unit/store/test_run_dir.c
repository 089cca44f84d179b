#include "coordinator/store/run_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/lib/check.h"

static char root[64];

static int set_up(void **state)
{
    snprintf(root, sizeof(root), "/tmp/mgc-run-dir-XXXXXX");
    assert_non_null(mkdtemp(root));
    return 0;
}

static int tear_down(void **state)
{
    return mgc_dir_remove(root, NULL) ? 0 : -1;
}

static void attempts_settle_and_superseded_ones_stay(void **state)
{
    struct mgc_run_dir dir;
    char first[MGC_PATH_MAX], second[MGC_PATH_MAX], settled[MGC_PATH_MAX], expected[MGC_PATH_MAX];
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_true(mgc_run_dir_attempt(&dir, "crosshost/bench-a", 1, first, NULL));
    assert_true(mgc_run_dir_attempt(&dir, "crosshost/bench-a", 2, second, NULL));
    assert_true(mgc_run_dir_settle(&dir, "crosshost/bench-a", 2, settled, NULL));
    snprintf(expected, sizeof(expected), "%s/run1/crosshost/bench-a", root);
    assert_string_equal(settled, expected);
    assert_true(mgc_file_exists(settled));
    assert_true(mgc_file_exists(first));
    assert_false(mgc_file_exists(second));
    mgc_run_dir_close(&dir);
}

static void nothing_is_overwritten(void **state)
{
    struct mgc_run_dir dir, again;
    char path[MGC_PATH_MAX];
    struct mgc_error err;
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_true(mgc_run_dir_attempt(&dir, "c", 1, path, NULL));
    assert_false(mgc_run_dir_attempt(&dir, "c", 1, path, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    assert_true(mgc_run_dir_settle(&dir, "c", 1, path, NULL));
    assert_true(mgc_run_dir_attempt(&dir, "c", 2, path, NULL));
    assert_false(mgc_run_dir_settle(&dir, "c", 2, path, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    mgc_run_dir_close(&dir);
    assert_false(mgc_run_dir_open(&again, root, "run1", &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
}

static void one_run_at_a_time(void **state)
{
    struct mgc_run_dir dir, other;
    struct mgc_error err;
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_false(mgc_run_dir_open(&other, root, "run2", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    mgc_run_dir_close(&dir);
    assert_true(mgc_run_dir_open(&other, root, "run2", NULL));
    mgc_run_dir_close(&other);
    mgc_run_dir_close(NULL);
}

static void documents_are_for_all_to_read_and_for_us_to_write(void **state)
{
    struct mgc_run_dir dir;
    char path[MGC_PATH_MAX];
    struct stat info;
    assert_true(mgc_run_dir_open(&dir, root, "run-mode", NULL));
    assert_true(mgc_run_dir_write(&dir, "summary.json", "{}", 2, NULL));
    assert_true(mgc_path_join(path, sizeof(path), dir.path, "summary.json"));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0644);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            attempts_settle_and_superseded_ones_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_run_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            documents_are_for_all_to_read_and_for_us_to_write, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
