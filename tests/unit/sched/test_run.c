/* From the first cell to the last: order of the steps, losses, results. */
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
        cmocka_unit_test(failed_step_still_collects_and_the_plan_goes_on),
        cmocka_unit_test(a_finish_or_cancel_that_is_not_sent_fails_its_step_at_once),
        cmocka_unit_test(lost_worker_is_retried_after_a_new_setup),
        cmocka_unit_test(a_resumed_run_goes_on_with_numbers_and_budget),
        cmocka_unit_test(silent_task_ends_by_its_deadline_and_then_by_the_stop_deadline),
        cmocka_unit_test(results_count_only_from_the_worker_that_has_the_task),
        cmocka_unit_test(unverified_artifact_fails_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
