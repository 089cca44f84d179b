/* A whole worker process over the real bus: tasks, crashes, fences, restarts. */
#include "tests/lib/check.h"

#include "tests/unit/task/worker_bench.h"

static const char *toy_worker; /* path of the program, from argv */
static struct bench bench;

static int setup(void **state)
{
    if (tmpdir_setup(state) != 0)
        return -1;
    bench_init(&bench, toy_worker);
    bench_start_worker(&bench);
    BENCH_UNTIL(&bench, bench.joined);
    return 0;
}

static int teardown(void **state)
{
    bench_destroy(&bench);
    return tmpdir_teardown(state);
}

static void start_file(uint64_t task_id, int64_t size)
{
    struct mgc_fields params = {0};
    mgc_fields_set_int(&params, "size", size);
    bench_task(&bench, task_id, "toy.file", &params);
    mgc_fields_destroy(&params);
}

static void start_mark(uint64_t task_id)
{
    struct mgc_fields params = {0};
    mgc_fields_set_str(&params, "mark", tmpdir_file("mark"));
    bench.ready = false;
    bench_task(&bench, task_id, "toy.mark", &params);
    mgc_fields_destroy(&params);
    BENCH_UNTIL(&bench, bench.ready);
    assert_true(mgc_file_exists(tmpdir_file("mark")));
}

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

#ifdef _WIN32
enum { SIGKILL = 9 };

/* Windows has only these two ways: SIGTERM is the event that our own programs wait for. */
static void kill_worker(int number)
{
    if (number == SIGTERM)
        mgc_process_stop(bench.worker, BENCH_WAIT_MS);
    else
        mgc_process_kill_tree(bench.worker);
}
#else
static void kill_worker(int number)
{
    assert_int_equal(kill((pid_t)mgc_process_pid(bench.worker), number), 0);
}
#endif

static void restart(void)
{
    int joins = bench.joins;
    bench_start_worker(&bench);
    BENCH_UNTIL(&bench, bench.joins > joins);
}

/* Ask for out.txt of task 1, of `size` bytes, until `upto` of them are there. */
static void take_file(uint64_t upto, uint64_t size)
{
    while (bench.artifact.len < upto) {
        struct mgc_msg msg = {.kind = MGC_MSG_CREDIT};
        uint64_t had = bench.artifact.len;
        uint64_t want = had + 300000 < size ? had + 300000 : size;
        msg.credit = (struct mgc_msg_credit){
            .task_id = 1, .name = (char *)"out.txt", .received = had, .limit = want};
        bench_send(&bench, &msg);
        BENCH_UNTIL(&bench, bench.artifact.len >= want);
        assert_int_equal(bench.artifact.len, want);
    }
}

static void assert_artifact_is(const char *sha256)
{
    struct mgc_sha256 hash;
    unsigned char digest[MGC_SHA256_SIZE];
    char hex[MGC_SHA256_HEX_SIZE];
    mgc_sha256_init(&hash);
    mgc_sha256_update(&hash, mgc_buf_text(&bench.artifact), bench.artifact.len);
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, hex);
    assert_string_equal(hex, sha256);
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

#ifndef _WIN32 /* no SIGUSR1 there */
static void start_stuck(void)
{
    struct mgc_fields params = {0};
    mgc_fields_set_str(&params, "mark", tmpdir_file("mark"));
    bench_task(&bench, 1, "toy.stuck", &params);
    mgc_fields_destroy(&params);
    BENCH_UNTIL(&bench, bench.ready);
}

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

static bool log_has(const char *text)
{
    size_t len;
    char *log = get_file(tmpdir_file("worker.log"), &len);
    bool found = log && strstr(log, text);
    free(log);
    return found;
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
#endif

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

#ifndef _WIN32 /* no process can be stopped there from outside */
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

static void sessions_that_only_break_end_the_worker_with_3(void **state)
{
    (void)state;
    /* A fresh worker: a goodbye of the old server that comes late would be a broken session, too.
     */
    kill_worker(SIGTERM);
    assert_int_equal(bench_worker_end(&bench), 0);
    mgc_bus_server_free(bench.server);
    bench.heartbeat_ms = 200;
    bench.silence_ms = 2500; /* on a busy machine a shorter one breaks sessions by itself */
    int joins = bench.joins;
    bench_serve(&bench);
    bench_start_worker(&bench);
    for (int i = 0; i < 3; i++) {
        BENCH_UNTIL(&bench, bench.joins > joins);
        joins = bench.joins;
        int losses = bench.losses;
        kill_worker(SIGSTOP);
        BENCH_UNTIL(&bench, bench.losses > losses);
        kill_worker(SIGCONT);
    }
    assert_int_equal(bench_worker_end(&bench), 3);
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

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s TOY-WORKER\n", argv[0]);
        return 2;
    }
    toy_worker = argv[1];
    if (!mgc_random_init(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        CASE(a_result_and_its_file_arrive),
        CASE(a_transfer_goes_on_in_the_next_session),
        CASE(what_it_cannot_do_is_refused_at_once),
        CASE(a_task_that_comes_twice_runs_once),
        CASE(a_cancelled_hold_is_undone),
        CASE(kill_9_while_holding_is_undone_at_the_next_start),
        CASE(a_damaged_epoch_does_not_keep_from_undoing),
        CASE(a_damaged_enrolment_does_not_keep_from_undoing),
        CASE(a_lost_session_fences_and_the_result_comes_in_the_next),
        CASE(sigterm_undoes_and_ends_with_0),
        CASE(a_deaf_task_ends_the_worker_with_3),
#ifndef _WIN32
        CASE(sigusr1_tells_what_it_does),
        CASE(a_slow_undo_does_not_hold_up_the_loop),
        CASE(an_undo_without_a_session_comes_before_the_next),
        CASE(sigterm_does_not_wait_for_a_slow_undo),
#endif
        CASE(a_thing_has_one_user_and_a_stale_task_none),
        CASE(a_thing_stays_leased_until_all_is_undone),
        CASE(a_cancel_at_any_moment_is_undone),
        CASE(what_a_crash_left_is_masked_and_brought_on_demand),
#ifndef _WIN32
        CASE(sessions_that_only_break_end_the_worker_with_3),
        CASE(silence_fences_with_the_lab_s_times),
        CASE(silence_fences_with_the_default_times),
#endif
        CASE(two_workers_do_not_share_a_state),
        cmocka_unit_test(exit_codes_of_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
