/* The table in the terminal: its width, its lines, and what it says only once. */
#include <math.h>
#include <string.h>

#include "common/json/json.h"
#include "coordinator/merge/aggregate.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/settings.h"
#include "coordinator/report/report.h"
#include "tests/lib/check.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_matrix.h"

/* Of the lines from `text` up to the first empty one, or of all. */
static size_t widest(const char *text, bool all)
{
    size_t most = 0;
    while (*text && (all || *text != '\n')) {
        size_t len = strcspn(text, "\n");
        most = len > most ? len : most;
        text += len + (text[len] == '\n');
    }
    return most;
}

/* A run that the path check stopped says why once, and the rest points there. */
static void a_reason_is_said_once(void **state)
{
    static const char why[] = "the path cannot be told apart from a broken one";
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make_empty(&f);
    f.results.interrupted = false;
    f.results.stopped_reason = strdup(why);
    mgc_verdict_set(&f.results.path_before, MGC_VERDICT_FAILED, "path-unclear", "look", "%s", why);
    for (size_t i = 0; i < f.results.count; i++) {
        mgc_verdict_destroy(&f.results.cells[i].verdict);
        mgc_verdict_set(&f.results.cells[i].verdict, MGC_VERDICT_SKIPPED, "run-stopped", "",
            "not begun, since the run was stopped: %s", why);
    }
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    const char *first = strstr(mgc_buf_text(&text), why);
    assert_non_null(first);
    assert_null(strstr(first + 1, why));
    assert_non_null(
        strstr(mgc_buf_text(&text), "6 skipped: not begun, since the run was stopped\n"));
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

static void a_resumed_run_says_how_often(void **state)
{
    static const struct {
        size_t times;
        const char *text, *json;
    } cases[] = {{1, "resumed 1 time", "\"resumed\": 1"}, {3, "resumed 3 times", "\"resumed\": 3"},
        {0, NULL, NULL}};
    for (size_t i = 0; i < 3; i++) {
        struct report_fixture f;
        struct mgc_buf text = {0}, json = {0};
        report_fixture_make(&f);
        f.results.resumes = cases[i].times;
        assert_true(mgc_report_table(&f.results, 0, &text, NULL));
        assert_true(mgc_report_summary_json(&f.results, &json, NULL));
        if (cases[i].text) {
            assert_non_null(strstr(mgc_buf_text(&text), cases[i].text));
            assert_non_null(strstr(mgc_buf_text(&json), cases[i].json));
            mgc_buf_clear(&text);
            assert_true(mgc_report_markdown(&f.results, &text, NULL));
            assert_non_null(strstr(mgc_buf_text(&text), cases[i].text));
        }
        if (!cases[i].text) {
            assert_null(strstr(mgc_buf_text(&text), "resumed"));
            assert_null(strstr(mgc_buf_text(&json), "resumed"));
        }
        mgc_buf_destroy(&text);
        mgc_buf_destroy(&json);
        report_fixture_destroy(&f);
    }
}

/* Eight near-identical lines would bury the table. */
static void cells_with_the_same_proof_share_a_line(void **state)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    const char *proof = strstr(mgc_buf_text(&text), "proved by");
    assert_non_null(
        strstr(mgc_buf_text(&text), "crosshost/ssim-openra-r1 proved by: transport-spawn, "
                                    "control-tcp, run-ahead-armed, present credit, "
                                    "ssim, server session\n"));
    size_t lines = 0;
    for (; proof; proof = strstr(proof + 1, "proved by"))
        lines++;
    assert_int_equal(lines, 3); /* the picture, a benchmark with frames, one without */
    report_fixture_measure(&f.results.cells[2], 1, 20);
    mgc_verdict_destroy(&f.results.cells[2].verdict);
    f.results.cells[2].verdict.state = MGC_VERDICT_MEASURED;
    report_fixture_measure(&f.results.cells[4], 1, 20);
    mgc_verdict_destroy(&f.results.cells[4].verdict);
    f.results.cells[4].verdict.state = MGC_VERDICT_MEASURED;
    mgc_buf_clear(&text);
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "2 cells proved by: nothing\n"));
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

static void tables_fit(void **state)
{
    static const int widths[] = {0, 120, 100, 80, 60, 45};
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct report_fixture f;
        struct mgc_buf text = {0};
        report_fixture_make(&f);
        assert_true(mgc_report_table(&f.results, widths[i], &text, NULL));
        const char *table = strstr(mgc_buf_text(&text), "\ncell ") + 1;
        if (widths[i])
            assert_in_range(widest(mgc_buf_text(&text), true), 1, (size_t)widths[i]);
        else /* sentences are not folded then */
            assert_in_range(widest(table, false), 1, 120);
        assert_non_null(strstr(mgc_buf_text(&text), "device: lab"));
        mgc_buf_destroy(&text);
        report_fixture_destroy(&f);
    }
}

static void tables_of_the_phone_fit(void **state)
{
    static const int widths[] = {120, 100, 80, 60, 45};
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct matrix_fixture f;
        struct mgc_buf text = {0};
        matrix_fixture_make(&f);
        assert_true(mgc_report_table(&f.results, widths[i], &text, NULL));
        assert_in_range(widest(mgc_buf_text(&text), true), 1, (size_t)widths[i]);
        assert_non_null(strstr(mgc_buf_text(&text), "mean ms"));
        mgc_buf_destroy(&text);
        matrix_fixture_destroy(&f);
    }
}

static void a_trace_without_kept_frames_is_told(void **state)
{
    struct matrix_fixture f;
    struct mgc_buf text = {0};
    matrix_fixture_make(&f);
    assert_true(mgc_results_add_setting(&f.results, "workloads.rd12.frames", "4", "site.yaml:1"));
    for (size_t i = 16; i < f.results.count; i++)
        mgc_fields_remove(&f.results.cells[i].verdict.metrics, "kept_mean_ms");
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "\nrd12      monolith    2         -        - "));
    assert_non_null(
        strstr(mgc_buf_text(&text), "\nrd12 has 4 frames here, all of them skipped: no mean\n"));
    mgc_buf_destroy(&text);
    matrix_fixture_destroy(&f);
}

static void one_is_no_plural(void **state)
{
    struct matrix_fixture f;
    struct mgc_buf text = {0};
    matrix_fixture_make(&f);
    size_t count = f.results.count;
    f.results.count = 1;
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "\n1 cell: 1 measured.\n"));
    f.results.count = count;
    mgc_buf_destroy(&text);
    matrix_fixture_destroy(&f);
}

/* A reader divides two lines: it has to come out as the ratio that stands beside them. */
static void lines_and_ratio_say_the_same(void **state)
{
    struct matrix_fixture f;
    struct mgc_aggregate *list;
    struct mgc_arm_comparison *compared;
    struct mgc_spread one, other;
    size_t count, compared_count;
    matrix_fixture_make(&f);
    assert_true(mgc_results_aggregate(&f.results, &list, &count, NULL));
    assert_true(mgc_results_compare(&f.results, &compared, &compared_count, NULL));
    assert_string_equal(list[1].arm, "inproc"); /* in all rounds, as the reference */
    assert_string_equal(compared[0].arm, "inproc");
    assert_true(mgc_aggregate_spread(&f.results, &list[0], MGC_COMPARED_METRIC, &one));
    assert_true(mgc_aggregate_spread(&f.results, &list[1], MGC_COMPARED_METRIC, &other));
    assert_true(fabs(other.geometric_mean / one.geometric_mean - compared[0].result.ratio) < 1e-12);
    free(compared);
    free(list);
    matrix_fixture_destroy(&f);
}

/* The fixture's shm and tcp become the other two arms with another backend. */
static void backends_stand_against_each_other(void **state)
{
    struct matrix_fixture f;
    struct mgc_buf text = {0};
    matrix_fixture_make(&f);
    for (size_t i = 0; i < 16; i++) {
        if (i % 4 < 2)
            continue;
        f.cells[i].arm = f.cells[i - 2].arm;
        f.cells[i].expect.credit = f.cells[i - 2].expect.credit;
        f.cells[i].expect.backend = (char *)"DirectVulkan";
    }
    f.results.several_backends = true;
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text),
        "\nopenra monolith, DirectVulkan against DirectGLES: +0.5 % (-5.6 to +7.0), n = 2, "));
    mgc_buf_clear(&text);
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "\n## Do the backends differ?\n"));
    assert_non_null(strstr(
        mgc_buf_text(&text), "\n| openra | inproc | DirectVulkan | DirectGLES | 2 of 3 | +6"));
    mgc_buf_clear(&text);
    assert_true(mgc_report_summary_json(&f.results, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "\"reference_backend\": \"DirectGLES\""));
    mgc_buf_destroy(&text);
    matrix_fixture_destroy(&f);
}

static void foreign_text_cannot_move_the_cursor(void **state)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    mgc_results_note(&f.results, "a\x1b[2Jb\r\nc \xc2\x9b 2J");
    assert_true(mgc_report_table(&f.results, 0, &text, NULL));
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    for (const char *c = mgc_buf_text(&text); *c; c++)
        assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

static void put_fact(
    struct mgc_results *results, const char *name, const char *text, int64_t number)
{
    if (text)
        mgc_fields_set_str(&results->setup, name, text);
    else
        mgc_fields_set_int(&results->setup, name, number);
}

/* mgcoord run matrix prep: what is there now, instead of a table without rows. */
static void a_run_that_only_brings_fixtures(void **state)
{
    struct mgc_step step = {.id = (char *)"fixtures-rd12-1", .kind = (char *)"host.fixtures"};
    struct mgc_cell setup = {.kind = MGC_CELL_SETUP,
        .id = (char *)"setup",
        .lane = (char *)"matrix",
        .steps = &step,
        .step_count = 1};
    const struct mgc_plan plan = {.run_id = (char *)"r1", .cells = &setup, .cell_count = 1};
    struct mgc_results results;
    struct mgc_buf text = {0};
    assert_true(mgc_results_init(&results, &plan, NULL));
    mgc_fields_set_str(&step.params, "package", "a.b");
    mgc_fields_set_str(&step.params, "dir", "input-rd12");
    mgc_fields_set_str(&step.params, "trace", "/x.trace");
    put_fact(&results, "fixtures-rd12-1.trace_sha256", "abc", 0);
    put_fact(&results, "fixtures-rd12-1.trace_bytes", NULL, 7000);
    assert_true(mgc_report_table(&results, 0, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text),
        "\ninput-rd12/trace.trace of a.b: found right, 7000 bytes, sha256 abc\n"
        "input-rd12/golden.png of a.b: not known to be there\n"));
    assert_null(strstr(mgc_buf_text(&text), "verdict"));
    mgc_fields_set_bool(&results.setup, "fixtures-rd12-1.trace_pushed", true);
    put_fact(&results, "fixtures-rd12-1.trace_resumed_bytes", NULL, 100);
    mgc_buf_clear(&text);
    assert_true(mgc_report_table(&results, 0, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), ": brought, gone on with after 100 bytes, 7000"));
    mgc_buf_destroy(&text);
    mgc_fields_destroy(&step.params);
    mgc_results_destroy(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_with_the_same_proof_share_a_line),
        cmocka_unit_test(a_reason_is_said_once),
        cmocka_unit_test(a_resumed_run_says_how_often),
        cmocka_unit_test(tables_fit),
        cmocka_unit_test(tables_of_the_phone_fit),
        cmocka_unit_test(a_trace_without_kept_frames_is_told),
        cmocka_unit_test(one_is_no_plural),
        cmocka_unit_test(lines_and_ratio_say_the_same),
        cmocka_unit_test(backends_stand_against_each_other),
        cmocka_unit_test(foreign_text_cannot_move_the_cursor),
        cmocka_unit_test(a_run_that_only_brings_fixtures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
