/* What becomes of results and files when sessions break, steps end and workers crash. */
#include "coordinator/link/collect.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/plat/file.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

#define SEC INT64_C(1000000000)

#define HOST MGC_ROLE_HOST

enum { ID = 0x11 };

struct fixture {
    struct mgc_collect *collect;
    struct mgc_step step;
    struct mgc_buf log; /* one line per callback */
    bool no_session;
    uint64_t salvage_id;
    char dir[MGC_PATH_MAX];
};

static bool on_send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct fixture *f = user;
    assert_int_equal(role, HOST);
    if (f->no_session)
        return false;
    if (msg->kind == MGC_MSG_CREDIT)
        mgc_buf_printf(&f->log, "credit %s %d\n", msg->credit.name, (int)msg->credit.received);
    else if (msg->kind == MGC_MSG_RESULT_ACK)
        mgc_buf_printf(&f->log, "ack %s\n", msg->task_ref.task_id == ID ? "it" : "other");
    else if (msg->kind == MGC_MSG_TASK) {
        f->salvage_id = msg->task.task_id;
        mgc_buf_printf(&f->log, "task %s %s %s\n", msg->task.kind,
            mgc_fields_get_str(&msg->task.params, "task"),
            mgc_fields_get_str(&msg->task.secrets, "token"));
    }
    return true;
}

static void on_stored(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const struct mgc_error *storage, bool late)
{
    struct fixture *f = user;
    mgc_buf_printf(&f->log, "stored %s in %s: %zu files %s%s\n", step->id, mgc_path_base(dir),
        result->artifact_count, mgc_code_name(storage->code), late ? ", late" : "");
}

static void on_missing(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const char *why)
{
    struct fixture *f = user;
    (void)dir;
    mgc_buf_printf(&f->log, "missing %s %s: %s\n", step->id, result ? "files" : "result", why);
}

static const struct mgc_collect_ops ops = {on_send, on_stored, on_missing};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (tmpdir_setup(NULL) != 0)
        return -1;
    f->step = (struct mgc_step){.id = (char *)"server", .role = HOST};
    mgc_fields_set_str(&f->step.secrets, "token", "hush-hush");
    snprintf(f->dir, sizeof(f->dir), "%s", tmpdir_file("a1"));
    f->collect = mgc_collect_new(&ops, f);
    mgc_collect_worker_joined(f->collect, HOST, 0, 0);
    assert_true(mgc_collect_expect(f->collect, ID, &f->step, f->dir));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mgc_collect_free(f->collect);
    mgc_fields_destroy(&f->step.secrets);
    mgc_buf_destroy(&f->log);
    free(f);
    return tmpdir_teardown(NULL);
}

/* Everything logged since the last call. */
static void assert_log(struct fixture *f, const char *want)
{
    assert_string_equal(f->log.len ? mgc_buf_text(&f->log) : "", want);
    mgc_buf_clear(&f->log);
}

/* A result that promises one file "log" with "hello". */
static void result_of(struct fixture *f, uint64_t id, int files, int64_t left, int64_t now_ns)
{
    struct mgc_artifact artifact = {.name = (char *)"log", .size_bytes = 5};
    struct mgc_sha256 hash;
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_sha256_init(&hash);
    mgc_sha256_update(&hash, "hello", 5);
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, artifact.sha256);
    memcpy(artifact.raw_sha256, artifact.sha256, sizeof(artifact.sha256));
    struct mgc_msg msg = {.kind = MGC_MSG_RESULT};
    msg.result = (struct mgc_msg_result){.task_id = id,
        .run_id = (char *)"run",
        .text = (char *)"",
        .undo_text = (char *)"",
        .artifacts = &artifact,
        .artifact_count = (size_t)files};
    if (left)
        mgc_fields_set_int(&msg.result.facts, "files_left", left);
    mgc_collect_result(f->collect, HOST, &msg, now_ns);
    mgc_fields_destroy(&msg.result.facts);
}

static void chunk_of(struct fixture *f, uint64_t id, uint64_t offset, const char *text, int64_t now)
{
    struct mgc_msg msg = {.kind = MGC_MSG_CHUNK, .body = text, .body_len = strlen(text)};
    msg.chunk = (struct mgc_msg_chunk){.task_id = id, .name = (char *)"log", .offset = offset};
    mgc_collect_chunk(f->collect, HOST, &msg, now);
}

static void assert_hello(const char *path)
{
    struct mgc_buf data = {0};
    assert_true(mgc_file_read(tmpdir_file(path), 100, &data, NULL));
    assert_string_equal(mgc_buf_text(&data), "hello");
    mgc_buf_destroy(&data);
}

static void in_one_session(void **state)
{
    struct fixture *f = *state;
    result_of(f, ID, 1, 0, 1);
    chunk_of(f, ID, 0, "hello", 2);
    assert_log(f, "credit log 0\nstored server in a1: 1 files ok\nack it\n");
    assert_hello("a1/log");
    assert_true(mgc_collect_may_end(f->collect, 3));
    result_of(f, ID, 1, 0, 4);
    assert_log(f, "ack it\n");
}

/* The worker would delete the only copy. */
static void what_is_not_safe_here_is_never_acknowledged(void **state)
{
    struct fixture *f = *state;
    result_of(f, ID, 1, 0, 1);
    chunk_of(f, ID, 0, "hallo", 2);
    assert_log(f, "credit log 0\nstored server in a1: 1 files integrity\n");
    result_of(f, ID, 1, 0, 3); /* in the next session again */
    assert_log(f, "");
}

static void without_a_place_for_its_files_a_result_is_not_acknowledged(void **state)
{
    struct fixture *f = *state;
    assert_true(mgc_dir_make(tmpdir_file("a1"), 0700, NULL));
    assert_true(mgc_file_write(tmpdir_file("a1/log"), "x", 1, 0600, NULL)); /* in the way */
    result_of(f, ID, 1, 0, 1);
    assert_log(f, "stored server in a1: 1 files exists\n");
}

static void files_that_stop_coming_are_not_acknowledged(void **state)
{
    struct fixture *f = *state;
    result_of(f, ID, 1, 0, 0);
    mgc_collect_tick(f->collect, 31 * SEC);
    assert_log(f, "credit log 0\nstored server in a1: 1 files timeout\n");
}

static void goes_on_in_the_next_session(void **state)
{
    struct fixture *f = *state;
    result_of(f, ID, 1, 0, 1);
    chunk_of(f, ID, 0, "he", 2);
    mgc_collect_worker_lost(f->collect, HOST, 3);
    mgc_collect_step_over(f->collect, &f->step);
    assert_log(f, "credit log 0\ncredit log 2\n");
    mgc_collect_tick(f->collect, 1000 * SEC); /* the pause has no limit of its own */
    mgc_collect_worker_joined(f->collect, HOST, 1, 1001 * SEC);
    assert_true(mgc_collect_is_catching_up(f->collect, HOST));
    result_of(f, ID, 1, 0, 1002 * SEC);
    chunk_of(f, ID, 2, "llo", 1003 * SEC);
    assert_log(f, "credit log 2\nstored server in a1: 1 files ok, late\nack it\n");
    assert_false(mgc_collect_is_catching_up(f->collect, HOST));
    assert_hello("a1/log");
}

static void a_result_of_a_lost_session_comes_in_the_next(void **state)
{
    struct fixture *f = *state;
    mgc_collect_worker_lost(f->collect, HOST, 1);
    mgc_collect_worker_joined(f->collect, HOST, 2, 2);
    result_of(f, 0x99, 0, 0, 3); /* one of somebody else first */
    assert_log(f, "");           /* nobody has its files, so the worker keeps them */
    assert_true(mgc_collect_is_catching_up(f->collect, HOST));
    result_of(f, ID, 1, 0, 4);
    chunk_of(f, ID, 0, "hello", 5);
    assert_log(f, "credit log 0\nstored server in a1: 1 files ok, late\nack it\n");
}

static void what_the_worker_does_not_bring_along_is_missing(void **state)
{
    struct fixture *f = *state;
    mgc_collect_worker_lost(f->collect, HOST, 1);
    mgc_collect_worker_joined(f->collect, HOST, 0, 2);
    assert_log(f, "missing server result: the worker that has its role now has no result of it\n");
    assert_false(mgc_collect_is_catching_up(f->collect, HOST));
}

static void what_it_promised_and_does_not_send_is_missing_in_the_end(void **state)
{
    struct fixture *f = *state;
    result_of(f, ID, 1, 0, 1);
    mgc_collect_worker_lost(f->collect, HOST, 1);
    mgc_collect_worker_joined(f->collect, HOST, 1, 2);
    assert_log(f, "credit log 0\n");
    mgc_collect_tick(f->collect, mgc_collect_due(f->collect));
    assert_log(f, "missing server files: no result of it came in time\n");
    assert_false(mgc_file_exists(tmpdir_file("a1/log")));
    assert_int_equal(mgc_collect_due(f->collect), INT64_MAX);
}

static void files_follow_their_directory(void **state)
{
    struct fixture *f = *state;
    result_of(f, ID, 1, 0, 1);
    chunk_of(f, ID, 0, "he", 2);
    mgc_collect_worker_lost(f->collect, HOST, 3);
    assert_true(mgc_file_rename(f->dir, tmpdir_file("cell"), NULL));
    mgc_collect_moved(f->collect, f->dir, tmpdir_file("cell"));
    mgc_collect_worker_joined(f->collect, HOST, 1, 4);
    result_of(f, ID, 1, 0, 5);
    chunk_of(f, ID, 2, "llo", 6);
    assert_hello("cell/log");
    assert_false(mgc_file_exists(f->dir));
}

static void a_step_that_timed_out_is_stored_but_not_told(void **state)
{
    struct fixture *f = *state;
    mgc_collect_step_over(f->collect, &f->step);
    assert_true(mgc_collect_may_end(f->collect, 1)); /* it may never come */
    result_of(f, ID, 1, 0, 2);
    assert_false(mgc_collect_may_end(f->collect, 3)); /* but this does */
    chunk_of(f, ID, 0, "hello", 4);
    assert_log(f, "credit log 0\nstored server in a1: 1 files ok, late\nack it\n");
}

static void what_a_crash_left_is_asked_for_with_the_secrets(void **state)
{
    struct fixture *f = *state;
    mgc_collect_worker_lost(f->collect, HOST, 1);
    mgc_collect_worker_joined(f->collect, HOST, 1, 2);
    result_of(f, ID, 0, 2, 3);
    assert_log(f, "task worker.salvage 0000000000000011 hush-hush\n"
                  "stored server in a1: 0 files ok, late\n");
    assert_true(mgc_collect_is_catching_up(f->collect, HOST));
    assert_false(mgc_collect_may_end(f->collect, 4));
    result_of(f, ID, 0, 2, 5); /* said again: it must stay for the salvage */
    assert_log(f, "");
    result_of(f, f->salvage_id, 1, 0, 6);
    chunk_of(f, f->salvage_id, 0, "hello", 7);
    assert_log(f, "credit log 0\nstored server in a1: 1 files ok, late\nack other\nack it\n");
    assert_hello("a1/log");
    assert_true(mgc_collect_may_end(f->collect, 8));
}

static void a_salvage_without_an_answer_ends(void **state)
{
    struct fixture *f = *state;
    mgc_collect_worker_lost(f->collect, HOST, 1);
    mgc_collect_worker_joined(f->collect, HOST, 1, 2);
    result_of(f, ID, 0, 2, 3);
    mgc_buf_clear(&f->log);
    mgc_collect_tick(f->collect, mgc_collect_due(f->collect));
    assert_log(f, "missing server result: no result of it came in time\n");
    assert_false(mgc_collect_is_catching_up(f->collect, HOST));
}

static void the_end_waits_a_while_for_an_absent_worker(void **state)
{
    struct fixture *f = *state;
    mgc_collect_worker_lost(f->collect, HOST, SEC);
    assert_false(mgc_collect_may_end(f->collect, 2 * SEC));
    int64_t due_ns = mgc_collect_due(f->collect);
    assert_true(due_ns > 2 * SEC && due_ns < 60 * SEC);
    mgc_collect_tick(f->collect, due_ns);
    assert_true(mgc_collect_may_end(f->collect, due_ns));
    assert_int_equal(mgc_collect_due(f->collect), INT64_MAX);
    mgc_collect_abandon(f->collect);
    assert_log(f, "missing server result: its worker was not back when the run ended\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(in_one_session),
        CASE(what_is_not_safe_here_is_never_acknowledged),
        CASE(without_a_place_for_its_files_a_result_is_not_acknowledged),
        CASE(files_that_stop_coming_are_not_acknowledged),
        CASE(goes_on_in_the_next_session),
        CASE(a_result_of_a_lost_session_comes_in_the_next),
        CASE(what_the_worker_does_not_bring_along_is_missing),
        CASE(what_it_promised_and_does_not_send_is_missing_in_the_end),
        CASE(files_follow_their_directory),
        CASE(a_step_that_timed_out_is_stored_but_not_told),
        CASE(what_a_crash_left_is_asked_for_with_the_secrets),
        CASE(a_salvage_without_an_answer_ends),
        CASE(the_end_waits_a_while_for_an_absent_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
