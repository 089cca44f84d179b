#include "common/plat/stop.h"

#include <signal.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

#include "tests/lib/check.h"

static void test_raise_stays_raised(void **state)
{
    struct mgc_stop stop;
    assert_true(mgc_stop_init(&stop, NULL));
    assert_false(mgc_stop_raised(&stop));
    for (int i = 0; i < 100000; i++) /* past the pipe's capacity: must not block */
        mgc_stop_raise(&stop);
    assert_true(mgc_stop_raised(&stop));
    assert_true(mgc_stop_raised(&stop));
    mgc_stop_destroy(&stop);
    mgc_stop_destroy(&stop);
    mgc_stop_destroy(NULL);
    struct mgc_stop never = MGC_STOP_INIT;
    mgc_stop_destroy(&never);
}

static void test_lower_takes_it_back(void **state)
{
    struct mgc_stop stop;
    assert_true(mgc_stop_init(&stop, NULL));
    for (int i = 0; i < 100; i++) {
        mgc_stop_raise(&stop);
        mgc_stop_raise(&stop);
        assert_true(mgc_stop_raised(&stop));
        mgc_stop_lower(&stop);
        assert_false(mgc_stop_raised(&stop));
    }
    mgc_stop_destroy(&stop);
}

#ifdef _WIN32
static void test_signals(void **state)
{
    print_message("wine has no console events for a test to send; see docs/windows.md\n");
    skip();
}
#else
/* In a child of its own, as the handlers stay for the life of a process. Exit 0: as expected. */
static int child(int first, int second, long pause_ms)
{
    const struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000};
    struct mgc_stop *stop = mgc_stop_on_signals(NULL);
    if (!stop || mgc_stop_raised(stop))
        return 1;
    raise(SIGPIPE); /* ignored */
    raise(first);
    if (!mgc_stop_raised(stop))
        return 2;
    nanosleep(&pause, NULL);
    if (second)
        raise(second);
    return 0;
}

static int run_child(int first, int second, long pause_ms)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(first, SIG_DFL); /* under nohup a hangup is ignored from the start */
        _exit(child(first, second, pause_ms));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_signals(void **state)
{
    static const struct {
        int first, second, want;
        long pause_ms;
    } rows[] = {
        {SIGINT, 0, 0, 0},
        {SIGTERM, 0, 0, 0},
        {SIGHUP, 0, 0, 0},
        {SIGXCPU, 0, 0, 0},
        {SIGTERM, SIGTERM, 0, 0},
        {SIGTERM, SIGINT, 0, 0},
        {SIGINT, SIGINT, 0, 0}, /* one press that came twice */
        {SIGINT, SIGINT, 128 + SIGINT, 400},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int got = run_child(rows[i].first, rows[i].second, rows[i].pause_ms);
        if (got != rows[i].want)
            fail_msg("signals %d, %d: got %d, want %d", rows[i].first, rows[i].second, got,
                rows[i].want);
    }
}

static void test_hangup_stays_ignored_under_nohup(void **state)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGHUP, SIG_IGN);
        _exit(child(SIGHUP, 0, 0)); /* 2: not raised */
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raise_stays_raised),
        cmocka_unit_test(test_lower_takes_it_back),
        cmocka_unit_test(test_signals),
#ifndef _WIN32
        cmocka_unit_test(test_hangup_stays_ignored_under_nohup),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
