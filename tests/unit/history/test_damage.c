/* A damaged file: one sentence, kept aside, and the run is in a new one. */
#include "coordinator/history/history.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

static char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];

static int setup(void **state)
{
    struct history_fixture f;
    history_dir_make(dir, path);
    history_fixture_make_long(&f, 0, 10, 100); /* a few dozen pages */
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
    return 0;
}

static int teardown(void **state)
{
    history_dir_remove(dir);
    return 0;
}

static void overwrite(long at, size_t len)
{
    unsigned char junk[8192];
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0 && len <= sizeof(junk));
    memset(junk, 0xa5, len);
    assert_int_equal(pwrite(fd, junk, len, at), (ssize_t)len);
    close(fd);
}

static size_t count_aside(void)
{
    struct mgc_dir_names names;
    size_t count = 0;
    assert_true(mgc_dir_list(dir, &names, NULL));
    for (size_t i = 0; i < names.count; i++)
        count += strstr(names.names[i], ".damaged-") != NULL;
    mgc_dir_names_destroy(&names);
    return count;
}

/* Readers say it and leave the file; the next run keeps it and has a new one. */
static void expect_renewed(void)
{
    struct history_fixture f;
    struct mgc_error err = {0};
    char note[MGC_ERROR_TEXT_MAX];
    history_fixture_make(&f, 1, 10);
    assert_null(mgc_history_open(path, MGC_HISTORY_WRITE, &err));
    assert_int_equal(err.code, MGC_E_INTEGRITY);
    assert_non_null(strstr(err.text, "is damaged"));
    assert_int_equal(count_aside(), 0);
    if (!mgc_history_keep(dir, &f.results, "/r", note, &err))
        fail_msg("%s", err.text);
    assert_non_null(strstr(note, "is damaged"));
    assert_non_null(strstr(note, "mgcoord.db.damaged-"));
    assert_null(strchr(note, '\n'));
    assert_int_equal(count_aside(), 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs"), 1);
    /* From now on it is a history like any other. */
    assert_true(mgc_history_keep(dir, &f.results, "/r", note, &err));
    assert_string_equal(note, "");
    assert_int_equal(count_aside(), 1);
    history_fixture_destroy(&f);
}

static void test_no_database_at_all(void **state)
{
    assert_true(
        mgc_file_write(path, "not a database, but long enough to be looked at\n", 48, 0644, NULL));
    expect_renewed();
}

static void test_its_head_is_overwritten(void **state)
{
    overwrite(0, 100);
    expect_renewed();
}

static void test_pages_in_the_middle_are_overwritten(void **state)
{
    overwrite(5 * 4096, 8192);
    expect_renewed();
}

static void test_its_end_is_cut_off(void **state)
{
    uint64_t size;
    assert_true(mgc_file_size(path, &size, NULL));
    assert_int_equal(truncate(path, (off_t)size / 2), 0);
    expect_renewed();
}

/* A journal of another time beside it must not be played back into the new file. */
static void test_its_journal_goes_with_it(void **state)
{
    char journal[MGC_PATH_MAX + 16];
    snprintf(journal, sizeof(journal), "%s-journal", path);
    overwrite(0, 100);
    assert_true(mgc_file_write(journal, "x", 1, 0644, NULL));
    expect_renewed();
    assert_false(mgc_file_exists(journal));
}

static void test_an_empty_file_is_a_new_history(void **state)
{
    struct history_fixture f;
    struct mgc_error err = {0};
    char note[MGC_ERROR_TEXT_MAX];
    history_fixture_make(&f, 1, 10);
    assert_int_equal(truncate(path, 0), 0);
    assert_true(mgc_history_keep(dir, &f.results, "/r", note, &err));
    assert_string_equal(note, "");
    history_fixture_destroy(&f);
}

static void test_what_is_whole_is_not_put_aside(void **state)
{
    struct mgc_error err = {0};
    char aside[MGC_PATH_MAX];
    assert_false(mgc_history_put_aside(path, aside, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    history_do(path, "PRAGMA user_version = 1000"); /* a newer build's is not damaged */
    assert_false(mgc_history_put_aside(path, aside, &err));
    assert_int_equal(count_aside(), 0);
}

static void test_no_way_to_write(void **state)
{
    struct history_fixture f;
    struct mgc_error err = {0};
    char note[MGC_ERROR_TEXT_MAX];
    history_fixture_make(&f, 1, 10);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(mgc_history_keep(dir, &f.results, "/r", note, &err));
    assert_non_null(strstr(err.text, path));
    assert_int_equal(count_aside(), 0);
    assert_false(mgc_history_keep("/nowhere/at/all", &f.results, "/r", note, &err));
    assert_int_equal(err.code, MGC_E_DENIED);
    history_fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_database_at_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_its_head_is_overwritten, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pages_in_the_middle_are_overwritten, setup, teardown),
        cmocka_unit_test_setup_teardown(test_its_end_is_cut_off, setup, teardown),
        cmocka_unit_test_setup_teardown(test_its_journal_goes_with_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_empty_file_is_a_new_history, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_whole_is_not_put_aside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_way_to_write, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
