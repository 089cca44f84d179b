/* What holds for every form, whatever the words are. */
#include <string.h>

#include "common/json/json.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/report.h"
#include "tests/lib/check.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_matrix.h"

/* Old keys of a row (contract section 3.1); each is there, null where it is absent. */
static const char *const old_keys[] = {"workload", "arm", "rep", "mode", "status", "duration_s",
    "battery_temp_dc", "fps", "mean_ms", "median_ms", "p95_ms", "total_frames", "total_seconds",
    "passed", "ssim", "message", "verify"};

static json_t *summary(const struct mgc_results *results)
{
    struct mgc_buf text = {0};
    assert_true(mgc_report_summary_json(results, &text, NULL));
    json_t *doc = mgc_json_parse(text.data, text.len, (size_t)1 << 20, NULL);
    assert_non_null(doc);
    mgc_buf_destroy(&text);
    return doc;
}

static void old_scripts_find_their_keys(void **state)
{
    struct report_fixture f;
    report_fixture_make(&f);
    json_t *doc = summary(&f.results), *row;
    size_t i;
    assert_int_equal(json_array_size(json_object_get(doc, "runs")), f.results.count);
    json_array_foreach(json_object_get(doc, "runs"), i, row)
    {
        for (size_t k = 0; k < sizeof(old_keys) / sizeof(old_keys[0]); k++) {
            if (!json_object_get(row, old_keys[k]))
                fail_msg("row %zu has no '%s'", i, old_keys[k]);
        }
        assert_true(json_is_string(json_object_get(row, "rep")));
        bool counts = strcmp(json_string_value(json_object_get(row, "status")), "finished") == 0;
        assert_int_equal(counts, f.results.cells[i].verdict.state == MGC_VERDICT_MEASURED);
        assert_non_null(strstr(json_string_value(json_object_get(row, "message")), "lab phone"));
    }
    json_decref(doc);
    report_fixture_destroy(&f);
}

static void expect_in(
    mgc_report_form *form, const struct mgc_results *results, const char *part, bool there)
{
    struct mgc_buf text = {0};
    assert_true(form(results, &text, NULL));
    if ((strstr(mgc_buf_text(&text), part) != NULL) != there)
        fail_msg("'%s' is %sin: %s", part, there ? "not " : "", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

/* Of a run that asked no gate there is no word; improvements are told, and fail nothing. */
static void every_form_says_what_the_gate_said(void **state)
{
    static const char junit_case[] = "<testcase name=\"regression\" classname=\"gate\"";
    struct report_fixture f;
    (void)state;
    report_fixture_make(&f);
    expect_in(mgc_report_markdown, &f.results, "## Regression gate", false);
    expect_in(mgc_report_junit, &f.results, junit_case, false);
    expect_in(mgc_report_summary_json, &f.results, "\"gate\"", false);
    for (int failed = 0; failed <= 1; failed++) {
        json_decref(f.results.gate);
        f.results.gate = json_pack("{s:b, s:[{s:s, s:s, s:s}], s:[s, s]}", "failed", failed, "arms",
            "arm", "tcp", "workload", "openra", "decision", failed ? "regressed" : "improved",
            "lines", "gate: 1 of the arms", "openra tcp  <-8.1 %>");
        assert_non_null(f.results.gate);
        expect_in(mgc_report_markdown, &f.results, "## Regression gate", true);
        expect_in(mgc_report_markdown, &f.results, "**Regressed, and confirmed**: tcp", failed);
        expect_in(mgc_report_junit, &f.results, junit_case, true);
        expect_in(mgc_report_junit, &f.results, "message=\"regressed: tcp of openra\"", failed);
        expect_in(mgc_report_junit, &f.results, "openra tcp  &lt;-8.1 %", failed);
        expect_in(mgc_report_summary_json, &f.results, "\"gate\"", true);
        expect_in(mgc_report_sentence, &f.results, "; regressed: tcp of openra", failed);
    }
    report_fixture_destroy(&f);
}

/* Old readers take the mean of every row that is finished. */
static void a_confirming_cell_is_not_finished(void **state)
{
    struct report_fixture f;
    (void)state;
    report_fixture_make(&f);
    struct mgc_cell_result *cell = &f.results.cells[1];
    cell->verdict.state = MGC_VERDICT_MEASURED;
    ((struct mgc_cell *)cell->cell)->confirm = true;
    json_t *doc = summary(&f.results);
    const json_t *row = json_array_get(json_object_get(doc, "runs"), 1);
    assert_string_equal(json_string_value(json_object_get(row, "status")), "confirming");
    assert_true(json_is_true(json_object_get(row, "confirm")));
    json_decref(doc);
    report_fixture_destroy(&f);
}

/* Rounds of two credits: the curve has a column for each, the table a row and its evidence. */
static void rounds_and_credits_are_put_together(void **state)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    report_fixture_measure(&f.results.cells[1], 1, 20);
    report_fixture_measure(&f.results.cells[3], 1, 24);
    report_fixture_measure(&f.results.cells[4], 3, 40);
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    const char *markdown = mgc_buf_text(&text);
    assert_non_null(strstr(markdown, "| workload | credit 1 | credit 3 |\n"));
    assert_non_null(strstr(markdown, "| openra | 22.0 (n = 2) | 40.0 (n = 1) |\n"));
    assert_non_null(strstr(markdown, "[r1](crosshost/bench-openra-c1-r1/), "
                                     "[r2](crosshost/bench-openra-c1-r2/) |"));
    assert_non_null(strstr(markdown, " 22.0 (20.0 to 24.0) |"));
    mgc_buf_clear(&text);
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text),
        "openra crosshost-c1: throughput 22.0 fps, median of 2 (20.0 to 24.0)\n"));
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

/* By the median frame all credits would look alike, and faster than they are. */
static void rows_in_bursts_are_marked(void **state)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    report_fixture_measure(&f.results.cells[1], 1, 120); /* 8 % from the median's 130 */
    report_fixture_measure(&f.results.cells[3], 1, 24);
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "| 120.0 | 130.0 |"));
    assert_non_null(strstr(mgc_buf_text(&text), "| 24.0 | 130.0 (bursts) |"));
    json_t *doc = summary(&f.results), *runs = json_object_get(doc, "runs");
    assert_true(json_is_false(json_object_get(json_array_get(runs, 1), "in_bursts")));
    assert_true(json_is_true(json_object_get(json_array_get(runs, 3), "in_bursts")));
    assert_null(json_object_get(json_array_get(runs, 0), "in_bursts"));
    json_decref(doc);
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

/* The first round has 3 replies, the second 40. */
static void a_round_trip_of_few_replies_is_not_the_links(void **state)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    mgc_fields_set_int(&f.results.cells[3].verdict.metrics, "rtt_samples", 40);
    mgc_fields_set_double(&f.results.cells[3].verdict.metrics, "rtt_mean_ms", 5.5);
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "| 4.12 (n = 3) |"));
    assert_non_null(strstr(mgc_buf_text(&text), "| 5.50 |"));
    mgc_buf_clear(&text);
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    assert_null(strstr(mgc_buf_text(&text), "4.12"));
    assert_non_null(strstr(mgc_buf_text(&text), "5.50"));
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

/* A reader of REPORT.md needs no other page for its columns. */
static void every_column_has_a_meaning(void **state)
{
    for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++) {
        assert_non_null(c->meaning);
        assert_null(strchr(c->meaning, '|'));
    }
}

static void a_flat_credit_curve_is_explained(void **state)
{
    static const char because[] = "flat by construction";
    for (int finish = 0; finish < 2; finish++) {
        struct report_fixture f;
        struct mgc_buf text = {0};
        report_fixture_make(&f);
        report_fixture_measure(&f.results.cells[1], 1, 20);
        report_fixture_measure(&f.results.cells[3], 1, 20);
        report_fixture_measure(&f.results.cells[4], 3, 40);
        for (size_t i = 0; i < 7; i++)
            f.cells[i].expect.benchmark_finish = finish;
        assert_true(mgc_report_markdown(&f.results, &text, NULL));
        assert_non_null(strstr(mgc_buf_text(&text), "### Credit curve"));
        assert_int_equal(strstr(mgc_buf_text(&text), because) != NULL, finish);
        mgc_buf_destroy(&text);
        report_fixture_destroy(&f);
    }
}

static void assert_text(const json_t *object, const char *key, const char *expected)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!expected)
        assert_null(text);
    else
        assert_string_equal(text, expected);
}

/* OK means seen for a marker that is required, not seen for one that is forbidden; without a log
 * nobody can say "absent". */
static void old_verify_says_what_was_seen(void **state)
{
    static const struct {
        enum mgc_check_outcome outcome;
        const char *transport, *armed, *lockstep;
    } cases[] = {
        {MGC_CHECK_OK, "spawn:OK", "OK: line", "absent"},
        {MGC_CHECK_BAD, "spawn:MISSING", "MISSING", "PRESENT: line"},
        {MGC_CHECK_ABSENT, "spawn:MISSING", "MISSING", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct report_fixture f;
        report_fixture_make_empty(&f);
        struct mgc_verdict *verdict = &f.results.cells[0].verdict;
        mgc_verdict_add(verdict, "transport-spawn", cases[i].outcome, "x", "line");
        mgc_verdict_add(verdict, "run-ahead-armed", cases[i].outcome, "x", "line");
        mgc_verdict_add(verdict, "lockstep", cases[i].outcome, "x", "line");
        json_t *doc = summary(&f.results);
        json_t *row = json_array_get(json_object_get(doc, "runs"), 0);
        json_t *verify = json_object_get(row, "verify");
        assert_text(verify, "TRANSPORT_MARKER", cases[i].transport);
        assert_text(verify, "RUN_AHEAD_ARMED", cases[i].armed);
        assert_text(verify, "LOCKSTEP_WARNING", cases[i].lockstep);
        assert_null(json_object_get(verify, "DISARMED")); /* that check was never made */
        assert_null(json_object_get(verify, "FATAL_LINES"));
        json_decref(doc);
        report_fixture_destroy(&f);
    }
}

static void absent_numbers_are_never_0(void **state)
{
    struct report_fixture f;
    report_fixture_make_empty(&f);
    json_t *doc = summary(&f.results), *row;
    size_t i;
    json_array_foreach(json_object_get(doc, "runs"), i, row)
    {
        const char *key;
        json_t *value;
        json_object_foreach(row, key, value)
        {
            if (json_is_number(value) && strcmp(key, "attempts") != 0)
                fail_msg("'%s' of a cell that never began is a number", key);
        }
        assert_null(json_object_get(row, "steady_fps"));
    }
    assert_int_equal(json_array_size(json_object_get(doc, "aggregates")), 0);
    json_decref(doc);
    report_fixture_destroy(&f);
}

/* Every row of a Markdown table has as many cells as its head. */
static void markdown_tables_are_whole(void **state)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    size_t head = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t bars = 0;
        for (char *c = line; *line == '|' && *c; c++)
            bars += *c == '|' && (c == line || c[-1] != '\\');
        if (bars && head && bars != head)
            fail_msg("%zu bars, expected %zu: %s", bars, head, line);
        head = bars;
    }
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

static void no_memory_is_an_error(void **state)
{
    struct report_fixture f;
    struct mgc_error err;
    report_fixture_make(&f);
    bool (*const forms[])(const struct mgc_results *, struct mgc_buf *, struct mgc_error *) = {
        mgc_report_markdown, mgc_report_summary_json};
    for (size_t i = 0; i < 2; i++) {
        struct mgc_buf text;
        mgc_buf_init(&text, 100);
        assert_false(forms[i](&f.results, &text, &err));
        assert_int_equal(err.code, MGC_E_NO_MEMORY);
        mgc_buf_destroy(&text);
    }
    report_fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_scripts_find_their_keys),
        cmocka_unit_test(every_form_says_what_the_gate_said),
        cmocka_unit_test(a_confirming_cell_is_not_finished),
        cmocka_unit_test(rounds_and_credits_are_put_together),
        cmocka_unit_test(rows_in_bursts_are_marked),
        cmocka_unit_test(a_round_trip_of_few_replies_is_not_the_links),
        cmocka_unit_test(every_column_has_a_meaning),
        cmocka_unit_test(a_flat_credit_curve_is_explained),
        cmocka_unit_test(old_verify_says_what_was_seen),
        cmocka_unit_test(absent_numbers_are_never_0),
        cmocka_unit_test(markdown_tables_are_whole),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
