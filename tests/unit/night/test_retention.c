/* Which runs go, which never do, and that a kill half-way leaves none half there. */
#include "coordinator/night/retention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/history/history.h"
#include "coordinator/night/trash.h"
#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

#define DAY_NS (24 * 3600 * MGC_NS_PER_S)

static char root[MGC_PATH_MAX], db[MGC_PATH_MAX];

static int setup(void **state)
{
    (void)state;
    history_dir_make(root, db);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    history_dir_remove(root);
    return 0;
}

/* ---- choosing ---- */

static void assert_chosen(int64_t runs, int64_t days, const char *expected)
{
    struct mgc_retention retention = {.runs = runs, .days = days};
    struct mgc_old_run items[4] = {0};
    struct mgc_old_runs list = {items, 4};
    char chosen[5] = "";
    for (size_t i = 0; i < 4; i++) /* 1, 11, 21, 31 days old */
        items[i].start_wall_ns = 1000 * DAY_NS - (int64_t)(10 * i + 1) * DAY_NS;
    mgc_retention_choose(&retention, 1000 * DAY_NS, &list);
    for (size_t i = 0; i < 4; i++)
        chosen[i] = items[i].goes ? 'x' : '.';
    if (strcmp(chosen, expected) != 0)
        fail_msg("runs %d, days %d: %s", (int)runs, (int)days, chosen);
}

/* The present run is the first of `runs`, and not in the list. */
static void only_what_is_over_every_limit_goes(void **state)
{
    (void)state;
    assert_chosen(0, 0, "....");
    assert_chosen(1, 0, "xxxx");
    assert_chosen(3, 0, "..xx");
    assert_chosen(9, 0, "....");
    assert_chosen(0, 11, "..xx");
    assert_chosen(0, 12, "..xx");
    assert_chosen(0, 10, ".xxx");
    assert_chosen(2, 30, "...x");
    assert_chosen(4, 1, "...x");
}

static void names_of_runs_are_known(void **state)
{
    static const char *const others[] = {"", ".trash", "mgcoord.db", "keep", "20261130T135200Z",
        "20261130T135200Z-", "2026113T135200Z-crosshost", "20261130T135200Z-a/../b",
        "x20261130T135200Z-crosshost-k3f9", "notes"};
    (void)state;
    assert_true(mgc_trash_is_run_id("20261130T135200Z-crosshost-k3f9"));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(mgc_trash_is_run_id(others[i]));
}

/* ---- a results root ---- */

static const char *in_root(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *in_root(const char *fmt, ...)
{
    static char paths[4][MGC_PATH_MAX];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    int len = snprintf(path, MGC_PATH_MAX, "%s/", root);
    va_list args;
    va_start(args, fmt);
    vsnprintf(path + len, MGC_PATH_MAX - (size_t)len, fmt, args);
    va_end(args);
    return path;
}

static void write_text(const char *path, const char *text)
{
    char dir[MGC_PATH_MAX];
    snprintf(dir, sizeof(dir), "%s", path);
    *strrchr(dir, '/') = '\0';
    assert_true(mgc_dir_make(dir, 0777, NULL));
    assert_true(mgc_file_write(path, text, strlen(text), 0644, NULL));
}

/* Run n of plan "matrix", n days old or younger by its number; also in the history. */
static void make_run(int n, const char *plan, bool in_history)
{
    struct history_fixture f;
    char text[1024];
    history_fixture_make(&f, n, 10);
    snprintf(text, sizeof(text),
        "{\"schema\": \"mgcoord-run-1\", \"start_wall_s\": %lld, \"plan\": {\"name\": \"%s\", "
        "\"run_id\": \"%s\", \"cells\": [{\"id\": \"setup\"}, {\"id\": \"openra/shm-r1\"}, "
        "{\"id\": \"openra/shm-r2\"}, {\"id\": \"openra/monolith-r1\"}, "
        "{\"id\": \"../escape\"}]}}",
        (long long)(f.results.start_wall_ns / MGC_NS_PER_S), plan, f.run_id);
    write_text(in_root("%s/run.json", f.run_id), text);
    write_text(in_root("%s/attempts/setup/a1/verdict.json", f.run_id), "{}");
    write_text(in_root("%s/openra/shm-r1/verdict.json", f.run_id), "{}");
    write_text(in_root("%s/attempts/openra/shm-r1/a1/verdict.json", f.run_id), "{}");
    write_text(in_root("%s/attempts/openra/shm-r2/a1/verdict.json", f.run_id), "{}");
    write_text(in_root("%s/openra/monolith-r1/verdict.json", f.run_id), "{}");
    write_text(in_root("%s/attempts/openra/monolith-r1/a2/verdict.json", f.run_id),
        "{\"for_the_sake_of\": \"openra/shm-r1\"}");
    if (in_history)
        history_add(db, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
}

static const char *id_of(int n)
{
    static char ids[4][64];
    static unsigned turn;
    char *id = ids[turn++ % 4];
    snprintf(id, 64, "202612%02dT010000Z-matrix-aaaa", n + 1);
    return id;
}

static bool is_there(int n)
{
    return mgc_file_exists(in_root("%s", id_of(n)));
}

static struct mgc_buf told;

static void tell(void *user, const char *sentence)
{
    (void)user;
    mgc_buf_printf(&told, "%s\n", sentence);
}

/* With run `present` as the one that has just ended. */
static bool apply(int present, int64_t runs, bool drop, struct mgc_error *err)
{
    struct mgc_retention retention = {.runs = runs, .drop_attempts = drop};
    mgc_buf_destroy(&told);
    return mgc_retention_apply(root, "matrix", id_of(present), &retention, tell, NULL, err);
}

static void the_oldest_go_and_are_told(void **state)
{
    (void)state;
    for (int n = 0; n < 5; n++)
        make_run(n, "matrix", true);
    write_text(in_root("notes/run.json"), "{}");
    assert_true(apply(4, 3, false, NULL));
    assert_false(is_there(0) || is_there(1));
    assert_true(is_there(2) && is_there(3) && is_there(4));
    assert_string_equal(mgc_buf_text(&told), "run '20261202T010000Z-matrix-aaaa' was removed\n"
                                             "run '20261201T010000Z-matrix-aaaa' was removed\n");
    assert_true(mgc_file_exists(in_root("notes")));
    assert_true(mgc_file_exists(in_root(".trash")));
    assert_int_not_equal(rmdir(in_root("notes")), 0);
    assert_int_equal(rmdir(in_root(".trash")), 0);
    assert_true(apply(4, 3, false, NULL));
    assert_string_equal(mgc_buf_text(&told), "");
    mgc_buf_destroy(&told);
}

/* Run n again, as one of the phones p1 and p2, of which `known` are in the history. */
static void make_fleet(int n, int known)
{
    struct history_fixture f;
    char text[512], whole[64];
    history_fixture_make(&f, n, 10);
    snprintf(whole, sizeof(whole), "%s", f.run_id);
    snprintf(text, sizeof(text),
        "{\"schema\": \"mgcoord-fleet-1\", \"start_wall_s\": %lld, \"plan\": {\"name\": "
        "\"matrix\", \"run_id\": \"%s\"}, \"phones\": [\"p1\", \"p2\"]}",
        (long long)(f.results.start_wall_ns / MGC_NS_PER_S), whole);
    write_text(in_root("%s/run.json", whole), text);
    write_text(in_root("%s/phones/p1/attempts/setup/a1/verdict.json", whole), "{}");
    for (int phone = 1; phone <= known; phone++) {
        snprintf(f.run_id, sizeof(f.run_id), "%.40s-p%d", whole, phone);
        history_add(db, &f, MGC_ORIGIN_RUN, true);
    }
    history_fixture_destroy(&f);
}

static void a_run_on_several_phones_goes_when_all_are_known(void **state)
{
    (void)state;
    make_fleet(0, 2);
    make_fleet(1, 1);
    make_run(2, "matrix", true);
    assert_true(apply(2, 1, true, NULL));
    assert_false(is_there(0));
    assert_true(is_there(1));
    assert_non_null(
        strstr(mgc_buf_text(&told), "run '20261201T010000Z-matrix-aaaa' was removed\n"));
    assert_non_null(strstr(mgc_buf_text(&told), "run '20261202T010000Z-matrix-aaaa' stays"));
    mgc_buf_destroy(&told);
}

static void some_never_go(void **state)
{
    struct mgc_lock lock = MGC_LOCK_INIT;
    (void)state;
    make_run(0, "other-plan", true);
    make_run(1, "matrix", true);
    make_run(2, "matrix", true);
    make_run(3, "matrix", false);
    make_run(4, "matrix", true);
    make_run(5, "matrix", true);
    make_run(6, "matrix", true);
    write_text(in_root("%s/keep", id_of(1)), "");
    assert_true(mgc_lock_take(&lock, in_root("%s/lock", id_of(2)), NULL));
    write_text(in_root("%s/control.sock", id_of(4)), "");
    assert_int_equal(rename(in_root("%s", id_of(5)), in_root("elsewhere")), 0);
    assert_int_equal(symlink(in_root("elsewhere"), in_root("%s", id_of(5))), 0);
    assert_true(apply(6, 1, true, NULL));
    for (int n = 0; n <= 6; n++)
        assert_true(is_there(n));
    assert_true(mgc_file_exists(in_root("elsewhere/run.json")));
    assert_non_null(strstr(mgc_buf_text(&told), "-matrix-aaaa' stays although it is over the "
                                                "limit: it is marked by its file 'keep'"));
    assert_non_null(strstr(mgc_buf_text(&told), "limit: somebody uses it"));
    assert_non_null(strstr(mgc_buf_text(&told), "limit: it is not in the history"));
    assert_null(strstr(mgc_buf_text(&told), "removed"));
    mgc_lock_release(&lock);
    assert_true(apply(6, 1, false, NULL));
    assert_false(is_there(2));
    mgc_buf_destroy(&told);
}

/* As a kill between the rename and the last file leaves it. */
static void what_a_kill_left_goes_next_time(void **state)
{
    (void)state;
    make_run(0, "matrix", true);
    make_run(1, "matrix", true);
    write_text(in_root(".trash/%s/openra/file", id_of(0)), "");
    write_text(in_root(".trash/somebodys"), "");
    assert_true(apply(1, 1, false, NULL));
    assert_false(is_there(0));
    assert_false(mgc_file_exists(in_root(".trash/%s", id_of(0))));
    assert_true(mgc_file_exists(in_root(".trash/somebodys")));
    mgc_buf_destroy(&told);
}

static void a_trash_that_leads_elsewhere_is_refused(void **state)
{
    struct mgc_error err = {0};
    (void)state;
    make_run(0, "matrix", true);
    make_run(1, "matrix", true);
    write_text(in_root("elsewhere/%s/file", id_of(0)), "");
    assert_int_equal(symlink(in_root("elsewhere"), in_root(".trash")), 0);
    assert_false(apply(1, 1, false, &err));
    assert_non_null(strstr(err.text, "is no directory"));
    assert_true(is_there(0));
    assert_true(mgc_file_exists(in_root("elsewhere/%s/file", id_of(0))));
    mgc_buf_destroy(&told);
}

static void without_a_history_nothing_goes(void **state)
{
    struct mgc_error err = {0};
    (void)state;
    make_run(0, "matrix", false);
    assert_false(apply(1, 1, false, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_true(is_there(0));
    mgc_buf_destroy(&told);
}

/* The report is made of the setup, and of what came to no end. */
static void superseded_attempts_go_where_the_plan_says_so(void **state)
{
    (void)state;
    make_run(0, "matrix", true);
    make_run(1, "matrix", true);
    assert_true(apply(1, 0, true, NULL));
    assert_string_equal(
        mgc_buf_text(&told), "run '20261201T010000Z-matrix-aaaa' lost its superseded attempts\n");
    assert_false(mgc_file_exists(in_root("%s/attempts/openra/shm-r1", id_of(0))));
    assert_true(mgc_file_exists(in_root("%s/attempts/openra/shm-r2/a1", id_of(0))));
    assert_true(mgc_file_exists(in_root("%s/attempts/setup/a1", id_of(0))));
    assert_true(mgc_file_exists(in_root("%s/openra/shm-r1/verdict.json", id_of(0))));
    /* shm-r1 is held against that one */
    assert_true(mgc_file_exists(in_root("%s/attempts/openra/monolith-r1/a2", id_of(0))));
    assert_true(mgc_file_exists(in_root("%s/attempts/openra/shm-r1", id_of(1))));
    assert_int_equal(rmdir(in_root(".trash")), 0);
    mgc_buf_destroy(&told);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_over_every_limit_goes),
        cmocka_unit_test(names_of_runs_are_known),
        TEST(the_oldest_go_and_are_told),
        TEST(a_run_on_several_phones_goes_when_all_are_known),
        TEST(some_never_go),
        TEST(what_a_kill_left_goes_next_time),
        TEST(a_trash_that_leads_elsewhere_is_refused),
        TEST(without_a_history_nothing_goes),
        TEST(superseded_attempts_go_where_the_plan_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
