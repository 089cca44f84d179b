/* Every form of the same result, byte for byte. After a wanted change: run this program with the
 * directory of the data in MGC_UPDATE_GOLDEN, and read the difference. */
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/report/report.h"
#include "tests/lib/check.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_matrix.h"
#include "tests/unit/report/fixture_merged.h"

static void assert_golden(const char *name, const struct mgc_buf *text)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf golden = {0};
    const char *update = getenv("MGC_UPDATE_GOLDEN");
    assert_true(mgc_path_join(path, sizeof(path), update ? update : GOLDEN_DIR, name));
    if (update)
        assert_true(mgc_file_write(path, text->data, text->len, 0644, NULL));
    assert_true(mgc_file_read(path, (size_t)1 << 20, &golden, NULL));
    assert_string_equal(mgc_buf_text(text), mgc_buf_text(&golden));
    mgc_buf_destroy(&golden);
}

typedef bool form(const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);

static bool wide_table(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    return mgc_report_table(results, 0, out, err);
}

static bool narrow_table(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    return mgc_report_table(results, 80, out, err);
}

static void print_both(form *print, const char *full, const char *empty)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    assert_true(print(&f.results, &text, NULL));
    assert_golden(full, &text);
    report_fixture_destroy(&f);
    mgc_buf_clear(&text);
    report_fixture_make_empty(&f);
    assert_true(print(&f.results, &text, NULL));
    assert_golden(empty, &text);
    report_fixture_destroy(&f);
    mgc_buf_destroy(&text);
}

static void markdown(void **state)
{
    print_both(mgc_report_markdown, "REPORT.md", "REPORT-interrupted.md");
}

static void summary(void **state)
{
    print_both(mgc_report_summary_json, "summary.json", "summary-interrupted.json");
}

static void junit(void **state)
{
    print_both(mgc_report_junit, "junit.xml", "junit-interrupted.xml");
}

static void cells(void **state)
{
    print_both(mgc_report_cells_csv, "cells.csv", "cells-interrupted.csv");
}

static void sentence(void **state)
{
    print_both(mgc_report_sentence, "sentence.txt", "sentence-interrupted.txt");
}

static void print_matrix(form *print, const char *golden)
{
    struct matrix_fixture f;
    struct mgc_buf text = {0};
    matrix_fixture_make(&f);
    assert_true(print(&f.results, &text, NULL));
    assert_golden(golden, &text);
    matrix_fixture_destroy(&f);
    mgc_buf_destroy(&text);
}

static void summary_of_the_matrix(void **state)
{
    print_matrix(mgc_report_summary_json, "summary-matrix.json");
}

static void junit_of_the_matrix(void **state)
{
    print_matrix(mgc_report_junit, "junit-matrix.xml");
}

static void cells_of_the_matrix(void **state)
{
    print_matrix(mgc_report_cells_csv, "cells-matrix.csv");
}

static void markdown_of_the_matrix(void **state)
{
    print_matrix(mgc_report_markdown, "REPORT-matrix.md");
}

static void print_merged(form *print, const char *golden)
{
    struct merged_fixture f;
    struct mgc_buf text = {0};
    merged_fixture_make(&f);
    assert_true(print(&f.results, &text, NULL));
    assert_golden(golden, &text);
    merged_fixture_destroy(&f);
    mgc_buf_destroy(&text);
}

static void summary_of_a_night(void **state)
{
    print_merged(mgc_report_summary_json, "summary-merged.json");
}

static void markdown_of_a_night(void **state)
{
    print_merged(mgc_report_markdown, "REPORT-merged.md");
}

static void table_of_a_night(void **state)
{
    print_merged(wide_table, "table-merged.txt");
    print_merged(narrow_table, "table-80-merged.txt");
}

/* A comparison of arms that always came at the same place says so beside it. */
static void fixed_places_are_told(void **state)
{
    static const char words[] = "each arm came at the same place";
    struct matrix_fixture f;
    struct mgc_buf text = {0};
    (void)state;
    matrix_fixture_make(&f);
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    assert_null(strstr(mgc_buf_text(&text), words));
    mgc_buf_clear(&text);
    f.plan.order = NULL; /* fixed */
    assert_true(mgc_report_markdown(&f.results, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), words));
    mgc_buf_destroy(&text);
    matrix_fixture_destroy(&f);
}

static void expect_in_table(const struct mgc_results *results, const char *words, bool there)
{
    struct mgc_buf text = {0};
    assert_true(mgc_report_table(results, 0, &text, NULL));
    if ((strstr(mgc_buf_text(&text), words) != NULL) != there)
        fail_msg("'%s' is %sthere: %s", words, there ? "not " : "", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

static void drop_all_but_one_round(struct matrix_fixture *f)
{
    for (size_t i = 0; i < f->results.count; i++) {
        if (f->results.cells[i].cell->rep > 1)
            f->results.cells[i].verdict.state = MGC_VERDICT_FAILED;
    }
}

/* Only what is called faster or slower may be its place. */
static void the_table_tells_fixed_places(void **state)
{
    static const char words[] = "order fixed: each arm came at the same place";
    struct matrix_fixture f;
    (void)state;
    matrix_fixture_make(&f);
    expect_in_table(&f.results, words, false);
    f.plan.order = NULL; /* fixed */
    expect_in_table(&f.results, words, true);
    drop_all_but_one_round(&f);
    expect_in_table(&f.results, words, false);
    matrix_fixture_destroy(&f);
}

static void the_table_tells_few_kept_frames(void **state)
{
    struct matrix_fixture f;
    (void)state;
    matrix_fixture_make(&f);
    mgc_fields_set_int(&f.results.cells[1].verdict.metrics, "kept_frames", 30);
    expect_in_table(&f.results, "kept per round", false);
    mgc_fields_set_int(&f.results.cells[1].verdict.metrics, "kept_frames", 29);
    expect_in_table(&f.results, "\nopenra: only 29 frames kept per round\n", true);
    expect_in_table(&f.results, "rd12: only", false);
    matrix_fixture_destroy(&f);
}

static void table_of_the_matrix(void **state)
{
    print_matrix(wide_table, "table-matrix.txt");
    print_matrix(narrow_table, "table-80-matrix.txt");
}

static void table(void **state)
{
    print_both(wide_table, "table.txt", "table-interrupted.txt");
}

static void table_of_80_columns(void **state)
{
    print_both(narrow_table, "table-80.txt", "table-80-interrupted.txt");
}

static void verdict(void **state)
{
    struct report_fixture f;
    struct mgc_buf text = {0};
    report_fixture_make(&f);
    struct mgc_step steps[] = {
        {.id = (char *)"server", .kind = (char *)"host.server", .role = MGC_ROLE_HOST},
        {.id = (char *)"replay", .kind = (char *)"wsl.replay", .role = MGC_ROLE_WSL}};
    struct mgc_step_outcome outcomes[] = {
        {.state = MGC_STEP_DONE, .start_ns = 1000000000, .end_ns = 3500000000, .undo_done = 1},
        {.state = MGC_STEP_FAILED, .undo_failed = 1, .undo_text = (char *)"\xffno"}};
    mgc_error_set(&outcomes[1].error, MGC_E_LOST, "worker lost: silent");
    mgc_fields_set_int(&outcomes[0].facts, "session_exit", 0);
    mgc_fields_set_str(&outcomes[0].ready, "listen_line", "listening on tcp://0.0.0.0:40613");
    struct mgc_cell cell = *f.results.cells[2].cell;
    cell.steps = steps;
    cell.step_count = 2;
    struct mgc_attempt attempt = {.cell = &cell,
        .number = 1,
        .steps = outcomes,
        .start_wall_ns = f.results.start_wall_ns,
        .end_wall_ns = f.results.end_wall_ns};
    assert_true(mgc_report_verdict_json(&attempt, &f.results.cells[2].verdict, NULL, &text, NULL));
    assert_golden("verdict.json", &text);
    mgc_fields_destroy(&outcomes[0].facts);
    mgc_fields_destroy(&outcomes[0].ready);
    mgc_buf_destroy(&text);
    report_fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markdown),
        cmocka_unit_test(summary),
        cmocka_unit_test(junit),
        cmocka_unit_test(cells),
        cmocka_unit_test(sentence),
        cmocka_unit_test(summary_of_the_matrix),
        cmocka_unit_test(junit_of_the_matrix),
        cmocka_unit_test(cells_of_the_matrix),
        cmocka_unit_test(markdown_of_the_matrix),
        cmocka_unit_test(the_table_tells_fixed_places),
        cmocka_unit_test(the_table_tells_few_kept_frames),
        cmocka_unit_test(table_of_the_matrix),
        cmocka_unit_test(fixed_places_are_told),
        cmocka_unit_test(summary_of_a_night),
        cmocka_unit_test(markdown_of_a_night),
        cmocka_unit_test(table_of_a_night),
        cmocka_unit_test(table),
        cmocka_unit_test(table_of_80_columns),
        cmocka_unit_test(verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
