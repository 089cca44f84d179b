/* The undo journal: order, crash recovery, what is kept, what is set aside. */
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/task/journal.h"
#include "tests/unit/task/files.h"

/* The "machine" that toy undos act on. */
struct world {
    char log[256]; /* names undone, in order */
    int fail;      /* so many undos fail before one succeeds; -1: always */
    int tried_away;
    pthread_mutex_t lock; /* phones are undone side by side */
    pthread_cond_t noted;
};

static bool undo_note(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    struct world *world = worker;
    const char *name = mgc_fields_get_str(before, "name");
    if (world->fail) {
        world->fail -= world->fail > 0;
        return mgc_error_set(err, MGC_E_BUSY, "%s is stuck", name);
    }
    pthread_mutex_lock(&world->lock);
    strcat(world->log, name);
    pthread_cond_broadcast(&world->noted);
    pthread_mutex_unlock(&world->lock);
    return true;
}

/* Of a device that is away. */
static bool undo_away(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    struct world *world = worker;
    pthread_mutex_lock(&world->lock);
    world->tried_away++;
    pthread_mutex_unlock(&world->lock);
    return mgc_error_set(
        err, MGC_E_LOST, "device %s is away", mgc_fields_get_str(before, "serial"));
}

/* Of a device that is away, and says so only when another one's undo is over. */
static bool undo_slow(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    struct world *world = worker;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&world->lock);
    while (!world->log[0])
        assert_int_equal(pthread_cond_timedwait(&world->noted, &world->lock, &until), 0);
    pthread_mutex_unlock(&world->lock);
    return mgc_error_set(err, MGC_E_LOST, "it is away");
}

static const struct mgc_undo_kind undos[] = {
    {"toy.note", undo_note}, {"toy.away", undo_away}, {"toy.slow", undo_slow}, {0}};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    *state = world;
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->noted, NULL);
    return tmpdir_setup(NULL);
}

static int teardown(void **state)
{
    struct world *world = *state;
    pthread_cond_destroy(&world->noted);
    pthread_mutex_destroy(&world->lock);
    free(world);
    return tmpdir_teardown(NULL);
}

static struct mgc_journal *open_journal(struct world *world, const char *boot_id)
{
    struct mgc_journal_config config = {
        .dir = tmpdir_path, .boot_id = boot_id, .undos = undos, .worker = world};
    struct mgc_error err = {0};
    struct mgc_journal *journal = mgc_journal_open(&config, &err);
    if (!journal)
        fail_msg("%s", err.text);
    return journal;
}

static uint64_t add(struct mgc_journal *journal, uint64_t task_id, const char *name)
{
    struct mgc_fields before = {0};
    struct mgc_error err = {0};
    uint64_t entry = 0;
    mgc_fields_set_str(&before, "name", name);
    if (!mgc_journal_add(journal, task_id, "label", "toy.note", &before, &entry, &err))
        fail_msg("%s", err.text);
    mgc_fields_destroy(&before);
    return entry;
}

static void undoes_a_task_newest_first(void **state)
{
    struct world *world = *state;
    struct mgc_undo_report report;
    struct mgc_journal *journal = open_journal(world, "boot");
    add(journal, 1, "a");
    add(journal, 2, "x");
    add(journal, 1, "b");
    add(journal, 1, "c");
    mgc_journal_undo_task(journal, 1, MGC_NEVER, &report);
    assert_string_equal(world->log, "cba");
    assert_int_equal(report.done, 3);
    assert_int_equal(report.failed, 0);
    assert_int_equal(mgc_journal_count(journal), 1);
    mgc_journal_undo_task(journal, 1, MGC_NEVER, &report);
    assert_int_equal(report.done, 0);
    mgc_journal_free(journal);
}

struct heard {
    int ok, failed, other_boot;
    uint64_t task_id;
};

static void hear(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err)
{
    struct heard *heard = user;
    assert_string_equal(undo, "toy.note");
    heard->ok += !err;
    heard->failed += err != NULL;
    heard->other_boot += other_boot;
    heard->task_id = task_id;
}

static void replays_after_a_crash_also_of_another_boot(void **state)
{
    struct world *world = *state;
    struct heard heard = {0};
    struct mgc_journal *journal = open_journal(world, "boot-1");
    add(journal, 7, "a");
    add(journal, 7, "b");
    mgc_journal_free(journal); /* as a crash leaves it: nothing undone */
    assert_string_equal(world->log, "");

    journal = open_journal(world, "boot-2");
    add(journal, 7, "c");
    assert_int_equal(mgc_journal_count(journal), 3);
    mgc_journal_replay(journal, 3, 1, hear, &heard);
    assert_string_equal(world->log, "cba");
    assert_int_equal(heard.ok, 3);
    assert_int_equal(heard.other_boot, 2);
    assert_int_equal(heard.task_id, 7);
    mgc_journal_free(journal);

    journal = open_journal(world, "boot-2");
    assert_int_equal(mgc_journal_count(journal), 0);
    mgc_journal_free(journal);
}

static void tries_again_and_keeps_what_fails(void **state)
{
    struct world *world = *state;
    struct heard heard = {0};
    struct mgc_undo_report report;
    struct mgc_journal *journal = open_journal(world, "boot");
    add(journal, 1, "a");
    world->fail = 1;
    mgc_journal_undo_task(journal, 1, MGC_NEVER, &report);
    assert_int_equal(report.failed, 1);
    assert_string_equal(report.text, "undo toy.note (entry 1): a is stuck");
    assert_int_equal(mgc_journal_count(journal), 1);

    world->fail = -1;
    mgc_journal_replay(journal, 3, 1, hear, &heard);
    assert_int_equal(heard.failed, 1); /* told once, not per try */
    assert_int_equal(mgc_journal_count(journal), 1);

    world->fail = 2;
    mgc_journal_replay(journal, 3, 1, hear, &heard);
    assert_int_equal(heard.ok, 1);
    assert_string_equal(world->log, "a");
    assert_int_equal(mgc_journal_count(journal), 0);
    mgc_journal_free(journal);
}

static void one_failure_does_not_stop_the_others(void **state)
{
    struct world *world = *state;
    struct mgc_undo_report report;
    struct mgc_journal *journal = open_journal(world, "boot");
    add(journal, 1, "a");
    add(journal, 1, "b");
    world->fail = 1;
    mgc_journal_undo_task(journal, 1, MGC_NEVER, &report);
    assert_string_equal(world->log, "a");
    assert_int_equal(report.done, 1);
    assert_int_equal(report.failed, 1);
    mgc_journal_free(journal);
}

static void does_not_try_at_the_end_what_has_just_failed(void **state)
{
    struct world *world = *state;
    struct mgc_undo_report report;
    struct mgc_error err = {0};
    struct mgc_journal *journal = open_journal(world, "boot");
    add(journal, 1, "a");
    uint64_t stuck = add(journal, 1, "b");
    world->fail = 1;
    assert_false(mgc_journal_undo(journal, stuck, NULL));
    mgc_journal_undo_task(journal, 1, MGC_NEVER, &report);
    assert_string_equal(world->log, "a");
    assert_int_equal(report.done, 1);
    assert_int_equal(report.failed, 1);
    assert_string_equal(report.text, "undo toy.note (entry 2): b is stuck");
    mgc_journal_replay(journal, 1, 1, NULL, NULL); /* a later time is another matter */
    assert_string_equal(world->log, "ab");
    uint64_t late = add(journal, 2, "c");
    mgc_journal_undo_task(journal, 2, mgc_mono_ns() - 1, &report);
    assert_int_equal(report.failed, 1);
    assert_non_null(strstr(report.text, "no time is left"));
    assert_true(mgc_journal_undo(journal, late, &err));
    mgc_journal_free(journal);
}

static void sets_a_half_written_entry_aside(void **state)
{
    struct world *world = *state;
    struct heard heard = {0};
    struct mgc_journal *journal = open_journal(world, "boot");
    add(journal, 1, "a");
    add(journal, 1, "b");
    mgc_journal_free(journal);
    size_t len = 0;
    char *text = get_file(tmpdir_file("00000002.undo"), &len);
    put_file(tmpdir_file("00000002.undo"), text, len / 2);
    free(text);

    journal = open_journal(world, "boot");
    assert_int_equal(mgc_journal_count(journal), 1);
    assert_int_equal(mgc_journal_damaged(journal), 1);
    mgc_journal_replay(journal, 1, 1, hear, &heard);
    assert_string_equal(world->log, "a");
    assert_true(mgc_file_exists(tmpdir_file("00000002.damaged")));
    /* Its number is not given again. */
    assert_int_equal(add(journal, 1, "c"), 3);
    mgc_journal_free(journal);

    journal = open_journal(world, "boot");
    assert_int_equal(mgc_journal_damaged(journal), 1);
    mgc_journal_free(journal);
}

/* The change was not made yet, so there is nothing to undo, nothing to tell, and nothing to keep.
 */
static void removes_the_draft_of_a_write_that_was_cut_off(void **state)
{
    put_file(tmpdir_file("00000002.undo.cfP2tF"), "{\"task\"", 7);
    put_file(tmpdir_file("notes.undo.txt"), "a person's", 10);
    struct mgc_journal *journal = open_journal(*state, "boot-1");
    assert_int_equal(mgc_journal_count(journal), 0);
    assert_int_equal(mgc_journal_damaged(journal), 0);
    assert_false(mgc_file_exists(tmpdir_file("00000002.undo.cfP2tF")));
    assert_true(mgc_file_exists(tmpdir_file("notes.undo.txt")));
    mgc_journal_free(journal);
}

static void is_on_disk_before_add_returns(void **state)
{
    struct world *world = *state;
    struct mgc_journal *journal = open_journal(world, "boot");
    uint64_t entry = add(journal, 0x1a2b, "a");
    size_t len = 0;
    char *text = get_file(tmpdir_file("00000001.undo"), &len);
    assert_non_null(text);
    assert_string_equal(text, "undo = toy.note\nboot = boot\ntask = 1a2b\nlabel = \"label\"\n"
                              "before.name = \"a\"\nend\n");
    free(text);
    assert_true(mgc_journal_drop(journal, entry, NULL));
    assert_false(mgc_file_exists(tmpdir_file("00000001.undo")));
    assert_int_equal(mgc_journal_count(journal), 0);
    assert_string_equal(world->log, "");
    mgc_journal_free(journal);
}

static void refuses_an_unknown_undo(void **state)
{
    struct world *world = *state;
    struct mgc_error err = {0};
    struct mgc_fields none = {0};
    struct mgc_journal *journal = open_journal(world, "boot");
    assert_false(mgc_journal_add(journal, 1, "", "toy.other", &none, NULL, &err));
    assert_int_equal(err.code, MGC_E_UNSUPPORTED);
    assert_false(mgc_journal_undo(journal, 99, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    mgc_journal_free(journal);
}

static void keeps_an_entry_whose_undo_this_program_lacks(void **state)
{
    struct world *world = *state;
    struct mgc_undo_report report;
    const char text[] = "undo = future.thing\nboot = b\ntask = 5\nend\n";
    put_file(tmpdir_file("00000009.undo"), text, strlen(text));
    struct mgc_journal *journal = open_journal(world, "boot");
    mgc_journal_undo_task(journal, 5, MGC_NEVER, &report);
    assert_int_equal(report.failed, 1);
    assert_int_equal(mgc_journal_count(journal), 1);
    mgc_journal_free(journal);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void add_at(struct mgc_journal *journal, uint64_t task_id, const char *kind,
    const char *serial, const char *name)
{
    struct mgc_fields before = {0};
    mgc_fields_set_str(&before, "name", name);
    mgc_fields_set_str(&before, "serial", serial);
    assert_true(mgc_journal_add(journal, task_id, "label", kind, &before, NULL, NULL));
    mgc_fields_destroy(&before);
}

static void test_a_device_that_is_away_is_tried_once(void **state)
{
    struct world *world = *state;
    struct mgc_journal *journal = open_journal(world, "boot");
    add_at(journal, 1, "toy.away", "s1", "a");
    add_at(journal, 1, "toy.note", "s2", "b");
    add_at(journal, 1, "toy.away", "s1", "c");
    add_at(journal, 1, "toy.away", "s1", "d");
    add_at(journal, 1, "toy.away", "s11", "e");
    mgc_journal_replay(journal, 1, 0, NULL, NULL);
    assert_string_equal(world->log, "b");
    assert_int_equal(world->tried_away, 2); /* s11, s1 */
    assert_int_equal(mgc_journal_count(journal), 4);
    mgc_journal_replay(journal, 1, 0, NULL, NULL);
    assert_int_equal(world->tried_away, 4);
    mgc_journal_free(journal);
}

static void count_each(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err)
{
    int *counts = user;
    counts[err ? 1 : 0]++;
}

static void test_a_device_that_is_away_holds_up_no_other(void **state)
{
    struct world *world = *state;
    struct mgc_journal *journal = open_journal(world, "boot");
    int counts[2] = {0};
    add_at(journal, 1, "toy.note", "s2", "b");
    add_at(journal, 2, "toy.note", "s1", "c");
    add_at(journal, 2, "toy.slow", "s1", "a"); /* newest, and ends after s2's */
    mgc_journal_replay(journal, 1, 0, count_each, counts);
    assert_string_equal(world->log, "b");
    assert_int_equal(mgc_journal_count(journal), 2);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 2);
    mgc_journal_free(journal);
}

static void test_changes_that_are_given_up(void **state)
{
    struct world *world = *state;
    struct mgc_journal *journal = open_journal(world, "boot");
    add_at(journal, 1, "toy.note", "s1", "a");
    add_at(journal, 1, "toy.note", "s2", "b");
    add_at(journal, 2, "toy.away", "s1", "c");
    mgc_journal_give_up(journal, "s1", NULL, NULL);
    assert_int_equal(mgc_journal_count(journal), 1);
    mgc_journal_free(journal);
    journal = open_journal(world, "boot"); /* for good */
    assert_int_equal(mgc_journal_count(journal), 1);
    mgc_journal_replay(journal, 1, 0, NULL, NULL);
    assert_string_equal(world->log, "b");
    mgc_journal_free(journal);
}

static void test_what_was_left_is_undone_for_the_next_task(void **state)
{
    struct world *world = *state;
    struct mgc_error err = {0};
    struct mgc_undo_report report;
    struct mgc_journal *journal = open_journal(world, "boot");
    add_at(journal, 1, "toy.note", "s1", "a");
    mgc_journal_free(journal);
    journal = open_journal(world, "boot");
    add_at(journal, 2, "toy.note", "s1", "b"); /* of a task that runs */
    add_at(journal, 3, "toy.note", "s1", "c");
    world->fail = 1;
    mgc_journal_undo_task(journal, 3, INT64_MAX, &report);
    assert_int_equal(report.failed, 1);
    assert_true(mgc_journal_undo_left(journal, "serial", "s2", &err));
    assert_string_equal(world->log, "");
    world->fail = 1;
    assert_false(mgc_journal_undo_left(journal, "serial", "s1", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_true(mgc_journal_undo_left(journal, "serial", "s1", &err));
    assert_string_equal(world->log, "ca");
    assert_int_equal(mgc_journal_count(journal), 1);
    add_at(journal, 4, "toy.away", "s3", "d");
    mgc_journal_undo_task(journal, 4, INT64_MAX, &report);
    assert_false(mgc_journal_undo_left(journal, "serial", "s3", &err));
    assert_int_equal(err.code, MGC_E_LOST);
    mgc_journal_free(journal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(undoes_a_task_newest_first),
        CASE(replays_after_a_crash_also_of_another_boot), CASE(tries_again_and_keeps_what_fails),
        CASE(one_failure_does_not_stop_the_others),
        CASE(does_not_try_at_the_end_what_has_just_failed), CASE(sets_a_half_written_entry_aside),
        CASE(removes_the_draft_of_a_write_that_was_cut_off), CASE(is_on_disk_before_add_returns),
        CASE(refuses_an_unknown_undo), CASE(keeps_an_entry_whose_undo_this_program_lacks),
        cmocka_unit_test_setup_teardown(test_changes_that_are_given_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_device_that_is_away_is_tried_once, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_a_device_that_is_away_holds_up_no_other, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_what_was_left_is_undone_for_the_next_task, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
