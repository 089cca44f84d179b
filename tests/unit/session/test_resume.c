/* Whose verdict stands when a run is resumed, and what becomes of the directories. */
#include "coordinator/session/resume.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "coordinator/report/report.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

#define RUN  "20261130T135200Z-matrix-k3f9"
#define CELL "openra/tcp-r1"

static struct mgc_cell plan_cells[] = {
    {.kind = MGC_CELL_SETUP, .id = (char *)"setup", .lane = (char *)"matrix"},
    {.kind = MGC_CELL_MEASURE,
        .id = (char *)CELL,
        .lane = (char *)"matrix",
        .workload = (char *)"openra",
        .arm = (char *)"tcp",
        .rep = 1},
};
static struct mgc_plan plan = {.name = (char *)"matrix",
    .run_id = (char *)RUN,
    .cells = plan_cells,
    .cell_count = 2,
    .retries_per_cell = 1};

static char results[MGC_PATH_MAX], run[MGC_PATH_MAX];
static int64_t run_replaced; /* of the results that were resumed last */

static const char *below(const char *name)
{
    static char paths[4][MGC_PATH_MAX];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    assert_true(mgc_path_join(path, MGC_PATH_MAX, run, name));
    return path;
}

static void put_text(const char *dir, const char *name, const char *text)
{
    char path[MGC_PATH_MAX];
    assert_true(mgc_dir_make(dir, 0777, NULL));
    assert_true(mgc_path_join(path, sizeof(path), dir, name));
    assert_true(mgc_file_write(path, text, strlen(text), 0644, NULL));
}

static void put_json(const char *dir, const char *name, json_t *doc)
{
    char *text = json_dumps(doc, 0);
    put_text(dir, name, text);
    free(text);
    json_decref(doc);
}

/* A results root with one run in it. */
static int set_up(void **state)
{
    static int nth;
    snprintf(results, sizeof(results), "%s/r%d", tmpdir_path, ++nth);
    assert_true(mgc_path_join(run, sizeof(run), results, RUN));
    put_json(run, "run.json",
        json_pack("{s:s, s:f, s:{s:s, s:s, s:i, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s, s:s, s:s, s:i, "
                  "s:s}]}, s:{}}",
            "schema", "mgcoord-run-1", "start_wall_s", 5.0, "plan", "name", "matrix", "run_id", RUN,
            "retries_per_cell", 1, "cells", "id", "setup", "kind", "setup", "lane", "matrix", "id",
            CELL, "kind", "measure", "lane", "matrix", "workload", "openra", "arm", "tcp", "rep", 1,
            "mode", "benchmark", "settings"));
    return 0;
}

/* An attempt with one file, judged. */
static void put_attempt(
    const char *place, int number, enum mgc_reason reason, bool measured, bool whole)
{
    char dir[MGC_PATH_MAX], hash[MGC_SHA256_HEX_SIZE];
    struct mgc_verdict verdict = {0};
    struct mgc_attempt attempt = {.cell = &plan_cells[1], .number = number};
    struct mgc_buf text = {0};
    snprintf(dir, sizeof(dir), "%s", below(place));
    put_text(dir, "result.json", "{}");
    assert_true(mgc_sha256_file(below("run.json"), hash, NULL, NULL)); /* not the file's */
    if (whole) {
        char file[MGC_PATH_MAX];
        assert_true(mgc_path_join(file, sizeof(file), dir, "result.json"));
        assert_true(mgc_sha256_file(file, hash, NULL, NULL));
    }
    if (measured) {
        mgc_verdict_add(&verdict, "result", MGC_CHECK_OK, "result.json", "passed");
        mgc_fields_set_double(&verdict.metrics, "mean_ms", 6.5);
        verdict.state = MGC_VERDICT_MEASURED;
    } else {
        mgc_reason_set(&verdict, reason, "seen");
    }
    assert_true(mgc_report_verdict_json(&attempt, &verdict, NULL, &text, NULL));
    put_text(dir, "verdict.json", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
    mgc_verdict_destroy(&verdict);
    put_json(dir, "manifest.json",
        json_pack("{s:s, s:[{s:s, s:s, s:s}]}", "schema", "mgcoord-manifest-1", "files", "name",
            "result.json", "sha256", hash, "storage", "verified"));
}

/* Resume it; the cell's standing, and the results' row in *ret_row (NULL: not wanted). */
static struct mgc_standing resume(struct mgc_cell_result *ret_row)
{
    struct mgc_resume opened;
    struct mgc_results fresh;
    struct mgc_standing standings[2] = {0};
    struct mgc_error err = {0};
    assert_true(mgc_resume_open(&opened, results, RUN, &err));
    assert_true(mgc_results_init(&fresh, &plan, &err));
    if (!mgc_resume_cells(&opened, &opened.dir, &fresh, standings, &err))
        fail_msg("%s", err.text);
    if (ret_row) {
        *ret_row = fresh.cells[0];
        ret_row->dir = NULL;
        ret_row->verdict = (struct mgc_verdict){.state = fresh.cells[0].verdict.state};
    }
    run_replaced = fresh.replaced;
    mgc_results_destroy(&fresh);
    mgc_resume_close(&opened);
    return standings[1];
}

static void stored_reason(const char *place, const char *expected)
{
    char path[MGC_PATH_MAX];
    snprintf(path, sizeof(path), "%s/verdict.json", below(place));
    json_t *doc = json_load_file(path, 0, NULL);
    assert_non_null(doc);
    assert_string_equal(json_string_value(json_object_get(doc, "reason")), expected);
    json_decref(doc);
}

static void a_measured_cell_is_kept(void **state)
{
    struct mgc_cell_result row;
    put_attempt(CELL, 1, 0, true, true);
    struct mgc_standing standing = resume(&row);
    assert_true(standing.kept);
    assert_int_equal(standing.attempt, 1);
    assert_int_equal(row.attempts, 1);
    assert_int_equal(row.verdict.state, MGC_VERDICT_MEASURED);
    assert_true(mgc_file_exists(below(CELL "/verdict.json")));
}

static void a_judged_attempt_is_settled(void **state)
{
    put_attempt("attempts/" CELL "/a2", 2, 0, true, true);
    struct mgc_standing standing = resume(NULL);
    assert_true(standing.kept);
    assert_int_equal(standing.attempt, 2);
    assert_true(mgc_file_exists(below(CELL "/verdict.json")));
    assert_false(mgc_file_exists(below("attempts/" CELL)));
}

static void set_key(const char *place, const char *key, json_t *value)
{
    char path[MGC_PATH_MAX];
    snprintf(path, sizeof(path), "%s/verdict.json", below(place));
    json_t *doc = json_load_file(path, 0, NULL);
    assert_non_null(doc);
    json_object_set_new(doc, key, value);
    put_json(below(place), "verdict.json", doc);
}

/* Of one that was made so that another cell has its reference beside it. */
static void make_beside(const char *place)
{
    set_key(place, "for_the_sake_of", json_string("openra/shm-r1"));
}

/* Its own turn is still to come. */
static void an_attempt_for_another_cell_is_not_the_cells_own(void **state)
{
    struct mgc_cell_result row;
    put_attempt("attempts/" CELL "/a1", 1, 0, true, true);
    put_attempt("attempts/" CELL "/a2", 2, MGC_REASON_WORKER_LOST, false, true);
    make_beside("attempts/" CELL "/a1");
    make_beside("attempts/" CELL "/a2");
    struct mgc_standing standing = resume(&row);
    assert_false(standing.kept);
    assert_int_equal(standing.last, 2); /* its own is the third */
    assert_int_equal(standing.spent, 0);
    assert_int_equal(row.attempts, 0);
    assert_true(mgc_file_exists(below("attempts/" CELL "/a1")));
    assert_false(mgc_file_exists(below(CELL)));
}

/* Nor is one that was cut off before it could say so. */
static void an_attempt_for_another_cell_that_was_cut_off(void **state)
{
    struct mgc_cell_result row;
    char path[MGC_PATH_MAX];
    put_attempt(CELL, 1, 0, true, true);
    snprintf(path, sizeof(path), "%s", below("attempts/" CELL "/a2"));
    assert_true(mgc_dir_make(path, 0777, NULL));
    snprintf(path, sizeof(path), "%s", below("attempts/" CELL "/a2/" MGC_SAKE_FILE));
    assert_true(mgc_file_write(path, "openra/shm-r1", 13, 0644, NULL));
    struct mgc_standing standing = resume(&row);
    assert_true(standing.kept);
    assert_int_equal(standing.attempt, 1);
    assert_int_equal(standing.last, 2);
    assert_int_equal(row.attempts, 1);
    json_t *doc = json_load_file(below("attempts/" CELL "/a2/verdict.json"), 0, NULL);
    assert_string_equal(
        json_string_value(json_object_get(doc, "for_the_sake_of")), "openra/shm-r1");
    assert_string_equal(json_string_value(json_object_get(doc, "reason")), "run-ended");
    json_decref(doc);
    struct mgc_restored *restored = mgc_restore(run, NULL);
    assert_int_equal(restored->results.cells[0].attempts, 1);
    mgc_restored_free(restored);
}

static void attempts_for_another_cell_are_not_counted(void **state)
{
    struct mgc_cell_result row;
    put_attempt("attempts/" CELL "/a1", 1, 0, true, true);
    put_attempt("attempts/" CELL "/a2", 2, MGC_REASON_WORKER_LOST, false, true);
    put_attempt(CELL, 3, 0, true, true);
    put_attempt("attempts/" CELL "/a4", 4, 0, true, true);
    make_beside("attempts/" CELL "/a1");
    make_beside("attempts/" CELL "/a4");
    struct mgc_standing standing = resume(&row);
    assert_true(standing.kept);
    assert_int_equal(standing.attempt, 3);
    assert_int_equal(standing.last, 4);
    assert_int_equal(standing.spent, 1);
    assert_int_equal(row.attempts, 2);
    assert_int_equal(row.settled, 3);
    struct mgc_restored *restored = mgc_restore(run, NULL);
    assert_int_equal(restored->results.cells[0].attempts, 2);
    mgc_restored_free(restored);
}

/* How often a cell went again is of the whole run, whichever of its attempts says it. */
static void replacements_are_not_given_anew(void **state)
{
    static const char *const places[] = {CELL, "attempts/" CELL "/a2"};
    for (size_t i = 0; i < 2; i++) {
        struct mgc_cell_result row;
        set_up(NULL);
        put_attempt("attempts/" CELL "/a1", 1, MGC_REASON_THROTTLED, false, true);
        put_attempt(places[i], 2, MGC_REASON_RUN_ENDED, false, true);
        set_key(places[i], "replaced", json_integer(1));
        resume(&row);
        assert_int_equal(row.replaced, 1);
        assert_int_equal(run_replaced, 1);
    }
}

/* It goes again behind its reference, where the plan replaces; else alone and at once. */
static void what_was_disturbed_is_kept_until_it_is_replaced(void **state)
{
    for (int replaces = 0; replaces < 2; replaces++) {
        set_up(NULL);
        put_attempt(CELL, 1, MGC_REASON_WORKER_LOST, false, true);
        plan.replacements = replaces;
        plan_cells[1].block = 1; /* which has its brackets */
        struct mgc_standing standing = resume(NULL);
        plan.replacements = 0;
        plan_cells[1].block = 0;
        assert_int_equal(standing.kept, replaces);
    }
}

static void a_verdict_says_how_often_its_cell_went_again(void **state)
{
    struct mgc_buf text = {0};
    struct mgc_verdict verdict = {0};
    struct mgc_attempt attempt = {.cell = &plan_cells[1], .number = 2};
    struct mgc_cell_result row = {.cell = &plan_cells[1], .replaced = 1};
    assert_true(mgc_report_verdict_json(&attempt, &verdict, &row, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "\"replaced\": 1"));
    mgc_buf_destroy(&text);
}

static void a_kept_cell_stays_of_its_session(void **state)
{
    struct mgc_cell_result row;
    put_attempt(CELL, 1, 0, true, true);
    assert_true(resume(&row).kept);
    assert_int_equal(row.session, 0);
    set_key(CELL, "session", json_integer(2));
    assert_true(resume(&row).kept);
    assert_int_equal(row.session, 2);
}

static void a_failure_of_the_cells_own_is_kept(void **state)
{
    put_attempt(CELL, 1, MGC_REASON_FRAME_COUNT, false, true);
    assert_true(resume(NULL).kept);
}

/* One retry: the first failure is tried again, the second stands. */
static void budget_goes_on(void **state)
{
    put_attempt(CELL, 1, MGC_REASON_WORKER_LOST, false, true);
    struct mgc_standing standing = resume(NULL);
    assert_false(standing.kept);
    assert_int_equal(standing.spent, 1);
    assert_int_equal(standing.last, 1);
    stored_reason("attempts/" CELL "/a1", "worker-lost");
    put_attempt(CELL, 2, MGC_REASON_WORKER_LOST, false, true);
    standing = resume(NULL);
    assert_true(standing.kept);
    assert_int_equal(standing.spent, 2);
}

static void an_attempt_that_was_on_is_cut_off(void **state)
{
    struct mgc_cell_result row;
    put_text(below("attempts/" CELL "/a1"), "rc.txt", "0");
    put_text(below("attempts/setup/a1"), "pathcheck.txt", "");
    for (int again = 0; again < 2; again++) { /* also when that was cut off itself */
        struct mgc_standing standing = resume(&row);
        assert_false(standing.kept);
        assert_int_equal(standing.last, 1);
        assert_int_equal(standing.spent, 0);
        assert_int_equal(row.attempts, 1);
        stored_reason("attempts/" CELL "/a1", "run-ended");
        stored_reason("attempts/setup/a1", "run-ended");
    }
}

static void what_never_got_its_proof_is_measured_again(void **state)
{
    static const enum mgc_reason reasons[] = {MGC_REASON_PATH_UNPROVED, MGC_REASON_INTERRUPTED,
        MGC_REASON_RUN_ENDED, MGC_REASON_OTHER_INPUTS};
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        set_up(NULL);
        put_attempt(CELL, 1, reasons[i], false, true);
        struct mgc_standing standing = resume(NULL);
        assert_false(standing.kept);
        assert_string_equal(standing.why, "");
        stored_reason("attempts/" CELL "/a1", mgc_reason_words(reasons[i])->name);
        assert_false(mgc_file_exists(below(CELL)));
    }
}

static void damage_is_measured_again(void **state)
{
    put_attempt(CELL, 1, 0, true, false); /* the file is not the manifest's */
    struct mgc_standing standing = resume(NULL);
    assert_false(standing.kept);
    assert_non_null(strstr(standing.why, "result.json"));
    stored_reason("attempts/" CELL "/a1", "record-damaged");
    assert_true(mgc_file_exists(below("attempts/" CELL "/a1/verdict.json.damaged")));

    put_attempt(CELL, 2, 0, true, true);
    put_text(below(CELL), "verdict.json", "{\"schema\":");
    standing = resume(NULL);
    assert_false(standing.kept);
    assert_int_equal(standing.last, 2); /* the next one is the third */
    stored_reason("attempts/" CELL "/a2", "record-damaged");
}

/* ---- which run ---- */

static void refused(const char *name, const char *words)
{
    struct mgc_resume opened;
    struct mgc_error err = {0};
    assert_false(mgc_resume_open(&opened, results, name, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void a_run_is_found_by_id_directory_and_as_the_last(void **state)
{
    const char *const names[] = {RUN, run, "last"};
    char other[MGC_PATH_MAX];
    put_text(below("../20261129T000000Z-matrix-aaaa"), "run.json", "{}");
    put_text(below("../zzz"), "run.json", "{}"); /* not an id of ours */
    for (size_t i = 0; i < 3; i++) {
        struct mgc_resume opened;
        struct mgc_error err = {0};
        if (!mgc_resume_open(&opened, results, names[i], &err))
            fail_msg("%s: %s", names[i], err.text);
        assert_string_equal(opened.dir.run_id, RUN);
        mgc_resume_close(&opened);
    }
    assert_true(mgc_path_join(other, sizeof(other), results, "copy"));
    assert_true(mgc_dir_make(other, 0777, NULL));
    assert_true(mgc_file_copy(below("run.json"), below("../copy/run.json"), 0644, NULL));
    refused("20200101T000000Z-matrix-none", "there is no run");
    refused("..", "'..' is no run");
    refused("/", "no run's directory");
    refused(tmpdir_path, "not in the results directory");
    refused(other, "give it that name again");
}

static void a_run_that_is_on_is_named(void **state)
{
    struct mgc_run_dir holder;
    struct mgc_resume opened;
    struct mgc_error err = {0};
    assert_true(mgc_run_dir_open(&holder, results, RUN, NULL));
    assert_false(mgc_resume_open(&opened, results, "last", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_non_null(strstr(err.text, "run '" RUN "' (process "));
    mgc_run_dir_close(&holder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_measured_cell_is_kept, set_up),
        cmocka_unit_test_setup(a_judged_attempt_is_settled, set_up),
        cmocka_unit_test_setup(an_attempt_for_another_cell_is_not_the_cells_own, set_up),
        cmocka_unit_test_setup(an_attempt_for_another_cell_that_was_cut_off, set_up),
        cmocka_unit_test_setup(replacements_are_not_given_anew, set_up),
        cmocka_unit_test_setup(what_was_disturbed_is_kept_until_it_is_replaced, set_up),
        cmocka_unit_test_setup(attempts_for_another_cell_are_not_counted, set_up),
        cmocka_unit_test_setup(replacements_are_not_given_anew, set_up),
        cmocka_unit_test(a_verdict_says_how_often_its_cell_went_again),
        cmocka_unit_test_setup(a_kept_cell_stays_of_its_session, set_up),
        cmocka_unit_test_setup(a_failure_of_the_cells_own_is_kept, set_up),
        cmocka_unit_test_setup(budget_goes_on, set_up),
        cmocka_unit_test_setup(an_attempt_that_was_on_is_cut_off, set_up),
        cmocka_unit_test_setup(what_never_got_its_proof_is_measured_again, set_up),
        cmocka_unit_test_setup(damage_is_measured_again, set_up),
        cmocka_unit_test_setup(a_run_is_found_by_id_directory_and_as_the_last, set_up),
        cmocka_unit_test_setup(a_run_that_is_on_is_named, set_up),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
