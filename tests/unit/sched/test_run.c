#include "tests/unit/sched/bench.h"

#include <string.h>

#include "tests/lib/check.h"

static void one_cell_runs_from_setup_to_close(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    assert_log(&bench, "");
    bench_join_all(&bench);
    assert_log(&bench, "begin setup a1\nhost TASK device\nwsl TASK route\n");
    bench_done(&bench, "device");
    bench_ready(&bench, "route");
    assert_log(&bench, "wsl TASK path\n");
    bench_done(&bench, "path");
    assert_log(&bench, "end setup a1 ok\nbegin cell1 a1\nhost TASK logcat\n");
    bench_ready(&bench, "logcat");
    bench_ready(&bench, "server");
    assert_log(&bench, "host TASK server\nwsl TASK replay\n");
    bench_arrive(&bench, "server");
    assert_log(&bench, "");
    bench_arrive(&bench, "replay");
    assert_log(&bench, "host RELEASE server ok\nwsl RELEASE replay ok\n");
    bench_done(&bench, "replay");
    assert_log(&bench, "host FINISH server\n");
    bench_done(&bench, "server");
    assert_log(&bench, "host FINISH logcat\n");
    bench_done(&bench, "logcat");
    assert_log(&bench, "end cell1 a1 ok\nbegin close a1\nwsl TASK path2\n");
    bench_done(&bench, "path2");
    assert_log(&bench, "end close a1 ok\nwsl FINISH route\n");
    assert_false(mgc_run_over(bench.run));
    bench_done(&bench, "route");
    assert_log(&bench, "holder route done\n");
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

static void release_is_one_instant_in_each_clock(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    /* lead 100 ms from the plan is more than 4 round trips of 4 ms */
    assert_int_equal(bench.last_instant_ns[MGC_ROLE_HOST], bench.now_ns + 100 * MS + 5 * SEC);
    assert_int_equal(bench.last_instant_ns[MGC_ROLE_WSL], bench.now_ns + 100 * MS - 7 * SEC);
    bench_released(&bench, "server", 1 * MS);
    bench_released(&bench, "replay", 3 * MS);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    assert_true(bench.last_release.released);
    assert_int_equal(bench.last_release.members, 2);
    assert_int_equal(bench.last_release.reported, 2);
    assert_int_equal(bench.last_release.skew_ns, 2 * MS);
    assert_int_equal(bench.last_release.uncertainty_ns, 2 * MS);
    bench_stop(&bench);
}

static void impossible_instants_are_no_report(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    /* Its clock is 7 s behind ours, so in ours this is past 64 bits. */
    bench_released(&bench, "replay", INT64_MAX - bench.last_instant_ns[MGC_ROLE_WSL]);
    /* An instant that there is, but no skew between it and a good one. */
    bench_released(&bench, "server", INT64_MIN);
    bench_released(&bench, "replay", 0);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    assert_true(bench.last_release.released);
    assert_int_equal(bench.last_release.reported, 1);
    assert_int_equal(bench.last_release.skew_ns, 0);
    bench_stop(&bench);
}

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

static void unknown_clock_delays_the_release(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench.offset_known = false;
    bench_go(&bench);
    assert_log(&bench, "");
    bench_pass(&bench, 1 * SEC);
    assert_log(&bench, "");
    bench.offset_known = true;
    bench_pass(&bench, 1 * SEC);
    assert_log(&bench, "host RELEASE server ok\nwsl RELEASE replay ok\n");
    bench_stop(&bench);
}

static void clock_that_stays_unknown_fails_the_barrier(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench.offset_known = false;
    bench_go(&bench);
    bench_pass(&bench, 21 * SEC);
    const char *log = mgc_buf_text(&bench.log);
    assert_non_null(
        strstr(log, "RELEASE server barrier 'start': a member's clock is still unknown"));
    assert_non_null(strstr(log, "wsl CANCEL replay"));
    bench_stop(&bench);
}

static void failed_step_still_collects_and_the_plan_goes_on(void **state)
{
    struct bench bench;
    bench_start(&bench, 2);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_fail(&bench, "replay", MGC_E_FAILED, "client crashed");
    assert_log(&bench, "host FINISH server\n");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    assert_log(&bench, "host FINISH logcat\n"
                       "end cell1 a1 step 'replay' (wsl.replay): client crashed\n"
                       "begin cell2 a1\nhost TASK logcat\n");
    bench_stop(&bench);
}

static void failing_member_releases_the_waiting_by_name(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_ready(&bench, "logcat");
    bench_ready(&bench, "server");
    bench_arrive(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_fail(&bench, "replay", MGC_E_NOT_FOUND, "trace is missing");
    assert_log(&bench,
        "host RELEASE server barrier 'start': step 'replay' failed: trace is missing\n"
        "host FINISH server\n");
    bench_stop(&bench);
}

/* Nobody waits for the deadline of a step whose worker could not be told. */
static void a_release_that_is_not_sent_fails_the_barrier_at_once(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_ready(&bench, "logcat");
    bench_ready(&bench, "server");
    bench_arrive(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench.unsent = MGC_MSG_RELEASE;
    bench.unsent_role = MGC_ROLE_HOST;
    bench_arrive(&bench, "replay");
    assert_log(&bench,
        "wsl RELEASE replay worker of role 'host' has no session: the release of its barrier was "
        "not sent\n"
        "host FINISH logcat\n"
        "wsl CANCEL replay\n");
    bench_fail(&bench, "replay", MGC_E_CANCELLED, "cancelled");
    bench_done(&bench, "logcat");
    assert_non_null(strstr(mgc_buf_text(&bench.log),
        "end cell1 a1 step 'server' (host.server): worker of role 'host' has no session: the "
        "release of its barrier was not sent (infrastructure)\n"));
    assert_false(bench.last_release.released);
    bench_stop(&bench);
}

static void a_finish_or_cancel_that_is_not_sent_fails_its_step_at_once(void **state)
{
    static const enum mgc_msg_kind kinds[] = {MGC_MSG_FINISH, MGC_MSG_CANCEL};
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        bench_start(&bench, 1);
        bench_join_all(&bench);
        bench_settle(&bench);
        bench_go(&bench);
        bench.unsent = kinds[i];
        bench.unsent_role = i == 0 ? MGC_ROLE_HOST : MGC_ROLE_WSL;
        if (i == 0) {
            bench_done(&bench, "replay"); /* finish server, then logcat */
            assert_non_null(strstr(mgc_buf_text(&bench.log), "end cell1 a1 step 'server'"));
        } else {
            bench_fail(&bench, "server", MGC_E_FAILED, "ended"); /* cancels replay */
            bench_done(&bench, "logcat");
            assert_non_null(strstr(mgc_buf_text(&bench.log), "end cell1 a1 step 'server'"));
        }
        bench_stop(&bench);
    }
}

static void barrier_names_the_missing_at_half_time_and_at_the_end(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_ready(&bench, "logcat");
    bench_ready(&bench, "server");
    bench_arrive(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_pass(&bench, 10 * SEC);
    assert_log(&bench, "progress cell1 barrier 'start': half of the time is gone, still missing: "
                       "replay\n");
    bench_pass(&bench, 9 * SEC);
    assert_log(&bench, "");
    bench_pass(&bench, 1 * SEC);
    assert_log(&bench, "host RELEASE server barrier 'start': replay did not arrive within 20 s\n"
                       "wsl CANCEL replay\n");
    bench_stop(&bench);
}

static void lost_worker_is_retried_after_a_new_setup(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench.after[1] = MGC_AFTER_AGAIN; /* setup is end 0, the broken cell end 1 */
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    struct mgc_error why;
    mgc_error_set(&why, MGC_E_LOST, "silent for 10 s");
    bench.online[MGC_ROLE_WSL] = false;
    mgc_run_worker_lost(bench.run, MGC_ROLE_WSL, &why, bench.now_ns);
    assert_log(&bench, "host FINISH server\n");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    assert_log(&bench, "host FINISH logcat\n"
                       "end cell1 a1 step 'replay' (wsl.replay): worker lost: silent for 10 s "
                       "(infrastructure)\n"
                       "holder route failed\n");
    assert_int_equal(bench.last_lost, MGC_LOST_WORKER);
    bench.online[MGC_ROLE_WSL] = true;
    mgc_run_worker_joined(bench.run, MGC_ROLE_WSL, bench.now_ns);
    assert_log(&bench, "begin setup a2\nhost TASK device\nwsl TASK route\n");
    bench_settle(&bench);
    assert_log(&bench, "wsl TASK path\nend setup a2 ok\nbegin cell1 a2\nhost TASK logcat\n");
    bench_go(&bench);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    bench_done(&bench, "path2");
    mgc_buf_clear(&bench.log);
    bench_done(&bench, "route");
    assert_log(&bench, "holder route done\n"); /* the end, not a stop */
    assert_true(mgc_run_over(bench.run));
    bench_stop(&bench);
}

/* Of a run that is resumed: numbers go on, and only what was spent counts against the budget. */
static void a_resumed_run_goes_on_with_numbers_and_budget(void **state)
{
    for (int spent = 0; spent < 2; spent++) {
        struct bench bench;
        bench_start(&bench, 1);
        bench.earlier = (struct mgc_earlier){.attempts = 2, .spent = spent};
        bench_join_all(&bench);
        assert_log(&bench, "begin setup a3\nhost TASK device\nwsl TASK route\n");
        bench_settle(&bench);
        assert_log(&bench, "wsl TASK path\nend setup a3 ok\nbegin cell1 a3\nhost TASK logcat\n");
        bench.after[1] = spent == 0 ? MGC_AFTER_AGAIN : MGC_AFTER_NEXT;
        bench_fail(&bench, "logcat", MGC_E_BUSY, "held");
        assert_int_equal(bench.last_retry_possible, spent == 0);
        assert_log(&bench, spent == 0 ? "end cell1 a3 step 'logcat' (host.logcat): held "
                                        "(infrastructure)\nbegin cell1 a4\nhost TASK logcat\n"
                                      : "end cell1 a3 step 'logcat' (host.logcat): held "
                                        "(infrastructure)\nbegin close a3\nwsl TASK path2\n");
        bench_stop(&bench);
    }
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

static void silent_task_ends_by_its_deadline_and_then_by_the_stop_deadline(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    bench_pass(&bench, 76 * SEC); /* deadline 60 s and margin 15 s */
    const char *log = mgc_buf_text(&bench.log);
    assert_non_null(strstr(log, "wsl CANCEL replay\n"));
    assert_non_null(strstr(log, "host FINISH server\n"));
    bench_pass(&bench, 600 * SEC); /* the others never answer either */
    log = mgc_buf_text(&bench.log);
    assert_non_null(strstr(log, "end cell1 a1 "));
    assert_null(strstr(log, "end cell1 a1 ok"));
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

static void results_count_only_from_the_worker_that_has_the_task(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    struct mgc_msg_result forged = {.code = MGC_OK, .text = (char *)""};
    forged.task_id = bench.tasks[bench.task_count - 1].task_id; /* replay, a WSL task */
    mgc_run_result(bench.run, MGC_ROLE_HOST, &forged, NULL, bench.now_ns);
    assert_log(&bench, "");
    bench_stop(&bench);
}

static void unverified_artifact_fails_the_step(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    struct mgc_msg_result result = {.code = MGC_OK, .text = (char *)""};
    result.task_id = bench.tasks[bench.task_count - 1].task_id;
    struct mgc_error storage;
    mgc_error_set(&storage, MGC_E_INTEGRITY, "artifact 'result.json': hash differs");
    mgc_run_result(bench.run, MGC_ROLE_WSL, &result, &storage, bench.now_ns);
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    const char *log = mgc_buf_text(&bench.log);
    assert_non_null(strstr(log, "end cell1 a1 step 'replay' (wsl.replay): artifact 'result.json': "
                                "hash differs\n"));
    bench_stop(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cell_runs_from_setup_to_close),
        cmocka_unit_test(release_is_one_instant_in_each_clock),
        cmocka_unit_test(impossible_instants_are_no_report),
        cmocka_unit_test(setup_in_which_nothing_holds),
        cmocka_unit_test(unknown_clock_delays_the_release),
        cmocka_unit_test(clock_that_stays_unknown_fails_the_barrier),
        cmocka_unit_test(failed_step_still_collects_and_the_plan_goes_on),
        cmocka_unit_test(failing_member_releases_the_waiting_by_name),
        cmocka_unit_test(a_release_that_is_not_sent_fails_the_barrier_at_once),
        cmocka_unit_test(a_finish_or_cancel_that_is_not_sent_fails_its_step_at_once),
        cmocka_unit_test(barrier_names_the_missing_at_half_time_and_at_the_end),
        cmocka_unit_test(lost_worker_is_retried_after_a_new_setup),
        cmocka_unit_test(a_resumed_run_goes_on_with_numbers_and_budget),
        cmocka_unit_test(judge_can_have_the_setup_renewed),
        cmocka_unit_test(setup_is_renewed_within_its_retries_only),
        cmocka_unit_test(setup_that_is_lost_without_a_retry_left_stops_the_run),
        cmocka_unit_test(holder_that_ends_early_stops_the_cell),
        cmocka_unit_test(worker_that_never_comes_ends_the_run),
        cmocka_unit_test(attempt_that_cannot_begin_stops_the_run_with_its_reason),
        cmocka_unit_test(worker_that_is_gone_for_good_fails_the_next_cell),
        cmocka_unit_test(worker_that_was_turned_away_is_named),
        cmocka_unit_test(interrupt_undoes_and_skips_the_rest),
        cmocka_unit_test(what_does_not_finish_after_an_interrupt_is_cancelled),
        cmocka_unit_test(an_interrupt_reaches_a_step_that_is_finishing),
        cmocka_unit_test(interrupt_during_setup_ends_the_run),
        cmocka_unit_test(verdict_on_setup_can_stop_before_anything_is_measured),
        cmocka_unit_test(failed_setup_ends_the_run),
        cmocka_unit_test(silent_task_ends_by_its_deadline_and_then_by_the_stop_deadline),
        cmocka_unit_test(a_holder_that_is_never_ready_ends_by_its_own_time),
        cmocka_unit_test(a_holder_that_is_ready_has_the_whole_time),
        cmocka_unit_test(results_count_only_from_the_worker_that_has_the_task),
        cmocka_unit_test(unverified_artifact_fails_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
