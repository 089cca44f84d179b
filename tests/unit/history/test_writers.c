/* Several processes on one file, and one that is killed while it writes. */
#include "coordinator/history/history.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

enum { WRITERS = 6, RUNS_EACH = 5, LONG_ROUNDS = 1500, KILLS = 5 };

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

/* In a child: no asserts, which would go on with the parent's tests. */
static bool keep(int n, int rounds)
{
    struct history_fixture f;
    struct mgc_error err = {0};
    char note[MGC_ERROR_TEXT_MAX];
    history_fixture_make_long(&f, n, 10, rounds);
    bool ok = mgc_history_keep(dir, &f.results, "/r", note, &err);
    if (!ok || note[0])
        fprintf(stderr, "run %d: %s%s\n", n, err.text, note);
    history_fixture_destroy(&f);
    return ok && !note[0];
}

/* Run 0 is everybody's; the file does not exist before. */
static void writer(int which)
{
    bool ok = true;
    for (int i = 0; ok && i < RUNS_EACH; i++)
        ok = keep(i == 0 ? 0 : which * RUNS_EACH + i, 3);
    _exit(ok ? 0 : 1);
}

static void test_many_coordinators_at_once(void **state)
{
    pid_t pids[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            writer(i);
        assert_true(pids[i] > 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs"), WRITERS * (RUNS_EACH - 1) + 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM (SELECT run FROM cells GROUP BY run "
                                       "HAVING count(*) = 7)"),
        WRITERS * (RUNS_EACH - 1) + 1);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM devices"), 1);
}

/* The system ends who writes more to a file than it may, in the middle of the write, as kill -9
 * would; here it can be said where. */
static void killed_after(int n, uint64_t bytes)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit none = {0, 0}, limit = {bytes, bytes};
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_DFL);
        _exit(keep(n, LONG_ROUNDS) ? 0 : 1);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
}

static void expect_whole(int runs)
{
    struct mgc_error err = {0};
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, &err);
    if (!history)
        fail_msg("%s", err.text);
    mgc_history_close(history);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM runs"), runs);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM cells"), 7 * runs);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM pragma_integrity_check WHERE "
                                       "integrity_check = 'ok'"),
        1);
}

static void test_killed_while_it_writes(void **state)
{
    uint64_t size;
    assert_true(keep(0, 3));
    assert_true(mgc_file_size(path, &size, NULL));
    for (int i = 1; i <= KILLS; i++) {
        killed_after(i, size + (uint64_t)i * 200000);
        expect_whole(1);
    }
    assert_true(keep(1, 3)); /* and it goes on from there */
    expect_whole(2);
}

/* As before, but the write fails: an error, and the history as it was. */
static void test_a_write_that_fails(void **state)
{
    struct history_fixture f;
    struct mgc_error err = {0};
    struct rlimit before, limit;
    char note[MGC_ERROR_TEXT_MAX];
    assert_true(keep(0, 3));
    history_fixture_make_long(&f, 1, 10, LONG_ROUNDS);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){400000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool ok = mgc_history_keep(dir, &f.results, "/r", note, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(ok);
    assert_non_null(strstr(err.text, path));
    assert_string_equal(note, "");
    history_fixture_destroy(&f);
    expect_whole(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_many_coordinators_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_killed_while_it_writes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_write_that_fails, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
