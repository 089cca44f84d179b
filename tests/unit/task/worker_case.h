/* What a test case with a worker process begins and ends with, for the files test_worker*.c. */
#ifndef MGC_TESTS_UNIT_TASK_WORKER_CASE_H
#define MGC_TESTS_UNIT_TASK_WORKER_CASE_H

#include "tests/unit/task/worker_bench.h"

static const char *toy_worker; /* path of the program, from argv */
static struct bench bench;

static inline bool case_init(int argc, char **argv)
{
    if (argc == 2)
        toy_worker = argv[1];
    else
        fprintf(stderr, "usage: %s TOY-WORKER\n", argv[0]);
    return toy_worker && mgc_random_init(NULL);
}

static inline int setup(void **state)
{
    if (tmpdir_setup(state) != 0)
        return -1;
    bench_init(&bench, toy_worker);
    bench_start_worker(&bench);
    BENCH_UNTIL(&bench, bench.joined);
    return 0;
}

static inline int teardown(void **state)
{
    bench_destroy(&bench);
    return tmpdir_teardown(state);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static inline void start_file(uint64_t task_id, int64_t size)
{
    struct mgc_fields params = {0};
    mgc_fields_set_int(&params, "size", size);
    bench_task(&bench, task_id, "toy.file", &params);
    mgc_fields_destroy(&params);
}

/* Ask for out.txt of task 1, of `size` bytes, until `upto` of them are there. */
static inline void take_file(uint64_t upto, uint64_t size)
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

static inline void assert_artifact_is(const char *sha256)
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

static inline void start_mark(uint64_t task_id)
{
    struct mgc_fields params = {0};
    mgc_fields_set_str(&params, "mark", tmpdir_file("mark"));
    bench.ready = false;
    bench_task(&bench, task_id, "toy.mark", &params);
    mgc_fields_destroy(&params);
    BENCH_UNTIL(&bench, bench.ready);
    assert_true(mgc_file_exists(tmpdir_file("mark")));
}

#ifdef _WIN32
enum { SIGKILL = 9 };

/* Windows has only these two ways: SIGTERM is the event that our own programs wait for. */
static inline void kill_worker(int number)
{
    if (number == SIGTERM)
        mgc_process_stop(bench.worker, BENCH_WAIT_MS);
    else
        mgc_process_kill_tree(bench.worker);
}
#else
static inline void kill_worker(int number)
{
    assert_int_equal(kill((pid_t)mgc_process_pid(bench.worker), number), 0);
}
#endif

static inline void restart(void)
{
    int joins = bench.joins;
    bench_start_worker(&bench);
    BENCH_UNTIL(&bench, bench.joins > joins);
}

#endif
