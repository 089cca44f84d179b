/* A worker process that is killed: what its next start undoes, tells and gives free. */
#include "tests/lib/check.h"

#include "tests/unit/task/worker_case.h"

static void kill_9_while_holding_is_undone_at_the_next_start(void **state)
{
    (void)state;
    start_file(1, 5);
    start_file(2, 5);
    BENCH_UNTIL(&bench, bench_result(&bench, 1) && bench_result(&bench, 2));
    bench_ref(&bench, MGC_MSG_RESULT_ACK, 2);
    start_mark(3); /* in order: the acknowledgement was taken before */
    kill_worker(SIGKILL);
    assert_int_equal(bench_worker_end(&bench), -SIGKILL);
    assert_true(mgc_file_exists(tmpdir_file("mark")));

    bench.result_count = 0;
    restart();
    assert_false(mgc_file_exists(tmpdir_file("mark"))); /* before it said hello */
    BENCH_UNTIL(&bench, bench_result(&bench, 1) && bench_result(&bench, 3));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_OK);
    assert_int_equal(bench_result(&bench, 3)->code, MGC_E_LOST);
    assert_int_equal(bench_result(&bench, 3)->undo_done, 1);
    assert_null(bench_result(&bench, 2));

    bench_ref(&bench, MGC_MSG_RESULT_ACK, 1);
    bench_ref(&bench, MGC_MSG_RESULT_ACK, 3);
    start_file(4, 5);
    BENCH_UNTIL(&bench, bench_result(&bench, 4));
    assert_false(mgc_file_exists(tmpdir_file("state/results/0000000000000001")));
}

/* Nobody can work with this state, yet what was changed is put back. */
static void broken(const char *file)
{
    start_mark(3);
    kill_worker(SIGKILL);
    assert_int_equal(bench_worker_end(&bench), -SIGKILL);
    assert_true(mgc_file_exists(tmpdir_file("mark")));
    assert_true(mgc_file_write(tmpdir_file(file), "!\n", 2, 0600, NULL));
    bench_start_worker(&bench);
    assert_int_equal(bench_worker_end(&bench), 2); /* not 3: a restart would not help */
    assert_false(mgc_file_exists(tmpdir_file("mark")));
}

static void a_damaged_epoch_does_not_keep_from_undoing(void **state)
{
    (void)state;
    broken("state/leases/epoch");
}

static void a_damaged_enrolment_does_not_keep_from_undoing(void **state)
{
    (void)state;
    broken("toy.enrol");
}

static void own_thing(uint64_t task_id)
{
    struct mgc_fields params = {0};
    mgc_fields_set_str(&params, "mark", tmpdir_file("mark"));
    mgc_fields_set_str(&params, "thing", "T");
    bench_task(&bench, task_id, "toy.own", &params);
    mgc_fields_destroy(&params);
}

static void a_thing_has_one_user_and_a_stale_task_none(void **state)
{
    (void)state;
    own_thing(1);
    BENCH_UNTIL(&bench, bench.ready);
    own_thing(2);
    BENCH_UNTIL(&bench, bench_result(&bench, 2));
    assert_int_equal(bench_result(&bench, 2)->code, MGC_E_BUSY);
    assert_non_null(strstr(bench_result(&bench, 2)->text,
        "thing:T is held by 'a label (toy.own)' of run 'run-1' since "));
    int64_t epoch = bench.lease_epoch++;
    own_thing(3);
    BENCH_UNTIL(&bench, bench_result(&bench, 3));
    bench.lease_epoch = epoch;
    assert_int_equal(bench_result(&bench, 3)->code, MGC_E_STALE);
    bench_ref(&bench, MGC_MSG_FINISH, 1);
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_OK);
    bench.ready = false;
    own_thing(4); /* free again */
    BENCH_UNTIL(&bench, bench.ready);
    kill_worker(SIGKILL); /* and after a crash too */
    bench_worker_end(&bench);
    restart();
    own_thing(5);
    BENCH_UNTIL(&bench, bench.ready);
}

static void a_thing_stays_leased_until_all_is_undone(void **state)
{
    (void)state;
    own_thing(1);
    BENCH_UNTIL(&bench, bench.ready);
    kill_worker(SIGKILL);
    bench_worker_end(&bench);
    assert_true(mgc_file_remove(tmpdir_file("mark"), NULL));
    assert_true(mgc_dir_make(tmpdir_file("mark"), 0700, NULL)); /* cannot be undone */
    restart();
    assert_true(mgc_file_exists(tmpdir_file("state/leases/thing%3AT")));
    kill_worker(SIGTERM);
    bench_worker_end(&bench);
    assert_true(mgc_file_exists(tmpdir_file("state/leases/thing%3AT")));
    assert_true(mgc_dir_remove(tmpdir_file("mark"), NULL));
    restart();
    assert_false(mgc_file_exists(tmpdir_file("state/leases/thing%3AT")));
}

static void what_a_crash_left_is_masked_and_brought_on_demand(void **state)
{
    (void)state;
    struct mgc_fields params = {0};
    mgc_fields_set_str(&params, "mark", tmpdir_file("mark"));
    mgc_fields_set_int(&params, "size", 3);
    bench_task(&bench, 0xa, "toy.steps", &params);
    mgc_fields_destroy(&params);
    BENCH_UNTIL(&bench, bench.ready);
    kill_worker(SIGKILL);
    bench_worker_end(&bench);
    restart();
    assert_int_equal(bench.results_waiting, 1);
    BENCH_UNTIL(&bench, bench_result(&bench, 0xa));
    assert_int_equal(bench_result(&bench, 0xa)->code, MGC_E_LOST);
    assert_int_equal(bench_result(&bench, 0xa)->files_left, 1);

    struct mgc_msg msg = {.kind = MGC_MSG_TASK};
    msg.task.task_id = 0xb;
    msg.task.kind = (char *)"worker.salvage";
    msg.task.label = (char *)"";
    msg.task.deadline_ms = 60000;
    mgc_fields_set_str(&msg.task.params, "task", "000000000000000a");
    mgc_fields_set_str(&msg.task.secrets, "token", "hush-hush");
    bench_send(&bench, &msg);
    msg.task.task_id = 0xc; /* they are brought once */
    bench_send(&bench, &msg);
    mgc_fields_destroy(&msg.task.params);
    mgc_fields_destroy(&msg.task.secrets);
    BENCH_UNTIL(&bench, bench_result(&bench, 0xb) && bench_result(&bench, 0xc));
    const struct bench_result *first = bench_result(&bench, 0xb),
                              *second = bench_result(&bench, 0xc);
    if (first->code != MGC_OK) { /* two threads: either may be the first */
        first = second;
        second = bench_result(&bench, 0xb);
    }
    assert_int_equal(first->code, MGC_OK);
    assert_int_equal(first->size, 16);
    assert_int_equal(first->masked, 1);
    assert_int_equal(second->code, MGC_E_NOT_FOUND);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(kill_9_while_holding_is_undone_at_the_next_start),
        CASE(a_damaged_epoch_does_not_keep_from_undoing),
        CASE(a_damaged_enrolment_does_not_keep_from_undoing),
        CASE(a_thing_has_one_user_and_a_stale_task_none),
        CASE(a_thing_stays_leased_until_all_is_undone),
        CASE(what_a_crash_left_is_masked_and_brought_on_demand),
    };
    return case_init(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
