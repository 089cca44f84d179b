/* What ends a run before its plan does: a person, a worker that does not come. */
#include "tests/unit/sched/bench.h"

#include <string.h>

#include "tests/lib/check.h"

static void worker_that_never_comes_ends_the_run(void **state)
{
    struct bench bench;
    bench_start(&bench, 2);
    bench.online[MGC_ROLE_HOST] = true;
    mgc_run_worker_joined(bench.run, MGC_ROLE_HOST, bench.now_ns);
    bench_pass(&bench, 29 * SEC);
    assert_log(&bench, "");
    bench_pass(&bench, 1 * SEC);
    assert_log(&bench, "stopped: no worker of role 'wsl' joined within 30 s\nbegin setup a1\n"
                       "end setup a1 no worker of role 'wsl' joined within 30 s "
                       "(infrastructure)\n");
    assert_int_equal(bench.last_lost, MGC_LOST_NOBODY_CAME);
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

static void attempt_that_cannot_begin_stops_the_run_with_its_reason(void **state)
{
    struct bench bench;
    bench_start(&bench, 2);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench.disk_full = true;
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_done(&bench, "logcat");
    assert_log(
        &bench, "end cell1 a1 ok\nstopped: cell2: cannot begin: disk full\nwsl FINISH route\n");
    bench_stop(&bench);
}

/* The setup is in place then, so it is the cell's own failure. */
static void worker_that_is_gone_for_good_fails_the_next_cell(void **state)
{
    struct bench bench;
    struct mgc_error why;
    bench_start(&bench, 2);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    mgc_error_set(&why, MGC_E_LOST, "silent");
    bench.online[MGC_ROLE_HOST] = false;
    mgc_run_worker_lost(bench.run, MGC_ROLE_HOST, &why, bench.now_ns);
    mgc_buf_clear(&bench.log);
    bench_pass(&bench, 30 * SEC);
    assert_non_null(strstr(mgc_buf_text(&bench.log),
        "stopped: no worker of role 'host' joined within 30 s\nbegin cell2 a1\nend cell2 a1 no "
        "worker"));
    bench_stop(&bench);
}

static void worker_that_was_turned_away_is_named(void **state)
{
    for (int late = 0; late < 2; late++) {
        struct bench bench;
        bench_start(&bench, 1);
        bench.turned_away = "worker 'wsl1': no common protocol version";
        bench.turned_away_ns = bench.now_ns + (late ? 1 : -1); /* the wait begins at once */
        bench_pass(&bench, 30 * SEC);
        const char *log = mgc_buf_text(&bench.log);
        assert_non_null(strstr(log, "end setup a1 no worker of role 'host' joined within 30 s"));
        assert_int_equal(strstr(log, "; turned away meanwhile: worker 'wsl1': no common protocol "
                                     "version (infrastructure)\n") != NULL,
            late);
        bench_stop(&bench);
    }
}

static void interrupt_undoes_and_skips_the_rest(void **state)
{
    struct bench bench;
    bench_start(&bench, 2);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    mgc_run_interrupt(bench.run, bench.now_ns);
    assert_log(&bench, "wsl CANCEL replay\n");
    bench_fail(&bench, "replay", MGC_E_CANCELLED, "cancelled");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    bench_done(&bench, "route");
    assert_log(&bench, "host FINISH server\nhost FINISH logcat\n"
                       "end cell1 a1 the user stopped the run (interrupted)\nwsl FINISH route\n"
                       "holder route done\n");
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

/* The server waits for a line that does not come; the person waits, too. */
static void what_does_not_finish_after_an_interrupt_is_cancelled(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    mgc_run_interrupt(bench.run, bench.now_ns);
    bench_fail(&bench, "replay", MGC_E_CANCELLED, "cancelled");
    assert_log(&bench, "wsl CANCEL replay\nhost FINISH server\n");
    bench_pass(&bench, 4 * SEC);
    assert_log(&bench, "host CANCEL server\n");
    bench_fail(&bench, "server", MGC_E_CANCELLED, "cancelled");
    assert_log(&bench, "host FINISH logcat\n");
    bench_pass(&bench, 4 * SEC);
    assert_log(&bench, "host CANCEL logcat\n");
    bench_fail(&bench, "logcat", MGC_E_CANCELLED, "cancelled");
    bench_done(&bench, "route");
    assert_log(&bench, "end cell1 a1 the user stopped the run (interrupted)\nwsl FINISH route\n"
                       "holder route done\n");
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

static void an_interrupt_reaches_a_step_that_is_finishing(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_done(&bench, "replay");
    assert_log(&bench, "host FINISH server\n");
    bench_pass(&bench, 30 * SEC);
    assert_log(&bench, ""); /* without an interrupt it has its time */
    mgc_run_interrupt(bench.run, bench.now_ns);
    bench_pass(&bench, 4 * SEC);
    assert_log(&bench, "host CANCEL server\n");
    bench_stop(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worker_that_never_comes_ends_the_run),
        cmocka_unit_test(attempt_that_cannot_begin_stops_the_run_with_its_reason),
        cmocka_unit_test(worker_that_is_gone_for_good_fails_the_next_cell),
        cmocka_unit_test(worker_that_was_turned_away_is_named),
        cmocka_unit_test(interrupt_undoes_and_skips_the_rest),
        cmocka_unit_test(what_does_not_finish_after_an_interrupt_is_cancelled),
        cmocka_unit_test(an_interrupt_reaches_a_step_that_is_finishing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
