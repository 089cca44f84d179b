/* Leases: who gets a resource, who is told what, what a crash leaves, epochs. Two mgc_leases with
 * one lock directory stand for two workers of one machine. */
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "common/task/dispatch.h"
#include "common/task/leases.h"
#include "tests/lib/fifo.h"
#include "tests/lib/tmpdir.h"

static const struct mgc_need the_phone[] = {{"phone", "serial", true}, {0}};
static const struct mgc_need beside[] = {{"phone", "serial", false}, {0}};
static const struct mgc_need both[] = {{"route", "address", true}, {"phone", "serial", true}, {0}};
static const struct mgc_task_kind server = {.name = "toy.server", .needs = the_phone};
static const struct mgc_task_kind logcat = {.name = "toy.logcat", .needs = beside};
static const struct mgc_task_kind route = {.name = "toy.route", .needs = both};
static const struct mgc_task_kind nothing = {.name = "toy.nothing"};

struct fixture {
    struct mgc_leases *one, *other;
    int64_t epoch;
    struct mgc_error err;
};

static struct mgc_leases *open_leases(const char *name)
{
    char locks[MGC_PATH_MAX];
    snprintf(locks, sizeof(locks), "%s", tmpdir_file("locks"));
    struct mgc_leases_config config = {.dir = tmpdir_file(name), .locks = locks};
    struct mgc_leases *leases = mgc_leases_open(&config, NULL);
    assert_non_null(leases);
    return leases;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    int64_t epoch;
    if (tmpdir_setup(NULL) != 0)
        return -1;
    f->one = open_leases("one");
    f->other = open_leases("other");
    assert_true(mgc_leases_next_epoch(f->one, &f->epoch, NULL));
    assert_true(mgc_leases_next_epoch(f->other, &epoch, NULL));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mgc_leases_free(f->one);
    mgc_leases_free(f->other);
    free(f);
    return tmpdir_teardown(NULL);
}

static bool grant_at(struct fixture *f, struct mgc_leases *leases, int64_t epoch,
    const struct mgc_task_kind *kind, uint64_t task_id)
{
    struct mgc_msg_task task = {
        .task_id = task_id, .label = (char *)"cell-1 step", .lease_epoch = epoch};
    mgc_fields_set_str(&task.params, "serial", "10.0.0.1:5555");
    mgc_error_clear(&f->err);
    bool ok = mgc_leases_grant(leases, kind, &task, leases == f->one ? "run-1" : "run-2", &f->err);
    mgc_fields_destroy(&task.params);
    return ok;
}

static bool grant(struct fixture *f, const struct mgc_task_kind *kind, uint64_t task_id)
{
    return grant_at(f, f->one, f->epoch, kind, task_id);
}

static bool grant_other(struct fixture *f)
{
    return grant_at(f, f->other, 1, &logcat, 77);
}

static void assert_busy(const struct fixture *f, const char *with)
{
    assert_int_equal(f->err.code, MGC_E_BUSY);
    if (!strstr(f->err.text, with))
        fail_msg("expected '%s' in: %s", with, f->err.text);
}

static void a_sole_user_runs_beside_others_but_alone_of_its_kind(void **state)
{
    struct fixture *f = *state;
    assert_true(grant(f, &logcat, 1));
    assert_true(grant(f, &server, 2));
    assert_true(grant(f, &logcat, 3));
    assert_false(grant(f, &server, 4));
    assert_busy(
        f, "phone:10.0.0.1:5555 is held by 'cell-1 step (toy.server)' of run 'run-1' since ");
    mgc_leases_leave(f->one, 2);
    mgc_leases_leave(f->one, 99); /* unknown */
    assert_true(grant(f, &server, 4));
}

static void what_is_absent_is_not_needed(void **state)
{
    struct fixture *f = *state;
    assert_true(grant(f, &route, 1)); /* it has no address */
    assert_true(mgc_file_exists(tmpdir_file("one/phone%3A10.0.0.1%3A5555")));
}

static void a_refused_task_keeps_nothing(void **state)
{
    struct fixture *f = *state;
    struct mgc_msg_task task = {.task_id = 2, .label = (char *)"", .lease_epoch = f->epoch};
    mgc_fields_set_str(&task.params, "serial", "10.0.0.1:5555");
    mgc_fields_set_str(&task.params, "address", "10.0.0.1");
    assert_true(grant(f, &server, 1));
    assert_false(mgc_leases_grant(f->one, &route, &task, "run-1", &f->err));
    mgc_leases_leave(f->one, 1);
    task.task_id = 3;
    assert_true(mgc_leases_grant(f->one, &route, &task, "run-1", &f->err));
    mgc_fields_destroy(&task.params);
}

static void lease_is(const struct mgc_fields *facts, const char *lease_state, const char *resource,
    const char *run, const char *task)
{
    const char *seen = mgc_fields_get_str(facts, "lease.0.task");
    assert_string_equal(mgc_fields_get_str(facts, "lease.0.state"), lease_state);
    assert_string_equal(mgc_fields_get_str(facts, "lease.0.resource"), resource);
    assert_string_equal(mgc_fields_get_str(facts, "lease.0.run"), run);
    if (task)
        assert_string_equal(seen, task);
    else
        assert_null(seen);
}

static void another_worker_of_the_machine_is_told_who_has_it(void **state)
{
    struct fixture *f = *state;
    struct mgc_fields facts = {0};
    assert_true(grant(f, &server, 1));
    assert_false(grant_other(f));
    assert_busy(
        f, "another worker of this machine: run 'run-1', 'cell-1 step (toy.server)', since 2");
    assert_true(mgc_leases_facts(f->other, true, &facts));
    lease_is(&facts, "other", "phone:10.0.0.1:5555", "run-1", "cell-1 step (toy.server)");
    mgc_fields_destroy(&facts);
    mgc_leases_leave(f->one, 1); /* between two tasks the run keeps it */
    assert_false(grant_other(f));
    assert_busy(f, "run 'run-1', no task now, since 2");
    mgc_leases_end(f->one);
    assert_true(grant_other(f));
    assert_true(mgc_leases_facts(f->one, true, &facts));
    lease_is(&facts, "other", "phone:10.0.0.1:5555", "run-2", "cell-1 step (toy.logcat)");
    mgc_fields_destroy(&facts);
}

/* Its own, too: for whom, on whose behalf, and what is left when that is over. */
static void a_worker_says_what_it_holds_itself(void **state)
{
    struct fixture *f = *state;
    struct mgc_fields facts = {0};
    mgc_leases_for(f->one, "desk, process 17");
    assert_true(grant(f, &server, 1));
    assert_true(mgc_leases_facts(f->one, true, &facts));
    lease_is(&facts, "held", "phone:10.0.0.1:5555", "run-1", "cell-1 step (toy.server)");
    assert_string_equal(mgc_fields_get_str(&facts, "lease.0.coordinator"), "desk, process 17");
    assert_string_equal(mgc_fields_get_str(&facts, "lease.0.epoch"), "1");
    assert_non_null(mgc_fields_get_str(&facts, "lease.0.since"));
    assert_null(mgc_fields_get_str(&facts, "lease.1.resource"));
    assert_false(grant_other(f));
    assert_busy(f, "run 'run-1' (coordinator on desk, process 17), 'cell-1 step (toy.server)'");
    mgc_leases_leave(f->one, 1);
    assert_true(mgc_leases_next_epoch(f->one, &f->epoch, NULL)); /* not undone */
    assert_true(mgc_leases_facts(f->one, true, &facts));
    lease_is(&facts, "left", "phone:10.0.0.1:5555", "run-1", NULL);
    mgc_leases_end(f->one);
    assert_true(mgc_leases_facts(f->one, true, &facts));
    assert_int_equal(facts.count, 0);
    mgc_fields_destroy(&facts);
}

static void a_holder_that_died_is_told_until_it_is_back(void **state)
{
    struct fixture *f = *state;
    struct mgc_fields facts = {0};
    mgc_leases_for(f->one, "desk, process 17");
    assert_true(grant(f, &server, 1));
    mgc_leases_free(f->one); /* as a crash */
    f->one = NULL;
    for (int look = 0; look < 2; look++) {
        assert_true(mgc_leases_facts(f->other, true, &facts));
        lease_is(&facts, "gone", "phone:10.0.0.1:5555", "run-1", "cell-1 step (toy.server)");
    }
    f->one = open_leases("one");
    assert_true(mgc_leases_facts(f->one, false, &facts));
    lease_is(&facts, "left", "phone:10.0.0.1:5555", "run-1", NULL);
    assert_string_equal(mgc_fields_get_str(&facts, "lease.0.coordinator"), "desk, process 17");
    assert_true(mgc_leases_recover(f->one, &f->err));
    mgc_leases_end(f->one);
    assert_true(mgc_leases_facts(f->other, true, &facts));
    assert_int_equal(facts.count, 0);
    mgc_fields_destroy(&facts);
}

/* Two phones on one worker: each has a lease of its own, and sole users beside each other. */
static bool grant_phone(struct fixture *f, int number, uint64_t task_id)
{
    struct mgc_msg_task task = {
        .task_id = task_id, .label = (char *)"cell-1 step", .lease_epoch = f->epoch};
    mgc_fields_setf(&task.params, "serial", "127.0.1.%d:5555", number);
    bool ok = mgc_leases_grant(f->one, &server, &task, "run-1", &f->err);
    mgc_fields_destroy(&task.params);
    return ok;
}

static void two_phones_have_each_a_lease(void **state)
{
    struct fixture *f = *state;
    assert_true(grant_phone(f, 1, 1));
    assert_true(grant_phone(f, 2, 2));
    assert_false(grant_phone(f, 1, 3));
    mgc_leases_leave(f->one, 2);
    assert_false(grant_phone(f, 1, 4));
    assert_true(grant_phone(f, 2, 5));
}

static void a_hello_names_no_more_than_fits(void **state)
{
    struct fixture *f = *state;
    struct mgc_fields facts = {0};
    for (int number = 1; number <= 70; number++)
        assert_true(grant_phone(f, number, (uint64_t)number));
    assert_true(mgc_leases_facts(f->other, true, &facts));
    assert_non_null(mgc_fields_get_str(&facts, "lease.63.resource"));
    assert_null(mgc_fields_get_str(&facts, "lease.64.resource"));
    mgc_fields_destroy(&facts);
}

static void a_pipe_among_the_locks_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    struct mgc_fields facts = {0};
    fifo_make(tmpdir_file("locks/phone%3Ax.lock"));
    assert_true(mgc_leases_facts(f->one, true, &facts));
    assert_int_equal(facts.count, 0);
    mgc_fields_destroy(&facts);
}

static void *release_soon(void *user)
{
    mgc_sleep_ms(50);
    mgc_lock_release(user);
    return NULL;
}

/* As another worker does that looks whether a holder still lives. */
static void who_looks_at_a_lock_is_no_holder(void **state)
{
    struct fixture *f = *state;
    struct mgc_lock look = MGC_LOCK_INIT;
    pthread_t thread;
    assert_true(
        mgc_lock_take_public(&look, tmpdir_file("locks/phone%3A10.0.0.1%3A5555.lock"), NULL));
    assert_int_equal(pthread_create(&thread, NULL, release_soon, &look), 0);
    assert_true(grant(f, &server, 1));
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void tasks_of_another_session_are_stale(void **state)
{
    struct fixture *f = *state;
    assert_false(grant_at(f, f->one, 0, &server, 1));
    assert_int_equal(f->err.code, MGC_E_STALE);
    assert_true(grant_at(f, f->one, 0, &nothing, 1)); /* it needs nothing */
    int64_t before = f->epoch;
    mgc_leases_end(f->one);
    assert_true(mgc_leases_next_epoch(f->one, &f->epoch, NULL));
    assert_int_equal(f->epoch, before + 1);
    assert_false(grant_at(f, f->one, before, &nothing, 2));
    assert_int_equal(f->err.code, MGC_E_STALE);
    assert_non_null(strstr(f->err.text, "lease epoch 1, this session's is 2"));
    mgc_leases_free(f->one);
    f->one = open_leases("one"); /* a restart goes on counting */
    assert_true(mgc_leases_next_epoch(f->one, &f->epoch, NULL));
    assert_int_equal(f->epoch, before + 2);
}

/* As a crash: the record stays, the lock goes. */
static void cut_off(struct fixture *f)
{
    assert_true(grant(f, &server, 1));
    mgc_leases_free(f->one);
    f->one = NULL;
    assert_true(mgc_file_exists(tmpdir_file("one/phone%3A10.0.0.1%3A5555")));
}

static void a_lease_that_was_cut_off_is_taken_back_first(void **state)
{
    struct fixture *f = *state;
    cut_off(f);
    f->one = open_leases("one");
    assert_true(mgc_leases_recover(f->one, &f->err));
    assert_false(grant_other(f)); /* while we undo */
    mgc_leases_end(f->one);
    assert_false(mgc_file_exists(tmpdir_file("one/phone%3A10.0.0.1%3A5555")));
    assert_true(grant_other(f));
}

/* A worker killed while it writes a record leaves the temporary file beside it. Taken for a second
 * lease on the same thing, it would wait for a lock that we hold ourselves. */
static void what_a_cut_off_write_left_is_no_lease(void **state)
{
    struct fixture *f = *state;
    char record[MGC_PATH_MAX], left[MGC_PATH_MAX + 8];
    cut_off(f);
    snprintf(record, sizeof(record), "%s", tmpdir_file("one/phone%3A10.0.0.1%3A5555"));
    snprintf(left, sizeof(left), "%s.aB3xYz", record);
    assert_true(mgc_file_copy(record, left, 0600, NULL));
    f->one = open_leases("one");
    assert_true(mgc_leases_recover(f->one, &f->err));
    assert_false(mgc_file_exists(left));
    assert_true(mgc_file_exists(record));
}

/* Killed between the lease and the first change: nothing is to be undone, yet the lease is over. */
static void a_lease_without_a_change_does_not_outlive_the_crash(void **state)
{
    struct fixture *f = *state;
    static const struct mgc_undo_kind none[] = {{0}};
    struct mgc_journal_config journal = {
        .dir = tmpdir_file("journal"), .boot_id = "boot", .undos = none};
    struct mgc_msg_hello hello = {0};
    cut_off(f);
    f->one = open_leases("one");
    struct mgc_dispatch_config config = {
        .journal = mgc_journal_open(&journal, NULL), .leases = f->one, .hello = &hello};
    assert_non_null(config.journal);
    assert_true(mgc_dispatch_new_session(&config, 1, NULL, NULL, &f->err));
    f->epoch = hello.lease_epoch;
    assert_true(grant(f, &server, 2));
    mgc_journal_free(config.journal);
    mgc_fields_destroy(&hello.facts);
}

static void nothing_is_undone_under_another_holder(void **state)
{
    struct fixture *f = *state;
    cut_off(f);
    assert_true(grant_other(f));
    f->one = open_leases("one");
    assert_false(mgc_leases_recover(f->one, &f->err));
    assert_busy(f, "run 'run-2'");
    mgc_leases_end(f->one);
    assert_true(mgc_leases_next_epoch(f->one, &f->epoch, NULL));
    assert_false(grant(f, &server, 2)); /* not before the undo */
    assert_busy(f, "still held for run 'run-1'");
    mgc_leases_end(f->other);
    assert_true(mgc_leases_recover(f->one, &f->err));
    mgc_leases_end(f->one);
    assert_true(grant(f, &server, 2));
}

/* The session is over, and something could not be undone. */
static void what_is_not_undone_stays_leased(void **state)
{
    struct fixture *f = *state;
    assert_true(grant(f, &server, 1));
    mgc_leases_leave(f->one, 1);
    assert_true(mgc_leases_next_epoch(f->one, &f->epoch, NULL));
    assert_false(grant_other(f));
    assert_busy(f, "run 'run-1'");
    assert_true(grant(f, &server, 2)); /* the worker that will undo may go on */
    mgc_leases_leave(f->one, 2);
    mgc_leases_free(f->one); /* a restart */
    f->one = open_leases("one");
    assert_true(mgc_leases_recover(f->one, &f->err));
    assert_false(grant_other(f));
    mgc_leases_end(f->one);
    assert_true(grant_other(f));
}

static void an_epoch_that_cannot_be_read_is_not_guessed(void **state)
{
    struct fixture *f = *state;
    struct mgc_leases_config config = {.dir = tmpdir_file("third"), .locks = tmpdir_file("locks")};
    assert_true(mgc_dir_make(tmpdir_file("third"), 0700, NULL));
    assert_true(mgc_file_write(tmpdir_file("third/epoch"), "x", 1, 0600, NULL));
    struct mgc_leases *leases = mgc_leases_open(&config, &f->err);
    assert_non_null(leases); /* what a crash left has to be undone all the same */
    assert_true(mgc_leases_recover(leases, NULL));
    int64_t epoch = 0;
    assert_false(mgc_leases_next_epoch(leases, &epoch, &f->err));
    assert_int_equal(f->err.code, MGC_E_CONFIG);
    assert_non_null(strstr(f->err.text, "third/epoch"));
    mgc_leases_free(leases);
}

static void an_epoch_written_by_hand_is_read(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {"1000\n", "1000\r\n", "1000"};
    assert_true(mgc_dir_make(tmpdir_file("third"), 0700, NULL));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int64_t epoch = 0;
        assert_true(
            mgc_file_write(tmpdir_file("third/epoch"), texts[i], strlen(texts[i]), 0600, NULL));
        struct mgc_leases_config config = {
            .dir = tmpdir_file("third"), .locks = tmpdir_file("locks")};
        struct mgc_leases *leases = mgc_leases_open(&config, &f->err);
        assert_non_null(leases);
        assert_true(mgc_leases_next_epoch(leases, &epoch, &f->err));
        assert_int_equal(epoch, 1001);
        mgc_leases_free(leases);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_sole_user_runs_beside_others_but_alone_of_its_kind),
        CASE(what_is_absent_is_not_needed),
        CASE(a_refused_task_keeps_nothing),
        CASE(another_worker_of_the_machine_is_told_who_has_it),
        CASE(two_phones_have_each_a_lease),
        CASE(a_hello_names_no_more_than_fits),
        CASE(a_pipe_among_the_locks_is_not_waited_for),
        CASE(who_looks_at_a_lock_is_no_holder),
        CASE(a_worker_says_what_it_holds_itself),
        CASE(a_holder_that_died_is_told_until_it_is_back),
        CASE(tasks_of_another_session_are_stale),
        CASE(a_lease_that_was_cut_off_is_taken_back_first),
        CASE(what_a_cut_off_write_left_is_no_lease),
        CASE(a_lease_without_a_change_does_not_outlive_the_crash),
        CASE(nothing_is_undone_under_another_holder),
        CASE(what_is_not_undone_stays_leased),
        CASE(an_epoch_that_cannot_be_read_is_not_guessed),
        CASE(an_epoch_written_by_hand_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
