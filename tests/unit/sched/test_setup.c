/* The setup cell: what it holds for the whole run, losing it, making it again. */
#include "tests/unit/sched/bench.h"

#include <string.h>

#include "tests/lib/check.h"

static void setup_in_which_nothing_holds(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench.plan.cells[0].step_count = 1; /* only the device */
    bench_join_all(&bench);
    bench_done(&bench, "device");
    assert_log(&bench, "begin setup a1\nhost TASK device\nend setup a1 ok\nbegin cell1 a1\n"
                       "host TASK logcat\n");
    bench_go(&bench);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    bench_done(&bench, "path2");
    assert_true(mgc_run_over(bench.run));
    bench.plan.cells[0].step_count = 3; /* for its end */
    bench_stop(&bench);
}

/* Its steps hold on, but what they did is gone: they finish, and all of it is made again. */
static void judge_can_have_the_setup_renewed(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench.after[1] = MGC_AFTER_RENEW_AGAIN;
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_done(&bench, "logcat");
    assert_log(&bench, "end cell1 a1 ok\nwsl FINISH route\n");
    bench_done(&bench, "route");
    assert_log(&bench, "holder route done\nbegin setup a2\nhost TASK device\nwsl TASK route\n");
    bench_settle(&bench);
    assert_log(&bench, "wsl TASK path\nend setup a2 ok\nbegin cell1 a2\nhost TASK logcat\n");
    bench_stop(&bench);
}

static void end_of_cell(struct bench *bench)
{
    bench_go(bench);
    bench_done(bench, "replay");
    bench_done(bench, "server");
    mgc_buf_clear(&bench->log);
    bench_done(bench, "logcat");
}

/* An attempt that rested on nothing from its begin is none of the cell's: it has its retry after
 * it. But only as often as the setup can be made again. */
static void attempt_on_a_setup_that_was_gone_does_not_count(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench.after[1] = MGC_AFTER_AGAIN;           /* its only retry */
    bench.after[2] = MGC_AFTER_RENEW_UNCOUNTED; /* this was it, and it does not count */
    bench_join_all(&bench);
    bench_settle(&bench);
    end_of_cell(&bench);
    assert_true(bench.last_retry_possible && bench.last_renewable);
    end_of_cell(&bench);
    assert_false(bench.last_retry_possible);
    assert_true(bench.last_renewable);
    assert_log(&bench, "end cell1 a2 ok\nwsl FINISH route\n");
    bench_done(&bench, "route");
    bench_settle(&bench);
    mgc_buf_clear(&bench.log);
    end_of_cell(&bench);
    assert_log(&bench, "end cell1 a3 ok\nbegin close a1\nwsl TASK path2\n");
    assert_false(bench.last_retry_possible || bench.last_renewable);
    bench_stop(&bench);
}

/* The retry that it had before it still is there. */
static void retry_is_left_after_an_attempt_that_does_not_count(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench.after[1] = MGC_AFTER_RENEW_UNCOUNTED; /* end 2 is the new setup's */
    bench.after[3] = MGC_AFTER_AGAIN;
    bench_join_all(&bench);
    bench_settle(&bench);
    end_of_cell(&bench);
    bench_done(&bench, "route");
    bench_settle(&bench);
    end_of_cell(&bench);
    assert_true(bench.last_retry_possible);
    assert_log(&bench, "end cell1 a2 ok\nbegin cell1 a3\nhost TASK logcat\n");
    bench_stop(&bench);
}

static void setup_is_renewed_within_its_retries_only(void **state)
{
    struct bench bench;
    bench_start(&bench, 2);
    bench.plan.retries_per_cell = 0;
    bench_restart(&bench);
    bench.after[1] = MGC_AFTER_RENEW_NEXT;
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_done(&bench, "logcat");
    assert_log(&bench, "end cell1 a1 ok\nstopped: setup would have to be made again, and its "
                       "retries are used up\nwsl FINISH route\n");
    bench_done(&bench, "route");
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

/* A cell that ran its course between two losses shows that the bench was well: they are two. */
static void setup_has_its_retries_anew_after_a_good_cell(void **state)
{
    struct bench bench;
    bench_start(&bench, 3);
    bench.after[1] = bench.after[4] = MGC_AFTER_RENEW_NEXT; /* 0 and 2 are of the setup */
    bench_join_all(&bench);
    bench_settle(&bench);
    for (int cell = 1; cell <= 3; cell++) {
        end_of_cell(&bench);
        if (cell == 2)
            continue;
        assert_null(strstr(mgc_buf_text(&bench.log), "stopped"));
        bench_done(&bench, "route");
        bench_settle(&bench);
    }
    assert_false(mgc_run_over(bench.run));
    bench_stop(&bench);
}

static void setup_that_is_lost_without_a_retry_left_stops_the_run(void **state)
{
    struct bench bench;
    bench_start(&bench, 2);
    bench.plan.retries_per_cell = 0;
    bench_restart(&bench);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_fail(&bench, "route", MGC_E_FAILED, "somebody changed the route");
    bench_fail(&bench, "replay", MGC_E_CANCELLED, "cancelled");
    bench_done(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_done(&bench, "logcat");
    assert_non_null(strstr(mgc_buf_text(&bench.log),
        "holder route failed\nstopped: step 'route' (wsl.route): somebody changed the route\n"));
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

static void holder_that_ends_early_stops_the_cell(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_fail(&bench, "route", MGC_E_FAILED, "somebody changed the route");
    assert_log(&bench, "wsl CANCEL replay\n");
    bench_fail(&bench, "replay", MGC_E_CANCELLED, "cancelled");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    const char *log = mgc_buf_text(&bench.log);
    assert_non_null(strstr(log, "end cell1 a1 setup no longer holds: step 'route' (wsl.route): "
                                "somebody changed the route (infrastructure)\n"));
    assert_int_equal(bench.last_lost, MGC_LOST_SETUP);
    bench_stop(&bench);
}

static void interrupt_during_setup_ends_the_run(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_ready(&bench, "route");
    mgc_buf_clear(&bench.log);
    mgc_run_interrupt(bench.run, bench.now_ns);
    assert_log(&bench, "host CANCEL device\nwsl CANCEL path\n");
    bench_fail(&bench, "path", MGC_E_CANCELLED, "cancelled");
    bench_fail(&bench, "device", MGC_E_CANCELLED, "cancelled");
    bench_done(&bench, "route");
    assert_log(&bench, "wsl FINISH route\nend setup a1 the user stopped the run (interrupted)\n");
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

static void verdict_on_setup_can_stop_before_anything_is_measured(void **state)
{
    struct bench bench;
    bench_start(&bench, 2);
    bench.after[0] = MGC_AFTER_STOP;
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_done(&bench, "route");
    const char *log = mgc_buf_text(&bench.log);
    assert_null(strstr(log, "begin cell"));
    assert_non_null(strstr(log, "wsl FINISH route\nholder route done\n"));
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

static void failed_setup_ends_the_run(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_fail(&bench, "route", MGC_E_DENIED, "no permission");
    bench_fail(&bench, "device", MGC_E_CANCELLED, "cancelled");
    const char *log = mgc_buf_text(&bench.log);
    assert_non_null(strstr(log, "end setup a1 step 'route' (wsl.route): no permission\n"));
    assert_null(strstr(log, "begin cell"));
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

/* It would hold for the whole run; to become ready it has its own time. */
static void a_holder_that_is_never_ready_ends_by_its_own_time(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench.plan.cells[0].steps[1].ready_ms = 10 * 1000;
    bench.plan.cells[0].steps[1].deadline_ms = 3600 * 1000;
    bench_join_all(&bench);
    bench_done(&bench, "device");
    bench_pass(&bench, 20 * SEC);
    mgc_buf_clear(&bench.log);
    bench_pass(&bench, 6 * SEC);
    const char *log = mgc_buf_text(&bench.log);
    assert_non_null(strstr(log, "wsl CANCEL route\n"));
    assert_non_null(strstr(log, "no 'ready' from the worker by the deadline"));
    bench_stop(&bench);
}

static void a_holder_that_is_ready_has_the_whole_time(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench.plan.cells[0].steps[1].ready_ms = 10 * 1000;
    bench.plan.cells[0].steps[1].deadline_ms = 3600 * 1000;
    bench_join_all(&bench);
    bench_done(&bench, "device");
    bench_ready(&bench, "route");
    bench_pass(&bench, 60 * SEC);
    assert_null(strstr(mgc_buf_text(&bench.log), "CANCEL route"));
    bench_stop(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup_in_which_nothing_holds),
        cmocka_unit_test(judge_can_have_the_setup_renewed),
        cmocka_unit_test(attempt_on_a_setup_that_was_gone_does_not_count),
        cmocka_unit_test(retry_is_left_after_an_attempt_that_does_not_count),
        cmocka_unit_test(setup_is_renewed_within_its_retries_only),
        cmocka_unit_test(setup_has_its_retries_anew_after_a_good_cell),
        cmocka_unit_test(setup_that_is_lost_without_a_retry_left_stops_the_run),
        cmocka_unit_test(holder_that_ends_early_stops_the_cell),
        cmocka_unit_test(interrupt_during_setup_ends_the_run),
        cmocka_unit_test(verdict_on_setup_can_stop_before_anything_is_measured),
        cmocka_unit_test(failed_setup_ends_the_run),
        cmocka_unit_test(a_holder_that_is_never_ready_ends_by_its_own_time),
        cmocka_unit_test(a_holder_that_is_ready_has_the_whole_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
