/* Results that wait for their acknowledgement: over restarts, cut-off tasks, bounds. */
#include "tests/lib/check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/unit/task/results_fixture.h"

static void survive_a_restart(void **state)
{
    (void)state;
    int64_t n;
    char path[MGC_PATH_MAX];
    uint64_t size;
    struct mgc_results *results = results_open(0);
    results_put(results, 0xabc, "a.txt", "hello", 5);
    mgc_results_free(results);

    results = results_open(0);
    assert_int_equal(mgc_results_count(results), 1);
    struct mgc_msg *msg = mgc_results_at(results, 0);
    assert_int_equal(msg->kind, MGC_MSG_RESULT);
    assert_int_equal(msg->result.task_id, 0xabc);
    assert_string_equal(msg->result.run_id, "run-1");
    assert_true(mgc_fields_get_int(&msg->result.facts, "n", &n) && n == 0xabc);
    assert_true(mgc_results_file(results, 0xabc, "a.txt", path, sizeof(path), &size, NULL));
    assert_int_equal(size, 5);
    assert_true(mgc_file_exists(path));
    mgc_results_free(results);
}

static void are_forgotten_when_acknowledged(void **state)
{
    (void)state;
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    uint64_t size;
    struct mgc_results *results = results_open(0);
    results_put(results, 1, "a.txt", "hello", 5);
    results_put(results, 2, "b.txt", "hello", 5);
    assert_true(mgc_results_forget(results, 1, &err));
    assert_int_equal(mgc_results_count(results), 1);
    assert_true(mgc_results_knows(results, 1)); /* a late copy of its TASK must not run it again */
    assert_true(mgc_results_knows(results, 2));
    assert_false(mgc_results_knows(results, 3));
    assert_false(mgc_file_exists(tmpdir_file("results/0000000000000001")));
    assert_false(mgc_results_file(results, 1, "a.txt", path, sizeof(path), &size, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_true(mgc_results_forget(results, 99, &err));
    mgc_results_free(results);

    results = results_open(0);
    assert_int_equal(mgc_results_count(results), 1);
    mgc_results_free(results);
}

static void undo_of(void *user, uint64_t task_id, struct mgc_undo_report *ret_report)
{
    assert_int_equal(task_id, 7);
    *ret_report = (struct mgc_undo_report){.done = 2, .failed = 1, .text = "stuck"};
}

static void a_task_cut_off_by_a_crash_has_a_result_too(void **state)
{
    (void)state;
    char dir[MGC_PATH_MAX];
    struct mgc_msg_task task = {
        .task_id = 7, .kind = (char *)"toy.hold", .label = (char *)"cell 1\nroute"};
    struct mgc_results *results = results_open(0);
    assert_true(mgc_results_begin(results, &task, "run-9", dir, sizeof(dir), NULL));
    put_file(tmpdir_file("results/0000000000000007/files/x.log"), "secret?", 7);
    mgc_results_free(results);

    struct mgc_results_config config = {.dir = tmpdir_file("results"), .undo_of = undo_of};
    results = mgc_results_open(&config, NULL);
    assert_int_equal(mgc_results_count(results), 1);
    const struct mgc_msg_result *result = &mgc_results_at(results, 0)->result;
    bool interrupted = false;
    assert_int_equal(result->code, MGC_E_LOST);
    assert_string_equal(result->run_id, "run-9");
    assert_string_equal(result->text, "the worker ended while the task ran");
    assert_int_equal(result->undo_done, 2);
    assert_int_equal(result->undo_failed, 1);
    assert_string_equal(result->undo_text, "stuck");
    assert_int_equal(result->artifact_count, 0);
    assert_true(mgc_fields_get_bool(&result->facts, "interrupted", &interrupted) && interrupted);
    assert_string_equal(mgc_fields_get_str(&result->facts, "label"), "cell 1 route");
    int64_t left = 0;
    assert_true(mgc_fields_get_int(&result->facts, "files_left", &left));
    assert_int_equal(left, 1);
    assert_true(mgc_file_exists(tmpdir_file("results/0000000000000007/files/x.log")));
    mgc_results_free(results);

    results = results_open(0); /* and it is a result like any other from now on */
    assert_int_equal(mgc_results_count(results), 1);
    mgc_results_free(results);
}

static void a_damaged_result_says_so(void **state)
{
    (void)state;
    struct mgc_results *results = results_open(0);
    results_put(results, 5, "a.txt", "hello", 5);
    mgc_results_free(results);
    put_file(tmpdir_file("results/0000000000000005/result"), "\x81", 1);
    put_file(tmpdir_file("results/stray"), "?", 1);

    results = results_open(0);
    assert_int_equal(mgc_results_count(results), 1);
    assert_int_equal(mgc_results_at(results, 0)->result.code, MGC_E_INTEGRITY);
    assert_string_equal(mgc_results_at(results, 0)->result.run_id, "run-1");
    mgc_results_free(results);
}

static void the_oldest_goes_when_there_are_too_many(void **state)
{
    (void)state;
    struct mgc_results *results = results_open(2);
    for (uint64_t id = 1; id <= 3; id++)
        results_put(results, id, "a.txt", "hello", 5);
    assert_int_equal(mgc_results_count(results), 2);
    assert_int_equal(mgc_results_at(results, 0)->result.task_id, 2);
    assert_false(mgc_file_exists(tmpdir_file("results/0000000000000001")));
    mgc_results_free(results);
}

#ifndef _WIN32 /* what sets a directory's time there is another call */
static void set_age(const char *name, int64_t seconds)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, tmpdir_file(name), times, 0), 0);
}

/* The names are ids without order; age is what counts after a restart, too. */
static void the_oldest_goes_after_a_restart(void **state)
{
    (void)state;
    struct mgc_results *results = results_open(3);
    for (uint64_t id = 1; id <= 3; id++)
        results_put(results, id, "x", "", 0);
    mgc_results_free(results);
    set_age("results/0000000000000001", 100);
    set_age("results/0000000000000002", 300);
    set_age("results/0000000000000003", 200);
    results = results_open(3);
    assert_int_equal(mgc_results_at(results, 0)->result.task_id, 2);
    results_put(results, 9, "x", "", 0);
    assert_false(mgc_file_exists(tmpdir_file("results/0000000000000002")));
    assert_true(mgc_file_exists(tmpdir_file("results/0000000000000001")));
    assert_int_equal(mgc_results_at(results, 0)->result.task_id, 3);
    mgc_results_free(results);
}
#endif

static void facts_that_do_not_fit_are_dropped_not_the_result(void **state)
{
    (void)state;
    struct mgc_results *results = results_open(0);
    char name[32];
    char *big = calloc(1, 3000);
    memset(big, 'x', 2999);
    struct mgc_msg msg = {.kind = MGC_MSG_RESULT};
    msg.result.task_id = 9;
    msg.result.run_id = strdup("");
    msg.result.text = strdup("");
    msg.result.undo_text = strdup("");
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "fact%d", i);
        mgc_fields_set_str(&msg.result.facts, name, big);
    }
    free(big);
    struct mgc_error err = {0};
    assert_true(mgc_result_write(tmpdir_file("results/0000000000000009"), &msg, &err));
    assert_int_equal(msg.result.facts.count, 1);
    assert_non_null(mgc_fields_get_str(&msg.result.facts, "facts_dropped"));
    mgc_msg_destroy(&msg);
    mgc_results_free(results);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, tmpdir_setup, tmpdir_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(survive_a_restart),
        CASE(are_forgotten_when_acknowledged),
        CASE(a_task_cut_off_by_a_crash_has_a_result_too),
        CASE(a_damaged_result_says_so),
        CASE(the_oldest_goes_when_there_are_too_many),
#ifndef _WIN32
        CASE(the_oldest_goes_after_a_restart),
#endif
        CASE(facts_that_do_not_fit_are_dropped_not_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
