/* A whole worker process over the real bus: its tasks, what it refuses, how it is stopped. */
#include "tests/lib/check.h"

#include "tests/unit/task/worker_case.h"

static void assert_dir_has_no(const char *prefix)
{
    struct mgc_dir_names names;
    assert_true(mgc_dir_list(tmpdir_path, &names, NULL));
    for (size_t i = 0; i < names.count; i++) {
        if (strncmp(names.names[i], prefix, strlen(prefix)) == 0)
            fail_msg("'%s' is left", names.names[i]);
    }
    mgc_dir_names_destroy(&names);
}

static void a_result_and_its_file_arrive(void **state)
{
    (void)state;
    enum { SIZE = 700000 };
    start_file(1, SIZE);
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    const struct bench_result *result = bench_result(&bench, 1);
    assert_int_equal(result->code, MGC_OK);
    assert_string_equal(result->run_id, "run-1");
    assert_int_equal(result->size, SIZE);
    take_file(SIZE, SIZE);
    assert_artifact_is(result->sha256);
}

static void what_it_cannot_do_is_refused_at_once(void **state)
{
    (void)state;
    bench_task(&bench, 1, "toy.unknown", NULL);
    bench_task(&bench, 0, "toy.file", NULL); /* 0 stands for "none" and "all" elsewhere */
    bench_task(&bench, 2, "toy.file", NULL);
    BENCH_UNTIL(&bench, bench_result(&bench, 2));
    assert_non_null(bench_result(&bench, 0));
    assert_int_equal(bench_result(&bench, 0)->code, MGC_E_PROTOCOL);
    assert_int_equal(bench_result(&bench, 1)->code, MGC_E_UNSUPPORTED);
    assert_string_equal(
        bench_result(&bench, 1)->text, "this worker (toy-worker) has no task kind \"toy.unknown\"");
    assert_int_equal(bench_result(&bench, 2)->code, MGC_E_CONFIG);
    assert_non_null(strstr(bench_result(&bench, 2)->text, "\"size\" is missing"));
}

static void a_task_that_comes_twice_runs_once(void **state)
{
    (void)state;
    start_mark(1);
    start_file(1, 5);
    bench_ref(&bench, MGC_MSG_CANCEL, 99); /* unknown: ignored */
    bench_ref(&bench, MGC_MSG_FINISH, 1);
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_OK);
    assert_int_equal(bench_result(&bench, 1)->undo_done, 1);
    assert_int_equal(bench_result(&bench, 1)->size, 0);
    assert_false(mgc_file_exists(tmpdir_file("mark")));
    start_file(1, 5);
    start_file(2, 5);
    BENCH_UNTIL(&bench, bench_result(&bench, 2));
    assert_int_equal(bench.result_count, 2);
}

static void a_cancelled_hold_is_undone(void **state)
{
    (void)state;
    start_mark(1);
    bench_ref(&bench, MGC_MSG_CANCEL, 1);
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_E_CANCELLED);
    assert_false(mgc_file_exists(tmpdir_file("mark")));
}

static void sigterm_undoes_and_ends_with_0(void **state)
{
    (void)state;
    start_mark(1);
    kill_worker(SIGTERM);
    assert_int_equal(bench_worker_end(&bench), 0);
    assert_false(mgc_file_exists(tmpdir_file("mark")));
    restart();
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_E_CANCELLED);
}

static void a_deaf_task_ends_the_worker_with_3(void **state)
{
    (void)state;
    bench_task(&bench, 1, "toy.deaf", NULL);
    BENCH_UNTIL(&bench, bench.ready);
    bench_ref(&bench, MGC_MSG_CANCEL, 1);
    assert_int_equal(bench_worker_end(&bench), 3);
    bench.result_count = 0;
    restart();
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_E_TIMEOUT);
    assert_non_null(strstr(bench_result(&bench, 1)->text, "did not react to a stop"));
}

#ifndef _WIN32 /* no such signal there */
static void sigusr1_tells_what_it_does(void **state)
{
    (void)state;
    start_mark(0xabc);
    kill_worker(SIGUSR1);
    start_file(2, 5); /* once this one is over, the loop has seen the signal too */
    BENCH_UNTIL(&bench, bench_result(&bench, 2));
    kill_worker(SIGTERM);
    assert_int_equal(bench_worker_end(&bench), 0);
    size_t len;
    char *log = get_file(tmpdir_file("worker.log"), &len);
    assert_non_null(log);
    assert_non_null(strstr(log, "state: joined, run 'run-1'"));
    assert_non_null(strstr(log, "task abc toy.mark (a label): holding for"));
    free(log);
}
#endif

/* Cancelled anywhere: there is a result, it says so or that the task was faster, nothing is left.
 */
static void a_cancel_at_any_moment_is_undone(void **state)
{
    (void)state;
    enum { ROUNDS = 60, CHANGES = 12 };
    unsigned seed = (unsigned)mgc_mono_ns();
    printf("seed %u\n", seed);
    srand(seed);
    for (uint64_t id = 1; id <= ROUNDS; id++) {
        struct mgc_fields params = {0};
        mgc_fields_set_str(&params, "mark", tmpdir_file("mark"));
        mgc_fields_set_int(&params, "size", CHANGES);
        bench.result_count = 0;
        bench.events = 0;
        bench.ready = false;
        bench_task(&bench, id, "toy.steps", &params);
        mgc_fields_destroy(&params);
        int after = rand() % (CHANGES + 2); /* events; one more: while it holds */
        BENCH_UNTIL(&bench, bench.events >= after || bench.ready);
        mgc_sleep_until(mgc_mono_ns() + rand() % 3000000);
        bench_ref(&bench, MGC_MSG_CANCEL, id);
        BENCH_UNTIL(&bench, bench_result(&bench, id));
        const struct bench_result *result = bench_result(&bench, id);
        assert_int_equal(result->code, MGC_E_CANCELLED);
        assert_int_equal(result->undo_failed, 0);
        bench_ref(&bench, MGC_MSG_RESULT_ACK, id);
    }
    assert_dir_has_no("mark.");
    struct mgc_dir_names left;
    assert_true(mgc_dir_list(tmpdir_file("state/journal"), &left, NULL));
    assert_int_equal(left.count, 0);
    mgc_dir_names_destroy(&left);
}

static void two_workers_do_not_share_a_state(void **state)
{
    (void)state;
    struct mgc_process *first = bench.worker;
    bench_start_worker(&bench);
    int code = bench_worker_end(&bench);
    bench.worker = first;
    assert_int_equal(code, 3);
}

static int run_with(const char *const *argv)
{
    struct mgc_exit exit = {0};
    struct mgc_process_spec spec = {.argv = argv};
    struct mgc_process *process = mgc_process_start(&spec, NULL);
    assert_non_null(process);
    assert_true(mgc_process_wait(process, mgc_deadline_in_ms(BENCH_WAIT_MS), &exit, NULL));
    mgc_process_free(process);
    return exit.kind == MGC_EXIT_CODE ? exit.value : -1;
}

static void exit_codes_of_the_command_line(void **state)
{
    (void)state;
    const char *none[] = {toy_worker, NULL};
    const char *list[] = {toy_worker, "--list-tasks", NULL};
    const char *bad[] = {toy_worker, "--wrong", NULL};
    const char *absent[] = {toy_worker, "--enrol", "/nonexistent/x.enrol", NULL};
    assert_int_equal(run_with(none), 2);
    assert_int_equal(run_with(list), 0);
    assert_int_equal(run_with(bad), 2);
    assert_int_equal(run_with(absent), 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(a_result_and_its_file_arrive),
        CASE(what_it_cannot_do_is_refused_at_once),
        CASE(a_task_that_comes_twice_runs_once),
        CASE(a_cancelled_hold_is_undone),
        CASE(a_cancel_at_any_moment_is_undone),
        CASE(sigterm_undoes_and_ends_with_0),
        CASE(a_deaf_task_ends_the_worker_with_3),
#ifndef _WIN32
        CASE(sigusr1_tells_what_it_does),
#endif
        CASE(two_workers_do_not_share_a_state),
        cmocka_unit_test(exit_codes_of_the_command_line),
    };
    return case_init(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
