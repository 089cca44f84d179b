/* What is stored is what was there: a run's report and the one that is made of its directory are
 * the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "common/json/json.h"
#include "common/plat/file.h"
#include "coordinator/report/report.h"
#include "coordinator/restore/restore.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"
#include "tests/unit/report/fixture.h"

static void write_text(const char *dir, const char *name, const void *data, size_t len)
{
    char path[MGC_PATH_MAX], parent[MGC_PATH_MAX];
    assert_true(mgc_path_join(path, sizeof(path), dir, name));
    snprintf(parent, sizeof(parent), "%s", path);
    *strrchr(parent, '/') = '\0';
    assert_true(mgc_dir_make(parent, 0777, NULL));
    assert_true(mgc_file_write(path, data, len, 0644, NULL));
}

static json_t *plan_json(const struct mgc_plan *plan)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        json_t *row = json_pack("{s:s, s:s, s:s}", "id", cell->id, "lane", cell->lane, "kind",
            cell->kind == MGC_CELL_SETUP ? "setup" : "measure");
        if (cell->kind == MGC_CELL_MEASURE)
            json_object_update_new(row,
                json_pack("{s:s, s:s, s:I, s:s, s:{s:I, s:I}}", "workload", cell->workload, "arm",
                    cell->arm, "rep", (json_int_t)cell->rep, "mode", mgc_mode_name(cell->mode),
                    "expect", "credit", (json_int_t)cell->expect.credit, "frames",
                    (json_int_t)32)); /* fewer than the workload's */
        json_array_append_new(cells, row);
    }
    return json_pack("{s:s, s:s, s:o}", "name", plan->name, "run_id", plan->run_id, "cells", cells);
}

static json_t *settings_json(const struct mgc_results *results)
{
    json_t *settings = json_object();
    for (size_t i = 0; i < results->setting_count; i++)
        json_object_set_new(settings, results->settings[i].key,
            json_pack("{s:s, s:s}", "value", results->settings[i].value, "source",
                results->settings[i].origin));
    return settings;
}

static void write_run_json(const char *dir, const struct report_fixture *f)
{
    const struct mgc_plan *plan = &f->plan;
    json_t *run =
        json_pack("{s:s, s:o, s:o, s:{s:s}}", "schema", "mgcoord-run-1", "plan", plan_json(plan),
            "settings", settings_json(&f->results), "coordinator", "build", "mgcoord 0.1.0");
    char *text = json_dumps(run, 0);
    write_text(dir, "run.json", text, strlen(text));
    free(text);
    json_decref(run);
}

static void write_cell(const char *dir, const struct mgc_cell_result *cell)
{
    char name[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    struct mgc_attempt attempt = {.cell = cell->cell,
        .number = cell->attempts,
        .release = cell->release,
        .end_ns = cell->duration_ns,
        .start_wall_ns = cell->start_wall_ns,
        .end_wall_ns = cell->end_wall_ns};
    assert_true(mgc_report_verdict_json(&attempt, &cell->verdict, NULL, &text, NULL));
    snprintf(name, sizeof(name), "%s/verdict.json", cell->dir);
    write_text(dir, name, text.data, text.len);
    mgc_buf_destroy(&text);
    snprintf(name, sizeof(name), "%s/manifest.json", cell->dir);
    write_text(dir, name, "{}", 2);
}

static void write_setup(const char *dir, const struct mgc_results *results)
{
    struct mgc_buf text = {0};
    struct mgc_step steps[] = {{.id = (char *)"device", .kind = (char *)"host.device"},
        {.id = (char *)"route", .kind = (char *)"wsl.route"}};
    struct mgc_step_outcome outcomes[] = {
        {.state = MGC_STEP_DONE, .facts = results->device}, {.ready = results->route}};
    struct mgc_cell cell = results->plan->cells[0];
    cell.steps = steps;
    cell.step_count = 2;
    struct mgc_attempt attempt = {.cell = &cell, .number = 1, .steps = outcomes};
    assert_true(mgc_report_verdict_json(&attempt, &results->path_before, NULL, &text, NULL));
    /* What the route said at its end stands beside what was known when the setup was settled. */
    struct mgc_step_outcome end = {.state = MGC_STEP_DONE};
    struct mgc_buf whole = {0};
    mgc_fields_set_str(&end.facts, "route", "another one");
    assert_true(mgc_report_verdict_add_holder(text.data, text.len, &steps[1], &end, &whole, NULL));
    assert_non_null(strstr(mgc_buf_text(&whole), "\"holders\""));
    write_text(dir, "attempts/setup/a1/verdict.json", whole.data, whole.len);
    mgc_fields_destroy(&end.facts);
    mgc_buf_destroy(&whole);
    mgc_buf_destroy(&text);
}

static void write_form(const char *dir, const char *name,
    bool (*form)(const struct mgc_results *, struct mgc_buf *, struct mgc_error *),
    const struct mgc_results *results)
{
    struct mgc_buf text = {0};
    assert_true(form(results, &text, NULL));
    write_text(dir, name, text.data, text.len);
    mgc_buf_destroy(&text);
}

static void same_form(
    bool (*form)(const struct mgc_results *, struct mgc_buf *, struct mgc_error *),
    const struct mgc_results *a, const struct mgc_results *b)
{
    struct mgc_buf left = {0}, right = {0};
    assert_true(form(a, &left, NULL));
    assert_true(form(b, &right, NULL));
    assert_string_equal(mgc_buf_text(&left), mgc_buf_text(&right));
    mgc_buf_destroy(&left);
    mgc_buf_destroy(&right);
}

static void store(const char *dir, struct report_fixture *f, bool to_the_end)
{
    write_run_json(dir, f);
    write_setup(dir, &f->results);
    for (size_t i = 0; i < f->results.count; i++) {
        if (f->results.cells[i].dir)
            write_cell(dir, &f->results.cells[i]);
    }
    if (to_the_end)
        write_form(dir, "summary.json", mgc_report_summary_json, &f->results);
}

/* The fixture has no closing cell: its verdict on the path after the run stands nowhere. */
static void make(struct report_fixture *f)
{
    report_fixture_make(f);
    mgc_verdict_destroy(&f->results.path_after);
    for (size_t i = 0; i < f->results.count; i++) { /* by the path check of a second setup */
        struct mgc_verdict *verdict = &f->results.cells[i].verdict;
        if (verdict->state == MGC_VERDICT_MEASURED)
            mgc_verdict_add(verdict, "path after", MGC_CHECK_OK, "wsl.pathcheck", "end to end");
    }
}

static void a_finished_run_reads_the_same(void **state)
{
    struct report_fixture f;
    struct mgc_error err;
    const char *dir = tmpdir_file("whole");
    make(&f);
    store(dir, &f, true);
    struct mgc_restored *restored = mgc_restore(dir, &err);
    assert_non_null(restored);
    assert_true(restored->finished);
    same_form(mgc_report_markdown, &f.results, &restored->results);
    same_form(mgc_report_summary_json, &f.results, &restored->results);
    mgc_restored_free(restored);
    report_fixture_destroy(&f);
}

static const struct mgc_cell_result *cell_of(const struct mgc_restored *restored, const char *id)
{
    for (size_t i = 0; i < restored->results.count; i++) {
        if (strcmp(restored->results.cells[i].cell->id, id) == 0)
            return &restored->results.cells[i];
    }
    fail_msg("no cell %s", id);
    return NULL;
}

static void a_killed_run_tells_what_is_there(void **state)
{
    struct report_fixture f;
    struct mgc_error err;
    const char *dir = tmpdir_file("killed");
    make(&f);
    free(f.results.cells[3].dir); /* was on when it ended */
    f.results.cells[3].dir = NULL;
    store(dir, &f, false);
    write_text(dir, "attempts/crosshost/bench-openra-c1-r2/a1/rc.txt", "", 0);
    for (int again = 0; again < 2; again++) { /* the second time from what the first time wrote */
        struct mgc_restored *restored = mgc_restore(dir, &err);
        assert_non_null(restored);
        assert_false(restored->finished);
        assert_int_equal(mgc_results_exit_code(&restored->results), 3);
        assert_non_null(strstr(restored->results.stopped_reason, "without a word"));
        const struct mgc_cell_result *on = cell_of(restored, "crosshost/bench-openra-c1-r2");
        assert_int_equal(on->verdict.state, MGC_VERDICT_INCOMPLETE);
        assert_string_equal(on->verdict.reason, "run-ended");
        assert_string_equal(on->dir, "attempts/crosshost/bench-openra-c1-r2/a1");
        assert_int_equal(
            cell_of(restored, "crosshost/ssim-rd12-r1")->verdict.state, MGC_VERDICT_SKIPPED);
        assert_int_equal(
            cell_of(restored, "crosshost/ssim-openra-r1")->verdict.state, MGC_VERDICT_MEASURED);
        write_form(dir, "summary.json", mgc_report_summary_json, &restored->results);
        mgc_restored_free(restored);
    }
    report_fixture_destroy(&f);
}

/* What only memory knew, as far as state.json has it; and how often it was resumed. */
static void a_killed_run_keeps_its_notes(void **state)
{
    struct report_fixture f;
    struct mgc_error err;
    const char *dir = tmpdir_file("noted");
    char path[MGC_PATH_MAX];
    make(&f);
    assert_true(f.results.note_count > 0 && f.results.put_back_count > 0);
    store(dir, &f, false);
    write_form(dir, "state.json", mgc_report_state_json, &f.results);
    assert_true(mgc_path_join(path, sizeof(path), dir, "run.json"));
    json_t *run = json_load_file(path, 0, NULL);
    json_object_set_new(run, "resumes", json_pack("[{}, {s:s}, {}]", "refused", "another build"));
    assert_int_equal(json_dump_file(run, path, 0), 0);
    json_decref(run);
    struct mgc_restored *restored = mgc_restore(dir, &err);
    assert_non_null(restored);
    assert_int_equal(restored->results.resumes, 2);
    assert_string_equal(restored->results.notes[0], f.results.notes[0]);
    assert_int_equal(restored->results.put_back_count, f.results.put_back_count);
    mgc_restored_free(restored);
    write_text(dir, "state.json", "{\"no", 5);
    restored = mgc_restore(dir, &err);
    assert_non_null(restored);
    assert_non_null(strstr(restored->results.notes[0], "state.json"));
    mgc_restored_free(restored);
    report_fixture_destroy(&f);
}

/* Read while the coordinator works: nothing has ended, nothing was stopped. */
static void a_run_that_is_on_tells_no_end(void **state)
{
    struct report_fixture f;
    const char *dir = tmpdir_file("on");
    report_fixture_make(&f); /* no path check after its cells yet */
    free(f.results.cells[3].dir);
    f.results.cells[3].dir = NULL;
    store(dir, &f, false);
    write_text(dir, "attempts/crosshost/bench-openra-c1-r2/a1/rc.txt", "", 0);
    struct mgc_restored *restored = mgc_restore(dir, NULL);
    assert_non_null(restored);
    mgc_restored_is_on(restored);
    assert_null(restored->results.stopped_reason);
    const struct mgc_verdict *on = &cell_of(restored, "crosshost/bench-openra-c1-r2")->verdict;
    assert_string_equal(on->reason, "still-running");
    assert_string_equal(on->text, "attempt 1 is on");
    assert_string_equal(cell_of(restored, "crosshost/ssim-rd12-r1")->verdict.reason, "not-yet");
    const struct mgc_verdict *waits = &cell_of(restored, "crosshost/ssim-openra-r1")->verdict;
    assert_string_equal(waits->reason, "path-unproved");
    assert_non_null(strstr(waits->text, "waits for the path check"));
    struct mgc_buf text = {0};
    assert_true(mgc_report_markdown(&restored->results, &text, NULL));
    assert_null(strstr(mgc_buf_text(&text), "ended"));
    assert_null(strstr(mgc_buf_text(&text), "was stopped"));
    mgc_buf_destroy(&text);
    mgc_restored_free(restored);
    report_fixture_destroy(&f);
}

/* An earlier build stored it so; nobody looked at the path after it. */
static void a_cell_without_a_path_check_after_it_is_not_measured(void **state)
{
    struct report_fixture f;
    const char *dir = tmpdir_file("unproved");
    report_fixture_make(&f);
    store(dir, &f, true);
    struct mgc_restored *restored = mgc_restore(dir, NULL);
    assert_non_null(restored);
    const struct mgc_cell_result *cell = cell_of(restored, "crosshost/ssim-openra-r1");
    assert_int_equal(cell->verdict.state, MGC_VERDICT_INCOMPLETE);
    assert_string_equal(cell->verdict.reason, "path-unproved");
    assert_int_equal(mgc_results_exit_code(&restored->results), 3);
    mgc_restored_free(restored);
    report_fixture_destroy(&f);
}

/* ---- damaged directories ---- */

#define PICTURE "crosshost/ssim-openra-r1"
#define BENCH   "crosshost/bench-openra-c1-r1"

/* DIR/NAME, changed by one edit; a NULL value takes the key away. */
static void edit(const char *dir, const char *name, const char *key, json_t *value)
{
    char path[MGC_PATH_MAX];
    assert_true(mgc_path_join(path, sizeof(path), dir, name));
    json_t *doc = json_load_file(path, 0, NULL);
    assert_non_null(doc);
    if (value)
        json_object_set_new(doc, key, value);
    else
        json_object_del(doc, key);
    assert_int_equal(json_dump_file(doc, path, 0), 0);
    json_decref(doc);
}

static json_t *one_check(const char *outcome)
{
    return json_pack("[{s:s, s:s, s:s, s:s}]", "check", "path after", "outcome", outcome, "source",
        "wsl.pathcheck", "seen", "x");
}

/* The bench's verdict.json with that edit is not taken for a measurement. */
static void not_believed(const char *name, const char *key, json_t *value, const char *says)
{
    struct report_fixture f;
    const char *dir = tmpdir_file(name);
    make(&f);
    store(dir, &f, true);
    edit(dir, BENCH "/verdict.json", key, value);
    struct mgc_restored *restored = mgc_restore(dir, NULL);
    assert_non_null(restored);
    const struct mgc_verdict *verdict = &cell_of(restored, BENCH)->verdict;
    assert_int_equal(verdict->state, MGC_VERDICT_INCOMPLETE);
    assert_string_equal(verdict->reason, "record-damaged");
    if (!strstr(verdict->text, says))
        fail_msg("'%s' does not say '%s'", verdict->text, says);
    assert_int_equal(cell_of(restored, PICTURE)->verdict.state, MGC_VERDICT_MEASURED);
    assert_int_equal(mgc_results_exit_code(&restored->results), 3);
    mgc_restored_free(restored);
    report_fixture_destroy(&f);
}

static void measured_needs_more_than_the_word(void **state)
{
    not_believed("none", "evidence", json_array(), "without evidence");
    not_believed("gone", "evidence", NULL, "without evidence");
    not_believed("bad", "evidence", one_check("bad"), "'path after' is 'bad'");
    not_believed("absent", "evidence", one_check("absent"), "is 'absent'");
    not_believed("unknown", "evidence", one_check("fine"), "is 'fine'");
    not_believed("reason", "reason", json_string("lockstep"), "measured and the reason");
    not_believed("schema", "schema", json_string("mgcoord-verdict-99"), "mgcoord-verdict-99");
    not_believed("other", "id", json_string(PICTURE), PICTURE);
    not_believed("numbers", "metrics", json_object(), "mean_ms");
    not_believed("below", "metrics", json_pack("{s:f, s:f}", "mean_ms", 20.0, "median_ms", -5.0),
        "median_ms");
    not_believed("state", "verdict", json_string("splendid"), "splendid");
    not_believed("nameless", "verdict", json_string("failed"), "without a reason");
}

static void a_verdict_that_is_no_object_is_damaged(void **state)
{
    struct report_fixture f;
    const char *dir = tmpdir_file("list");
    make(&f);
    store(dir, &f, true);
    write_text(dir, BENCH "/verdict.json", "[]", 2);
    write_text(dir, PICTURE "/verdict.json", "{}", 2);
    struct mgc_restored *restored = mgc_restore(dir, NULL);
    assert_non_null(restored);
    assert_string_equal(cell_of(restored, BENCH)->verdict.reason, "record-damaged");
    assert_string_equal(cell_of(restored, PICTURE)->verdict.reason, "record-damaged");
    mgc_restored_free(restored);
    report_fixture_destroy(&f);
}

static bool has_note(const struct mgc_restored *restored, const char *text)
{
    size_t found = 0;
    for (size_t i = 0; i < restored->results.note_count; i++)
        found += strstr(restored->results.notes[i], text) != NULL;
    return found == 1;
}

static void missing_files_are_noted_once(void **state)
{
    struct report_fixture f;
    const char *dir = tmpdir_file("thin"),
               *manifest = "{\"files\": [{\"name\": \"verdict.json\", \"size_bytes\": 1},"
                           " {\"name\": \"benchmark.json\", \"size_bytes\": 9}]}";
    make(&f);
    store(dir, &f, true);
    write_text(dir, BENCH "/manifest.json", manifest, strlen(manifest));
    for (int again = 0; again < 2; again++) {
        struct mgc_restored *restored = mgc_restore(dir, NULL);
        assert_non_null(restored);
        assert_true(has_note(restored, BENCH ": 2 of the 2 files"));
        assert_true(has_note(restored, "verdict.json, benchmark.json"));
        write_form(dir, "summary.json", mgc_report_summary_json, &restored->results);
        mgc_restored_free(restored);
    }
    report_fixture_destroy(&f);
}

static void not_an_end(const char *name, const char *summary)
{
    struct report_fixture f;
    const char *dir = tmpdir_file(name);
    make(&f);
    store(dir, &f, false);
    write_text(dir, "summary.json", summary, strlen(summary));
    for (int again = 0; again < 2; again++) {
        struct mgc_restored *restored = mgc_restore(dir, NULL);
        assert_non_null(restored);
        assert_false(restored->finished);
        assert_non_null(strstr(restored->results.stopped_reason, "summary.json is damaged"));
        assert_true(again || has_note(restored, "summary.json"));
        assert_int_equal(mgc_results_exit_code(&restored->results), 3);
        write_form(dir, "summary.json", mgc_report_summary_json, &restored->results);
        mgc_restored_free(restored);
    }
    report_fixture_destroy(&f);
}

static void a_summary_that_is_not_of_this_run_is_no_end(void **state)
{
    not_an_end("end-empty", "{}");
    not_an_end("end-list", "[]");
    not_an_end("end-cut", "{\"schema\": \"mgc");
    not_an_end("end-other", "{\"schema\": \"mgcoord-summary-1\", \"run_id\": \"another\"}");
}

static void without_run_json_it_is_not_an_old_directory(void **state)
{
    struct report_fixture f;
    struct mgc_error err;
    char path[MGC_PATH_MAX];
    const char *dir = tmpdir_file("headless");
    make(&f);
    store(dir, &f, true);
    write_text(dir, "crosshost/bench-openra-c1/rc.txt", "rc=0 secs=1\n", 12);
    assert_true(mgc_path_join(path, sizeof(path), dir, "run.json"));
    assert_int_equal(remove(path), 0);
    assert_null(mgc_restore(dir, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "run.json is missing"));
    report_fixture_destroy(&f);
}

static void damaged_files_are_said(void **state)
{
    struct report_fixture f;
    struct mgc_error err;
    const char *dir = tmpdir_file("damaged");
    make(&f);
    store(dir, &f, true);
    write_text(dir, "crosshost/ssim-openra-r1/verdict.json", "{\"verdict\": \"meas", 17);
    struct mgc_restored *restored = mgc_restore(dir, &err);
    assert_non_null(restored);
    const struct mgc_verdict *verdict = &cell_of(restored, "crosshost/ssim-openra-r1")->verdict;
    assert_int_equal(verdict->state, MGC_VERDICT_INCOMPLETE);
    assert_string_equal(verdict->reason, "record-damaged"); /* the run itself ended well */
    assert_true(has_note(restored, "ssim-openra-r1/verdict.json"));
    mgc_restored_free(restored);
    report_fixture_destroy(&f);
}

static void refuse(const char *name, const char *run_json, enum mgc_code code)
{
    struct mgc_error err;
    const char *dir = tmpdir_file(name);
    if (run_json)
        write_text(dir, "run.json", run_json, strlen(run_json));
    assert_null(mgc_restore(dir, &err));
    assert_int_equal(err.code, code);
}

static void what_is_no_run_is_refused(void **state)
{
    refuse("nothing", NULL, MGC_E_NOT_FOUND);
    refuse("half", "{\"plan\": {", MGC_E_PROTOCOL);
    refuse("planless", "{}", MGC_E_PROTOCOL);
    refuse("escape",
        "{\"plan\": {\"name\":\"a\",\"run_id\":\"b\",\"cells\":[{\"id\":\"../../etc\",\"kind\":"
        "\"setup\",\"lane\":\"x\"}]}}",
        MGC_E_PROTOCOL);
    refuse("steering",
        "{\"plan\": {\"name\":\"a\",\"run_id\":\"b\",\"cells\":[{\"id\":\"a\",\"kind\":"
        "\"measure\",\"lane\":\"x\",\"workload\":\"\\u001b[31m\",\"arm\":\"a\",\"mode\":\"ssim\"}]}"
        "}",
        MGC_E_PROTOCOL);
    refuse("twice",
        "{\"plan\": {\"name\":\"a\",\"run_id\":\"b\",\"cells\":[{\"id\":\"a\",\"kind\":"
        "\"setup\",\"lane\":\"x\"}, {\"id\":\"a\",\"kind\":\"close\",\"lane\":\"x\"}]}}",
        MGC_E_PROTOCOL);
    mgc_restored_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_run_reads_the_same),
        cmocka_unit_test(a_killed_run_tells_what_is_there),
        cmocka_unit_test(a_killed_run_keeps_its_notes),
        cmocka_unit_test(a_cell_without_a_path_check_after_it_is_not_measured),
        cmocka_unit_test(measured_needs_more_than_the_word),
        cmocka_unit_test(a_verdict_that_is_no_object_is_damaged),
        cmocka_unit_test(missing_files_are_noted_once),
        cmocka_unit_test(a_summary_that_is_not_of_this_run_is_no_end),
        cmocka_unit_test(without_run_json_it_is_not_an_old_directory),
        cmocka_unit_test(a_run_that_is_on_tells_no_end),
        cmocka_unit_test(damaged_files_are_said),
        cmocka_unit_test(what_is_no_run_is_refused),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
