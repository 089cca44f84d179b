/* Files of other versions, other programs, and none at all. */
#include "coordinator/history/history.h"

#include <math.h>
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

/* The first schema as it was released, with one run in it. */
static const char version_1[] =
    "PRAGMA application_id = 1296515912;"
    "CREATE TABLE devices (id INTEGER PRIMARY KEY, serial TEXT NOT NULL, model TEXT NOT NULL,"
    " fingerprint TEXT NOT NULL, lab INTEGER NOT NULL, UNIQUE (serial, model, fingerprint));"
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, plan TEXT, dir TEXT,"
    " origin TEXT NOT NULL, device INTEGER REFERENCES devices, start_wall_ns INTEGER,"
    " end_wall_ns INTEGER, tool_build TEXT, exit_code INTEGER, ended INTEGER NOT NULL,"
    " frames_reduced INTEGER NOT NULL, stopped TEXT, recorded_wall_ns INTEGER NOT NULL);"
    "CREATE TABLE cells (id INTEGER PRIMARY KEY,"
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, cell TEXT NOT NULL, lane TEXT,"
    " workload TEXT, arm TEXT, backend TEXT, mode TEXT NOT NULL, rep INTEGER NOT NULL,"
    " verdict TEXT NOT NULL, reason TEXT, text TEXT, attempts INTEGER NOT NULL, dir TEXT,"
    " start_wall_ns INTEGER, duration_ns INTEGER, UNIQUE (run, cell));"
    "CREATE TABLE metrics (cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,"
    " name TEXT NOT NULL, value NOT NULL, PRIMARY KEY (cell, name)) WITHOUT ROWID;"
    "CREATE TABLE facts (cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,"
    " fact TEXT NOT NULL, applies INTEGER NOT NULL, value TEXT, PRIMARY KEY (cell, fact))"
    " WITHOUT ROWID;"
    "CREATE INDEX cells_by_arm ON cells (workload, arm, run);"
    "PRAGMA user_version = 1;"
    "INSERT INTO devices VALUES (1, 'SER1', 'Phone 9', 'maker/phone:16', 0);"
    "INSERT INTO runs VALUES (7, 'the-old-one', 'matrix', '/r', 'run', 1, 1795000000000000000,"
    " NULL, 'mgcoord 0.1.0', 0, 1, 0, NULL, 1795000000000000001);"
    "INSERT INTO cells VALUES (9, 7, 'openra/shm-r1', 'matrix', 'openra', 'shm', 'DirectGLES',"
    " 'benchmark', 1, 'measured', NULL, NULL, 1, 'openra/shm-r1', NULL, 5);"
    "INSERT INTO metrics VALUES (9, 'kept_mean_ms', 12.5);"
    "INSERT INTO facts VALUES (9, 'workload', 1, 'openra');";

static void test_an_older_file_keeps_its_runs(void **state)
{
    const struct mgc_history_filter all = {0};
    struct mgc_history_run *runs = NULL;
    struct mgc_history_cells cells;
    struct mgc_error err = {0};
    struct history_fixture f;
    size_t count = 0;
    history_do(path, version_1);
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, &err);
    if (!history || !mgc_history_runs(history, &all, &runs, &count, &err))
        fail_msg("%s", err.text);
    assert_int_equal(count, 1);
    assert_string_equal(runs[0].run_id, "the-old-one");
    assert_true(mgc_history_cells(history, &runs[0], &all, &cells, &err));
    assert_true(cells.count == 1 && cells.items[0].value == 12.5);
    mgc_history_cells_destroy(&cells);
    mgc_history_runs_free(runs, count);
    mgc_history_close(history);
    assert_int_equal(history_ask(path, "PRAGMA user_version"), 3);
    history_fixture_make(&f, 0, 10);
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs"), 2);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM devices"), 1);
}

/* What the second schema, as it was released, had beyond the first; with a cell across hosts. */
static const char version_2[] =
    "CREATE TABLE run_facts (run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " source TEXT NOT NULL, name TEXT NOT NULL, value NOT NULL, PRIMARY KEY (run, source, name))"
    " WITHOUT ROWID;"
    "CREATE INDEX runs_by_time ON runs (start_wall_ns);"
    "PRAGMA user_version = 2;"
    "INSERT INTO cells VALUES (10, 7, 'crosshost/bench-openra-c1-r1', 'crosshost', 'openra',"
    " 'crosshost-c1', 'DirectGLES', 'benchmark', 1, 'measured', NULL, NULL, 1, 'x', NULL, 5);"
    "INSERT INTO cells VALUES (11, 7, 'crosshost/bench-openra-c1-r2', 'crosshost', 'openra',"
    " 'crosshost-c1', 'DirectGLES', 'benchmark', 2, 'failed', NULL, NULL, 1, 'x', NULL, 5);"
    "INSERT INTO metrics VALUES (10, 'mean_ms', 30.5);"
    "INSERT INTO facts VALUES (10, 'workload', 1, 'openra');";

/* Nobody named its link and nobody kept what it was; the number of its tail frames is no other. */
static void test_a_file_from_before_links(void **state)
{
    const struct mgc_history_filter all = {0};
    struct mgc_history_run run;
    struct mgc_history_cells cells;
    struct mgc_error err = {0};
    history_do(path, version_1);
    history_do(path, version_2);
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, &err);
    if (!history || !mgc_history_find(history, "the-old-one", &run, &err) ||
        !mgc_history_cells(history, &run, &all, &cells, &err))
        fail_msg("%s", err.text);
    assert_int_equal(cells.count, 3);
    const struct mgc_history_cell *phone = &cells.items[0], *crossing = &cells.items[1];
    assert_int_equal(phone->facts.facts[MGC_FACT_LINK].state, MGC_FACT_NOT_APPLICABLE);
    assert_string_equal(crossing->texts[MGC_FACT_LINK], "not named");
    assert_false(mgc_link_look_is_known(&crossing->link));
    assert_true(phone->value == 12.5 && isnan(crossing->value));
    assert_int_equal(cells.items[2].facts.facts[MGC_FACT_LINK].state, MGC_FACT_ABSENT);
    mgc_history_cells_destroy(&cells);
    mgc_history_run_destroy(&run);
    mgc_history_close(history);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM links"), 0);
    assert_int_equal(history_ask(path, "PRAGMA user_version"), 3);
}

/* As a file that was made anew: the steps lead to the same tables. */
static void test_old_and_new_files_are_alike(void **state)
{
    static const char tables[] = "SELECT count(*) FROM sqlite_schema WHERE name IN ('devices', "
                                 "'runs', 'cells', 'metrics', 'facts', 'run_facts', 'links')";
    mgc_history_close(mgc_history_open(path, MGC_HISTORY_WRITE, NULL));
    long long all = history_ask(path, "SELECT count(*) FROM sqlite_schema");
    assert_int_equal(history_ask(path, tables), 7);
    assert_true(mgc_file_remove(path, NULL));
    history_do(path, version_1);
    mgc_history_close(mgc_history_open(path, MGC_HISTORY_WRITE, NULL));
    assert_int_equal(history_ask(path, "SELECT count(*) FROM sqlite_schema"), all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_older_file_keeps_its_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_file_from_before_links, setup, teardown),
        cmocka_unit_test_setup_teardown(test_old_and_new_files_are_alike, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reading_makes_no_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_new_file_says_what_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_newer_file_is_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_another_programs_database_is_left_alone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
