/* A worker process that loses its session: the fence, undoing between two sessions, rejoining. */
#include "tests/lib/check.h"

#include "tests/unit/task/worker_case.h"

static void a_transfer_goes_on_in_the_next_session(void **state)
{
    (void)state;
    enum { SIZE = 2000000 };
    start_file(1, SIZE);
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    take_file(900000, SIZE);
    int joins = bench.joins;
    mgc_bus_server_free(bench.server);
    bench_serve(&bench);
    bench.result_count = 0;
    BENCH_UNTIL(&bench, bench.joins > joins && bench_result(&bench, 1));
    take_file(SIZE, SIZE);
    assert_artifact_is(bench_result(&bench, 1)->sha256);
}

static void a_lost_session_fences_and_the_result_comes_in_the_next(void **state)
{
    (void)state;
    start_mark(1);
    int joins = bench.joins;
    mgc_bus_server_free(bench.server); /* as a coordinator that ends */
    snprintf(bench.run_id, sizeof(bench.run_id), "run-2");
    bench_serve(&bench);
    BENCH_UNTIL(&bench, bench.joins > joins);
    assert_false(mgc_file_exists(tmpdir_file("mark"))); /* undone before it joined again */
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_E_LOST);
    assert_string_equal(bench_result(&bench, 1)->run_id, "run-1");
    start_mark(2); /* and it works on */
    bench_ref(&bench, MGC_MSG_FINISH, 2);
    BENCH_UNTIL(&bench, bench_result(&bench, 2));
    assert_string_equal(bench_result(&bench, 2)->run_id, "run-2");
}

#ifndef _WIN32 /* no SIGUSR1 there, and no process can be stopped from outside */
static void on_look(void *user)
{
    mgc_loop_quit(user);
}

/* The loop runs meanwhile, or the worker would not be heard. */
#define UNTIL_SEEN(condition)                                                                      \
    do {                                                                                           \
        int64_t deadline_ns = mgc_deadline_in_ms(BENCH_WAIT_MS);                                   \
        while (!(condition)) {                                                                     \
            uint64_t look =                                                                        \
                mgc_loop_add_timer(bench.loop, mgc_deadline_in_ms(10), on_look, bench.loop);       \
            assert_true(mgc_loop_run(bench.loop, NULL));                                           \
            mgc_loop_remove_timer(bench.loop, look);                                               \
            if (mgc_deadline_past(deadline_ns))                                                    \
                fail_msg("waited in vain for: %s", #condition);                                    \
        }                                                                                          \
    } while (0)

/* How often the worker's log says that. */
static int log_count(const char *text)
{
    size_t len;
    int count = 0;
    char *log = get_file(tmpdir_file("worker.log"), &len);
    for (const char *at = log; at && (at = strstr(at, text)); at++)
        count++;
    free(log);
    return count;
}

static bool log_has(const char *text)
{
    return log_count(text) > 0;
}

static void start_stuck(void)
{
    struct mgc_fields params = {0};
    mgc_fields_set_str(&params, "mark", tmpdir_file("mark"));
    bench_task(&bench, 1, "toy.stuck", &params);
    mgc_fields_destroy(&params);
    BENCH_UNTIL(&bench, bench.ready);
}

/* Tried again after the fence, while the task's own undo failed. */
static void a_slow_undo_does_not_hold_up_the_loop(void **state)
{
    (void)state;
    start_stuck();
    int joins = bench.joins;
    bench_ref(&bench, MGC_MSG_FINISH, 1);
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->undo_failed, 1);
    assert_true(mgc_file_write(tmpdir_file("mark.slow"), "", 0, 0600, NULL));
    mgc_bus_server_free(bench.server);
    bench_serve(&bench);
    UNTIL_SEEN(mgc_file_exists(tmpdir_file("mark.busy")));
    kill_worker(SIGUSR1);
    UNTIL_SEEN(log_has("state: fenced"));
    assert_int_equal(bench.joins, joins); /* nobody joins before it is done */
    assert_true(mgc_file_remove(tmpdir_file("mark.slow"), NULL));
    BENCH_UNTIL(&bench, bench.joins > joins);
    assert_false(mgc_file_exists(tmpdir_file("mark")));
}

/* Without a session it is tried now and then; a coordinator that comes meanwhile waits. */
static void an_undo_without_a_session_comes_before_the_next(void **state)
{
    (void)state;
    start_stuck();
    int joins = bench.joins;
    mgc_bus_server_free(bench.server);
    UNTIL_SEEN(log_has("stays in the journal: ") && log_has("no session at "));
    assert_true(mgc_file_write(tmpdir_file("mark.slow"), "", 0, 0600, NULL));
    UNTIL_SEEN(mgc_file_exists(tmpdir_file("mark.busy")));
    bench_serve(&bench);
    kill_worker(SIGUSR1);
    UNTIL_SEEN(log_has("state: no session"));
    assert_int_equal(bench.joins, joins);
    assert_true(mgc_file_remove(tmpdir_file("mark.slow"), NULL));
    BENCH_UNTIL(&bench, bench.joins > joins);
    assert_false(mgc_file_exists(tmpdir_file("mark")));
}

static void sigterm_does_not_wait_for_a_slow_undo(void **state)
{
    (void)state;
    start_stuck();
    mgc_bus_server_free(bench.server);
    bench.server = NULL;
    UNTIL_SEEN(log_has("stays in the journal: "));
    assert_true(mgc_file_write(tmpdir_file("mark.slow"), "", 0, 0600, NULL));
    UNTIL_SEEN(mgc_file_exists(tmpdir_file("mark.busy")));
    kill_worker(SIGTERM);
    assert_int_equal(bench_worker_end(&bench), 3);
    assert_true(log_has("undoing did not end within 500 ms"));
    assert_true(mgc_file_exists(tmpdir_file("mark")));
}

/* Stopped for longer than the silence: lost on both sides, undone, and back in a new session. */
static void is_fenced_after_silence(int64_t heartbeat_ms, int64_t silence_ms)
{
    mgc_bus_server_free(bench.server);
    bench.heartbeat_ms = heartbeat_ms;
    bench.silence_ms = silence_ms;
    int joins = bench.joins;
    bench_serve(&bench);
    BENCH_UNTIL(&bench, bench.joins > joins);
    start_mark(1);
    int losses = bench.losses;
    kill_worker(SIGSTOP);
    BENCH_UNTIL(&bench, bench.losses > losses);
    assert_true(mgc_file_exists(tmpdir_file("mark")));
    joins = bench.joins;
    kill_worker(SIGCONT);
    BENCH_UNTIL(&bench, bench.joins > joins);
    assert_false(mgc_file_exists(tmpdir_file("mark"))); /* undone before it joined */
    BENCH_UNTIL(&bench, bench_result(&bench, 1));
    assert_int_equal(bench_result(&bench, 1)->code, MGC_E_LOST);
    start_mark(2);
}

static bool worker_ended(void)
{
    struct mgc_exit exit;
    return mgc_process_wait(bench.worker, mgc_mono_ns(), &exit, NULL);
}

/* Stopped once it knows itself that it has joined: a greeting that takes too long is not a session
 * that breaks. On a busy machine one may also break without us; it counts all the same. */
static void sessions_that_only_break_end_the_worker_with_3(void **state)
{
    (void)state;
    /* A fresh worker: a goodbye of the old server that comes late would be a broken session, too.
     */
    kill_worker(SIGTERM);
    assert_int_equal(bench_worker_end(&bench), 0);
    mgc_bus_server_free(bench.server);
    bench.heartbeat_ms = 200;
    bench.silence_ms = 2500;
    bench_serve(&bench);
    bench_start_worker(&bench);
    for (int joined = 0;; joined++) {
        UNTIL_SEEN(log_count("joined the coordinator as") > joined || worker_ended());
        if (worker_ended())
            break;
        kill_worker(SIGSTOP);
        BENCH_UNTIL(&bench, !bench.joined);
        kill_worker(SIGCONT);
    }
    assert_int_equal(bench_worker_end(&bench), 3);
    assert_int_equal(log_count("joined the coordinator as"), 3);
    assert_true(log_has("3 sessions in a row broke early and without a task"));
    restart();
    start_mark(1); /* and a fresh one works */
}

static void silence_fences_with_the_lab_s_times(void **state)
{
    (void)state;
    is_fenced_after_silence(200, 1000);
}

static void silence_fences_with_the_default_times(void **state)
{
    (void)state;
    is_fenced_after_silence(2000, 10000);
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(a_transfer_goes_on_in_the_next_session),
        CASE(a_lost_session_fences_and_the_result_comes_in_the_next),
#ifndef _WIN32
        CASE(a_slow_undo_does_not_hold_up_the_loop),
        CASE(an_undo_without_a_session_comes_before_the_next),
        CASE(sigterm_does_not_wait_for_a_slow_undo),
        CASE(sessions_that_only_break_end_the_worker_with_3),
        CASE(silence_fences_with_the_lab_s_times),
        CASE(silence_fences_with_the_default_times),
#endif
    };
    return case_init(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
