/* A coordinator's bus end in the test, and a toy worker as a process, for test_worker*.c. */
#ifndef MGC_TESTS_UNIT_TASK_WORKER_BENCH_H
#define MGC_TESTS_UNIT_TASK_WORKER_BENCH_H

#include <signal.h>

#include "common/base/clock.h"
#include "common/bus/keys.h"
#include "common/bus/server.h"
#include "common/plat/process.h"
#include "tests/lib/tmpdir.h"
#include "tests/unit/task/files.h"

enum { BENCH_RESULTS_MAX = 8, BENCH_WAIT_MS = 60000 };

struct bench_result {
    uint64_t task_id;
    enum mgc_code code;
    char text[MGC_ERROR_TEXT_MAX], run_id[64];
    int64_t undo_done, undo_failed;
    uint64_t size, masked; /* of the first artifact */
    int64_t files_left;    /* -1: not told */
    char sha256[MGC_SHA256_HEX_SIZE];
};

struct bench {
    const char *program;
    char endpoint[128], run_id[64];
    struct mgc_keyring keys;
    struct mgc_loop *loop;
    struct mgc_bus_server *server;
    struct mgc_process *worker;
    bool joined, ready, timed_out;
    int joins, losses, events;
    int64_t results_waiting;          /* of the newest hello */
    int64_t lease_epoch;              /* of the newest hello; goes into tasks */
    int64_t heartbeat_ms, silence_ms; /* 0: 500 and 10000 */
    struct bench_result results[BENCH_RESULTS_MAX];
    size_t result_count;
    uint64_t last_task;
    struct mgc_buf artifact; /* bytes received without a gap */
};

static inline void bench_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    struct bench *bench = user;
    (void)epoch;
    assert_string_equal(worker, "toy");
    assert_string_equal(mgc_fields_get_str(&hello->facts, "task_kinds"),
        "toy.file,toy.mark,toy.own,toy.steps,toy.stuck,toy.deaf,worker.salvage,worker.gate");
    assert_true(hello->lease_epoch > bench->lease_epoch);
    bench->lease_epoch = hello->lease_epoch;
    assert_true(mgc_fields_get_int(&hello->facts, "results_waiting", &bench->results_waiting));
    bench->joined = true;
    bench->joins++;
    mgc_loop_quit(bench->loop);
}

static inline void bench_lost(
    void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct bench *bench = user;
    (void)worker, (void)epoch, (void)why;
    bench->joined = bench->ready = false;
    bench->losses++;
    mgc_loop_quit(bench->loop);
}

static inline void bench_take_result(struct bench *bench, const struct mgc_msg_result *msg)
{
    assert_true(bench->result_count < BENCH_RESULTS_MAX);
    struct bench_result *result = &bench->results[bench->result_count++];
    *result = (struct bench_result){.task_id = msg->task_id,
        .code = msg->code,
        .undo_done = msg->undo_done,
        .undo_failed = msg->undo_failed};
    snprintf(result->text, sizeof(result->text), "%s", msg->text);
    snprintf(result->run_id, sizeof(result->run_id), "%s", msg->run_id);
    result->files_left = -1;
    mgc_fields_get_int(&msg->facts, "files_left", &result->files_left);
    if (msg->artifact_count) {
        result->size = msg->artifacts[0].size_bytes;
        result->masked = msg->artifacts[0].masked_count;
        memcpy(result->sha256, msg->artifacts[0].sha256, sizeof(result->sha256));
    }
}

static inline void bench_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    struct bench *bench = user;
    (void)worker;
    bench->events += msg->kind == MGC_MSG_EVENT;
    if (msg->kind == MGC_MSG_EVENT && strcmp(msg->event.name, "ready") == 0)
        bench->ready = true;
    else if (msg->kind == MGC_MSG_RESULT)
        bench_take_result(bench, &msg->result);
    else if (msg->kind == MGC_MSG_CHUNK && msg->chunk.offset == bench->artifact.len)
        mgc_buf_append(&bench->artifact, msg->body, msg->body_len);
    mgc_loop_quit(bench->loop);
}

static inline void bench_refused(void *user, const char *who, const struct mgc_error *why)
{
    (void)user;
    fail_msg("'%s' was turned away: %s", who, why->text);
}

static inline void bench_serve(struct bench *bench)
{
    static const struct mgc_bus_server_ops ops = {
        bench_joined, bench_lost, bench_message, bench_refused};
    struct mgc_error err = {0};
    struct mgc_bus_server_config config = {.endpoint = bench->endpoint,
        .keys = &bench->keys,
        .run_id = bench->run_id,
        .build = "test",
        .heartbeat_ms = bench->heartbeat_ms ? bench->heartbeat_ms : 500,
        .silence_ms = bench->silence_ms ? bench->silence_ms : 10000};
    bench->server = mgc_bus_server_new(bench->loop, &config, &ops, bench, &err);
    if (!bench->server)
        fail_msg("%s", err.text);
}

/* The port is known once the server is bound, the worker's key only after that. */
static inline void bench_init(struct bench *bench, const char *program)
{
    struct mgc_error err = {0};
    *bench = (struct bench){.program = program, .endpoint = "tcp://127.0.0.1:0", .run_id = "run-1"};
    const char *keys = tmpdir_file("keys");
    if (!mgc_keys_init(keys, &err) || !mgc_keyring_load(keys, &bench->keys, &err) ||
        !(bench->loop = mgc_loop_new(&err)))
        fail_msg("%s", err.text);
    bench_serve(bench);
    snprintf(
        bench->endpoint, sizeof(bench->endpoint), "%s", mgc_bus_server_endpoint(bench->server));
    const char *addresses[] = {bench->endpoint};
    mgc_keyring_destroy(&bench->keys);
    if (!mgc_keys_add(keys, "toy", "wsl", addresses, 1, tmpdir_file("toy.enrol"), &err) ||
        !mgc_keyring_load(keys, &bench->keys, &err))
        fail_msg("%s", err.text);
    mgc_bus_server_set_keys(bench->server, &bench->keys);
}

static inline void bench_destroy(struct bench *bench)
{
    mgc_process_free(bench->worker);
    mgc_bus_server_free(bench->server);
    mgc_loop_free(bench->loop);
    mgc_keyring_destroy(&bench->keys);
    mgc_buf_destroy(&bench->artifact);
}

static inline void bench_start_worker(struct bench *bench)
{
    struct mgc_error err = {0};
    const char *argv[] = {bench->program, "--enrol", tmpdir_file("toy.enrol"), "--state",
        tmpdir_file("state"), "--locks", tmpdir_file("locks"), "--retry-max-ms", "200",
        "--rejoin-max", "3", "--stop-grace", "500ms", "--log-level", "debug", NULL};
    const char *log = tmpdir_file("worker.log");
    struct mgc_process_spec spec = {
        .argv = argv, .stdout_path = log, .stderr_path = log, .die_with_us = true};
    bench->worker = mgc_process_start(&spec, &err);
    if (!bench->worker)
        fail_msg("%s", err.text);
}

/* Wait for the worker's end and return its exit code, or minus the signal. */
static inline int bench_worker_end(struct bench *bench)
{
    struct mgc_exit exit = {0};
    struct mgc_error err = {0};
    if (!mgc_process_wait(bench->worker, mgc_deadline_in_ms(BENCH_WAIT_MS), &exit, &err))
        fail_msg("%s", err.text);
    mgc_process_free(bench->worker);
    bench->worker = NULL;
    return exit.kind == MGC_EXIT_CODE ? exit.value : -exit.value;
}

static inline void bench_on_timeout(void *user)
{
    struct bench *bench = user;
    bench->timed_out = true;
    mgc_loop_quit(bench->loop);
}

/* Run the loop until `condition`, looked at after everything that happens. */
#define BENCH_UNTIL(bench, condition)                                                              \
    do {                                                                                           \
        uint64_t timer = mgc_loop_add_timer(                                                       \
            (bench)->loop, mgc_deadline_in_ms(BENCH_WAIT_MS), bench_on_timeout, (bench));          \
        while (!(condition) && !(bench)->timed_out)                                                \
            assert_true(mgc_loop_run((bench)->loop, NULL));                                        \
        mgc_loop_remove_timer((bench)->loop, timer);                                               \
        if ((bench)->timed_out)                                                                    \
            fail_msg("waited in vain for: %s", #condition);                                        \
    } while (0)

static inline void bench_send(struct bench *bench, struct mgc_msg *msg)
{
    struct mgc_error err = {0};
    if (!mgc_bus_server_send(bench->server, "toy", msg, &err))
        fail_msg("%s", err.text);
}

static inline void bench_task(
    struct bench *bench, uint64_t task_id, const char *kind, const struct mgc_fields *params)
{
    struct mgc_msg msg = {.kind = MGC_MSG_TASK};
    msg.task.task_id = task_id;
    msg.task.kind = (char *)kind;
    msg.task.label = (char *)"a label";
    msg.task.deadline_ms = 120000;
    msg.task.lease_epoch = bench->lease_epoch;
    if (params)
        msg.task.params = *params;
    bench_send(bench, &msg);
}

static inline void bench_ref(struct bench *bench, enum mgc_msg_kind kind, uint64_t task_id)
{
    struct mgc_msg msg = {.kind = kind};
    msg.task_ref.task_id = task_id;
    msg.task_ref.text = (char *)"";
    bench_send(bench, &msg);
}

static inline const struct bench_result *bench_result(struct bench *bench, uint64_t task_id)
{
    for (size_t i = 0; i < bench->result_count; i++) {
        if (bench->results[i].task_id == task_id)
            return &bench->results[i];
    }
    return NULL;
}

#endif
