/* A cell counts only between two good path checks. */
#include <string.h>

#include "coordinator/merge/path_proof.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

enum { CELLS = 3 };

struct fixture {
    struct mgc_cell cells[CELLS];
    struct mgc_plan plan;
    struct mgc_results results;
    struct mgc_verdict check;
    int amended;
};

static void on_amended(void *user, struct mgc_cell_result *cell)
{
    ((struct fixture *)user)->amended++;
}

/* Two cells over the network, measured but for the path; one on the phone alone. */
static void make(struct fixture *f)
{
    static const char *const lanes[CELLS] = {"crosshost", "crosshost", "matrix"};
    *f = (struct fixture){.plan = {.cells = f->cells, .cell_count = CELLS}};
    for (size_t i = 0; i < CELLS; i++)
        f->cells[i] = (struct mgc_cell){.kind = MGC_CELL_MEASURE,
            .id = (char *)"x",
            .lane = (char *)lanes[i],
            .crosses_hosts = i != 2};
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
    for (size_t i = 0; i < CELLS; i++) {
        f->results.cells[i].verdict.state = MGC_VERDICT_MEASURED;
        mgc_path_withhold(&f->results, &f->results.cells[i]);
    }
    f->results.path_before.state = MGC_VERDICT_MEASURED;
}

static void destroy(struct fixture *f)
{
    mgc_results_destroy(&f->results);
    mgc_verdict_destroy(&f->check);
}

static void check_cell(
    const struct fixture *f, size_t at, enum mgc_verdict_state state, const char *reason)
{
    assert_int_equal(f->results.cells[at].verdict.state, state);
    assert_string_equal(f->results.cells[at].verdict.reason, reason);
    assert_int_equal(f->results.cells[at].verdict.text[0] == '\0', *reason == '\0');
}

static void without_a_check_after_it_no_cell_is_measured(void **state)
{
    struct fixture f;
    make(&f);
    check_cell(&f, 0, MGC_VERDICT_INCOMPLETE, "path-unproved");
    check_cell(&f, 1, MGC_VERDICT_INCOMPLETE, "path-unproved");
    check_cell(&f, 2, MGC_VERDICT_MEASURED, "");
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    destroy(&f);
}

/* Interrupted, or its worker was lost: both are incomplete. */
static void a_check_that_nobody_made_proves_nothing(void **state)
{
    static const enum mgc_reason reasons[] = {MGC_REASON_INTERRUPTED, MGC_REASON_PATH_UNCHECKED};
    struct fixture f;
    make(&f);
    for (size_t i = 0; i < 2; i++) {
        mgc_verdict_destroy(&f.check);
        mgc_reason_set(&f.check, reasons[i], "nobody looked");
        mgc_path_checked(&f.results, &f.check, on_amended, &f);
    }
    check_cell(&f, 0, MGC_VERDICT_INCOMPLETE, "path-unproved");
    assert_int_equal(f.amended, 0);
    destroy(&f);
}

/* An outage is not another path: nothing was seen to have changed. */
static void an_unclear_check_changes_nothing_but_the_sentence(void **state)
{
    struct fixture f;
    make(&f);
    mgc_reason_set(&f.check, MGC_REASON_PATH_UNCLEAR, "no answer");
    mgc_path_checked(&f.results, &f.check, on_amended, &f);
    check_cell(&f, 0, MGC_VERDICT_INCOMPLETE, "path-unproved");
    assert_non_null(strstr(f.results.cells[0].verdict.text, "no answer"));
    assert_int_equal(f.amended, 2);
    mgc_verdict_destroy(&f.check);
    f.check.state = MGC_VERDICT_MEASURED;
    mgc_path_checked(&f.results, &f.check, on_amended, &f);
    check_cell(&f, 0, MGC_VERDICT_MEASURED, "");
    destroy(&f);
}

static void a_good_check_makes_cells_measured(void **state)
{
    struct fixture f;
    make(&f);
    f.check.state = MGC_VERDICT_MEASURED;
    mgc_path_checked(&f.results, &f.check, on_amended, &f);
    check_cell(&f, 0, MGC_VERDICT_MEASURED, "");
    check_cell(&f, 1, MGC_VERDICT_MEASURED, "");
    assert_int_equal(f.amended, 2);
    const struct mgc_verdict *proved = &f.results.cells[0].verdict;
    assert_int_equal(proved->evidence_count, 1);
    assert_string_equal(proved->evidence[0].check, "path after");
    assert_int_equal(proved->evidence[0].outcome, MGC_CHECK_OK);
    assert_int_equal(f.results.cells[2].verdict.evidence_count, 0);
    mgc_reason_set(&f.check, MGC_REASON_MIDDLEBOX, "later"); /* a later bad one changes nothing */
    f.check.state = MGC_VERDICT_FAILED;
    mgc_path_checked(&f.results, &f.check, on_amended, &f);
    check_cell(&f, 0, MGC_VERDICT_MEASURED, "");
    destroy(&f);
}

static void a_bad_check_voids_cells_for_good(void **state)
{
    struct fixture f;
    make(&f);
    mgc_reason_set(&f.results.cells[2].verdict, MGC_REASON_LOCKSTEP, "its own");
    f.results.cells[2].verdict.state = MGC_VERDICT_INVALID;
    mgc_reason_set(&f.check, MGC_REASON_MIDDLEBOX, "somebody answers");
    mgc_path_checked(&f.results, &f.check, on_amended, &f);
    check_cell(&f, 0, MGC_VERDICT_INVALID, "path-changed");
    assert_non_null(strstr(f.results.cells[0].verdict.text, "somebody answers"));
    mgc_verdict_destroy(&f.check);
    f.check.state = MGC_VERDICT_MEASURED;
    mgc_path_checked(&f.results, &f.check, on_amended, &f);
    check_cell(&f, 0, MGC_VERDICT_INVALID, "path-changed");
    assert_int_equal(f.amended, 2);
    destroy(&f);
}

/* As earlier builds stored them: measured at once. */
static void old_directories_are_held_to_the_same(void **state)
{
    struct fixture f;
    make(&f);
    for (size_t i = 0; i < CELLS; i++) {
        mgc_verdict_destroy(&f.results.cells[i].verdict);
        f.results.cells[i].verdict.state = MGC_VERDICT_MEASURED;
    }
    f.results.path_after.state = MGC_VERDICT_MEASURED;
    mgc_path_restored(&f.results);
    check_cell(&f, 0, MGC_VERDICT_MEASURED, "");
    f.results.path_after.state = MGC_VERDICT_INCOMPLETE;
    mgc_verdict_add(&f.results.cells[1].verdict, "path after", MGC_CHECK_OK, "wsl.pathcheck", "x");
    mgc_path_restored(&f.results);
    check_cell(&f, 0, MGC_VERDICT_INCOMPLETE, "path-unproved");
    check_cell(&f, 1, MGC_VERDICT_MEASURED, "");
    check_cell(&f, 2, MGC_VERDICT_MEASURED, "");
    destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_check_after_it_no_cell_is_measured),
        cmocka_unit_test(a_check_that_nobody_made_proves_nothing),
        cmocka_unit_test(an_unclear_check_changes_nothing_but_the_sentence),
        cmocka_unit_test(a_good_check_makes_cells_measured),
        cmocka_unit_test(a_bad_check_voids_cells_for_good),
        cmocka_unit_test(old_directories_are_held_to_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
