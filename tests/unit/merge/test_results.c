#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/aggregate.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/merge/left_out.h"
#include "coordinator/merge/rounds.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

enum { CELLS = 6 };

struct fixture {
    struct mgc_cell cells[CELLS + 2];
    struct mgc_plan plan;
    struct mgc_results results;
};

static void measure(struct fixture *f, size_t measured)
{
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
    assert_int_equal(f->results.count, measured);
    for (size_t i = 0; i < measured; i++)
        f->results.cells[i].verdict.state = MGC_VERDICT_MEASURED;
    f->results.path_before.state = f->results.path_after.state = MGC_VERDICT_MEASURED;
}

/* Setup, `measured` cells, close. */
static void make(struct fixture *f, size_t measured)
{
    static const char *const arms[CELLS] = {"c1", "c2", "c1", "c2", "c1", "c3"};
    *f = (struct fixture){.plan = {.name = (char *)"p", .run_id = (char *)"r"}};
    f->plan.cells = f->cells;
    f->plan.cell_count = measured + 2;
    f->cells[0].kind = MGC_CELL_SETUP;
    f->cells[0].crosses_hosts = true;
    f->cells[measured + 1].kind = MGC_CELL_CLOSE;
    for (size_t i = 0; i < measured; i++)
        f->cells[i + 1] = (struct mgc_cell){.kind = MGC_CELL_MEASURE,
            .id = (char *)"x",
            .workload = (char *)"openra",
            .arm = (char *)arms[i],
            .crosses_hosts = true};
    measure(f, measured);
}

static const struct {
    const char *name;
    size_t cells;
    enum mgc_verdict_state first, before, after;
    bool interrupted;
    const char *stopped;
    int code;
    const char *reason; /* of the first cell */
} codes[] = {
#define M MGC_VERDICT_MEASURED
    {"all measured", 2, M, M, M, false, NULL, 0},
    {"nothing to measure", 0, M, M, M, false, NULL, 3},
    {"incomplete", 2, MGC_VERDICT_INCOMPLETE, M, M, false, NULL, 3},
    {"invalid", 2, MGC_VERDICT_INVALID, M, M, false, NULL, 3},
    {"failed", 2, MGC_VERDICT_FAILED, M, M, false, NULL, 3},
    {"skipped", 2, MGC_VERDICT_SKIPPED, M, M, false, NULL, 3},
    {"path bad before", 2, M, MGC_VERDICT_FAILED, M, false, NULL, 3},
    {"path unchecked after", 2, M, M, MGC_VERDICT_INCOMPLETE, false, NULL, 3},
    {"path bad after", 2, M, M, MGC_VERDICT_FAILED, false, NULL, 3},
    {"stopped", 2, M, M, M, false, "disk full", 3},
    {"interrupted", 2, M, M, M, true, NULL, 4},
    {"interrupted and failed", 2, MGC_VERDICT_FAILED, M, MGC_VERDICT_INCOMPLETE, true, "x", 4},
    {"a gate failed", 2, MGC_VERDICT_FAILED, M, M, false, NULL, 1, "ssim-below-threshold"},
    {"another reason", 2, MGC_VERDICT_FAILED, M, M, false, NULL, 3, "worker-lost"},
    {"a gate and the path", 2, MGC_VERDICT_FAILED, M, MGC_VERDICT_FAILED, false, NULL, 3,
        "ssim-below-threshold"},
    {"a gate, stopped", 2, MGC_VERDICT_FAILED, M, M, false, "x", 3, "ssim-below-threshold"},
    {"a gate, interrupted", 2, MGC_VERDICT_FAILED, M, M, true, NULL, 4, "ssim-below-threshold"},
    {"said by a file", 2, MGC_VERDICT_INCOMPLETE, M, M, false, NULL, 3, "ssim-below-threshold"},
#undef M
};

static void exit_codes(void **state)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct fixture f;
        make(&f, codes[i].cells);
        if (codes[i].cells)
            f.results.cells[0].verdict.state = codes[i].first;
        if (codes[i].reason)
            snprintf(f.results.cells[0].verdict.reason, sizeof(f.results.cells[0].verdict.reason),
                "%s", codes[i].reason);
        f.results.path_before.state = codes[i].before;
        f.results.path_after.state = codes[i].after;
        f.results.interrupted = codes[i].interrupted;
        f.results.stopped_reason = codes[i].stopped ? strdup(codes[i].stopped) : NULL;
        int code = mgc_results_exit_code(&f.results);
        if (code != codes[i].code)
            fail_msg("%s: exit code %d, expected %d", codes[i].name, code, codes[i].code);
        mgc_results_destroy(&f.results);
    }
}

/* What was not measured weighs more than a gate: nobody knows whether the rest would pass. */
static void a_gate_does_not_hide_a_cell_that_is_missing(void **state)
{
    struct fixture f;
    (void)state;
    make(&f, 3);
    f.results.cells[0].verdict.state = f.results.cells[1].verdict.state = MGC_VERDICT_FAILED;
    snprintf(f.results.cells[0].verdict.reason, sizeof(f.results.cells[0].verdict.reason),
        "ssim-below-threshold");
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    f.results.cells[1].verdict.state = MGC_VERDICT_MEASURED;
    assert_int_equal(mgc_results_exit_code(&f.results), 1);
    mgc_results_destroy(&f.results);
}

static void what_the_gate_said(struct fixture *f, bool failed)
{
    json_decref(f->results.gate);
    f->results.gate =
        json_pack("{s:b, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s}], s:[s]}", "failed", failed, "arms",
            "arm", "tcp", "workload", "openra", "decision", failed ? "regressed" : "improved",
            "arm", "shm", "workload", "openra", "decision", "unchanged", "lines", "gate: 1 of two");
    assert_non_null(f->results.gate);
}

static void a_regression_fails_a_run_that_is_right(void **state)
{
    struct fixture f;
    struct mgc_buf arms = {0};
    (void)state;
    make(&f, 2);
    assert_false(mgc_results_regressed(&f.results));
    assert_null(mgc_results_gate_line(&f.results, 0));
    what_the_gate_said(&f, false);
    assert_int_equal(mgc_results_exit_code(&f.results), 0);
    what_the_gate_said(&f, true);
    assert_int_equal(mgc_results_exit_code(&f.results), 1);
    mgc_results_regressed_text(&f.results, &arms);
    assert_string_equal(mgc_buf_text(&arms), "tcp of openra");
    assert_string_equal(mgc_results_gate_line(&f.results, 0), "gate: 1 of two");
    assert_null(mgc_results_gate_line(&f.results, 1));
    f.results.cells[0].verdict.state = MGC_VERDICT_INVALID;
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    mgc_buf_destroy(&arms);
    mgc_results_destroy(&f.results);
}

/* Those that nobody asked for are no cells of the results, and keep nothing from being right. */
static void confirming_cells_that_never_began_go(void **state)
{
    struct fixture f;
    (void)state;
    make(&f, 5);
    for (size_t i = 1; i < 5; i++)
        f.cells[i + 1].confirm = true;
    for (size_t i = 2; i < 5; i++)
        mgc_verdict_destroy(&f.results.cells[i].verdict);
    f.results.cells[1].attempts = 1; /* measured */
    mgc_reason_set(&f.results.cells[2].verdict, MGC_REASON_NOT_FLAGGED, "x");
    mgc_reason_set(&f.results.cells[3].verdict, MGC_REASON_RUN_STOPPED, "x");
    f.results.cells[4].verdict = (struct mgc_verdict){0}; /* its turn never came */
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    assert_true(mgc_plan_confirms(&f.plan));
    mgc_results_drop_unconfirmed(&f.results);
    assert_int_equal(f.results.count, 2);
    assert_ptr_equal(f.results.cells[1].cell, &f.cells[2]);
    assert_int_equal(mgc_results_exit_code(&f.results), 0);
    mgc_results_destroy(&f.results);
}

static void a_confirming_cell_that_went_wrong_stays(void **state)
{
    struct fixture f;
    (void)state;
    make(&f, 2);
    f.cells[2].confirm = true;
    mgc_verdict_destroy(&f.results.cells[1].verdict);
    mgc_reason_set(&f.results.cells[1].verdict, MGC_REASON_PATH_NOT_GOOD, "x");
    mgc_results_drop_unconfirmed(&f.results);
    assert_int_equal(f.results.count, 2);
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    mgc_results_destroy(&f.results);
}

/* host.app of the setup tells it; another setup, of a run that is resumed, may find it. */
static void cells_of_a_build_that_is_missing_are_left_out(void **state)
{
    struct fixture f;
    struct mgc_step step = {.id = (char *)"app-2", .kind = (char *)"host.app"};
    struct mgc_step_outcome outcome = {0};
    make(&f, 2);
    f.cells[1].expect.package = (char *)"org.a";
    f.cells[2].expect.package = (char *)"org.a.b";
    mgc_verdict_destroy(&f.results.cells[1].verdict);
    assert_false(mgc_results_lacks_build(&f.results, &f.results.cells[1]));
    mgc_fields_set_str(&outcome.facts, "missing", "org.a.b");
    mgc_results_keep_setup(&f.results, &step, &outcome);
    assert_false(mgc_results_lacks_build(&f.results, &f.results.cells[0]));
    assert_true(mgc_results_lacks_build(&f.results, &f.results.cells[1]));
    assert_string_equal(f.results.cells[1].verdict.reason, "not-installed");
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    mgc_fields_destroy(&outcome.facts);
    mgc_fields_set_str(&outcome.facts, "apk_sha256", "aa");
    mgc_results_keep_setup(&f.results, &step, &outcome);
    assert_false(mgc_results_lacks_build(&f.results, &f.results.cells[1]));
    mgc_fields_destroy(&outcome.facts);
    mgc_results_destroy(&f.results);
}

static void cells_are_found_and_notes_kept(void **state)
{
    struct fixture f;
    make(&f, 2);
    assert_ptr_equal(mgc_results_find(&f.results, &f.cells[2]), &f.results.cells[1]);
    assert_null(mgc_results_find(&f.results, &f.cells[0]));
    assert_null(mgc_results_bracket(&f.results, &f.cells[2]));
    assert_null(mgc_results_look(&f.results, &f.cells[2], false));
    assert_true(mgc_results_note(&f.results, "%d things", 3));
    assert_string_equal(f.results.notes[0], "3 things");
    mgc_results_destroy(&f.results);
    mgc_results_destroy(&f.results); /* zeroed */
    mgc_results_destroy(NULL);
}

static void repetitions_are_put_together(void **state)
{
    /* arm:   c1  c2  c1  c2  c1  c3; the second c2 does not count, c3 has no mean */
    static const double means[CELLS] = {20, 30, 26, 99, 22, 0};
    struct fixture f;
    struct mgc_aggregate *list;
    size_t count;
    make(&f, CELLS);
    for (size_t i = 0; i < CELLS; i++)
        mgc_fields_set_double(&f.results.cells[i].verdict.metrics, "mean_ms", means[i]);
    f.results.cells[3].verdict.state = MGC_VERDICT_INVALID;
    assert_true(mgc_results_aggregate(&f.results, &list, &count, NULL));
    assert_int_equal(count, 2);
    assert_string_equal(list[0].arm, "c1");
    assert_int_equal(list[0].count, 3);
    assert_true(list[0].min_mean_ms == 20 && list[0].max_mean_ms == 26);
    assert_true(list[0].median_mean_ms == 22);
    assert_ptr_equal(list[0].best, &f.results.cells[0]);
    struct mgc_spread spread;
    assert_true(mgc_aggregate_spread(&f.results, &list[0], "mean_ms", &spread));
    assert_int_equal(spread.n, 3);
    assert_true(spread.min == 20 && spread.median == 22 && spread.max == 26);
    assert_false(mgc_aggregate_spread(&f.results, &list[0], "rtt_mean_ms", &spread));
    mgc_fields_set_double(&f.results.cells[3].verdict.metrics, "rtt_mean_ms", 7);
    assert_false(mgc_aggregate_spread(&f.results, &list[1], "rtt_mean_ms", &spread));
    assert_true(mgc_aggregate_has(&list[1], &f.results.cells[3]));
    assert_string_equal(list[1].arm, "c2");
    assert_int_equal(list[1].count, 1);
    assert_true(list[1].median_mean_ms == 30);
    free(list);
    mgc_results_destroy(&f.results);
}

/* The limit is 10 s and two rounds are left then: cells are rounds 1 to 3 of two arms. */
static void rule_leaves_later_rounds_out(void **state)
{
    struct fixture f;
    const struct mgc_cell_result *cause = NULL;
    make(&f, CELLS);
    f.plan.shorten[0] = (struct mgc_shorten){(char *)"matrix", (char *)"openra", 10000, 2};
    f.plan.shorten_count = 1;
    for (size_t i = 0; i < CELLS + 2; i++)
        f.cells[i].lane = (char *)"matrix";
    for (size_t i = 0; i < CELLS; i++)
        f.cells[i + 1].rep = 1 + (int64_t)i / 2;
    mgc_results_destroy(&f.results);
    measure(&f, CELLS);
    mgc_fields_set_double(&f.results.cells[0].verdict.metrics, "app_s", 9.9);
    mgc_fields_set_double(&f.results.cells[2].verdict.metrics, "app_s", 11); /* of round 2 */
    assert_null(mgc_results_left_out(&f.results, &f.cells[5], &cause));
    mgc_fields_set_double(&f.results.cells[1].verdict.metrics, "app_s", 10.1);
    assert_ptr_equal(mgc_results_left_out(&f.results, &f.cells[5], &cause), &f.plan.shorten[0]);
    assert_ptr_equal(cause, &f.results.cells[1]);
    assert_null(mgc_results_left_out(&f.results, &f.cells[4], &cause));
    f.results.cells[4].verdict.state = f.results.cells[5].verdict.state = MGC_VERDICT_SKIPPED;
    assert_int_equal(mgc_results_exit_code(&f.results), 0);
    f.results.cells[3].verdict.state = MGC_VERDICT_SKIPPED; /* not by the rule */
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    f.results.cells[3].verdict.state = MGC_VERDICT_MEASURED;
    f.results.cells[1].verdict.state = MGC_VERDICT_INVALID; /* its time does not count then */
    assert_null(mgc_results_left_out(&f.results, &f.cells[5], &cause));
    mgc_results_destroy(&f.results);
}

static void leave_out(struct fixture *f, size_t cell, enum mgc_reason reason, const char *text)
{
    struct mgc_verdict *verdict = &f->results.cells[cell].verdict;
    mgc_verdict_destroy(verdict);
    mgc_reason_set(verdict, reason, "%s", text);
}

/* Arms c1 c2 in rounds 1 to 3, of which time was over after the first. */
static void rounds_without_time_are_as_planned(void **state)
{
    struct fixture f;
    struct mgc_left_out left_out;
    make(&f, CELLS);
    f.cells[CELLS].arm = f.cells[2].arm;
    for (size_t i = 2; i < CELLS; i++)
        leave_out(&f, i, MGC_REASON_NO_TIME_LEFT, i < 4 ? "round 2" : "round 3");
    assert_int_equal(mgc_results_exit_code(&f.results), 0);
    assert_true(mgc_results_left_out_part(&f.results, 1, &left_out));
    assert_true(left_out.of_time);
    assert_int_equal(left_out.cells, 2);
    assert_string_equal(left_out.verdict->text, "round 3");
    assert_true(mgc_result_left_out_with(&f.results.cells[5], &left_out));
    assert_false(mgc_result_left_out_with(&f.results.cells[2], &left_out));
    assert_false(mgc_results_left_out_part(&f.results, 2, &left_out));
    leave_out(&f, 5, MGC_REASON_TIME_OVER, "cut off"); /* in the middle of its round */
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    leave_out(&f, 5, MGC_REASON_NO_TIME_LEFT, "round 3");
    f.cells[CELLS].confirm = true; /* the gate wanted it */
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    f.cells[CELLS].confirm = false;
    f.cells[CELLS].mode = MGC_MODE_SSIM; /* nobody looked at the picture */
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    f.cells[CELLS].mode = MGC_MODE_BENCHMARK;
    f.results.cells[1].verdict.state = MGC_VERDICT_INVALID; /* the arm's only round */
    assert_false(mgc_results_left_as_planned(&f.results, &f.results.cells[5]));
    assert_true(mgc_results_left_as_planned(&f.results, &f.results.cells[4]));
    mgc_results_destroy(&f.results);
    (void)state;
}

static void pair(const struct fixture *f, const char *workload, const char *metric,
    struct mgc_pair **ret_pairs, size_t *ret_count)
{
    struct mgc_rounds rounds;
    struct mgc_side side = {workload, NULL, "c2"}, reference = {workload, NULL, "c1"};
    assert_true(mgc_rounds_init(&rounds, &f->results, NULL));
    assert_true(mgc_rounds_pairs(&rounds, &side, &reference, metric, ret_pairs, ret_count, NULL));
    mgc_rounds_destroy(&rounds);
}

/* arms: c1 c2 c1 c2 c1 c3 in rounds 1 1 2 2 3 3 */
static void rounds_become_pairs(void **state)
{
    struct fixture f;
    struct mgc_pair *pairs;
    size_t count;
    make(&f, CELLS);
    for (size_t i = 0; i < CELLS; i++) {
        f.cells[i + 1].rep = 1 + (int64_t)i / 2;
        mgc_fields_set_double(&f.results.cells[i].verdict.metrics, "mean_ms", 10.0 + (double)i);
    }
    pair(&f, "openra", "mean_ms", &pairs, &count);
    assert_int_equal(count, 2); /* round 3 has no c2 */
    assert_true(pairs[0].arm == 11 && pairs[0].reference == 10);
    assert_true(pairs[1].arm == 13 && pairs[1].reference == 12);
    free(pairs);
    f.results.cells[3].verdict.state = MGC_VERDICT_INVALID;
    pair(&f, "openra", "mean_ms", &pairs, &count);
    assert_int_equal(count, 2);
    assert_true(isnan(pairs[1].arm) && pairs[1].reference == 12);
    free(pairs);
    pair(&f, "openra", "fps", &pairs, &count);
    assert_true(count == 2 && isnan(pairs[0].arm) && isnan(pairs[0].reference));
    free(pairs);
    f.cells[2].mode = MGC_MODE_SSIM; /* the c2 of round 1 */
    pair(&f, "openra", "mean_ms", &pairs, &count);
    assert_true(count == 1 && pairs[0].reference == 12);
    free(pairs);
    pair(&f, "rd12", "mean_ms", &pairs, &count);
    assert_int_equal(count, 0);
    free(pairs);
    mgc_results_destroy(&f.results);
}

static void pictures_are_no_repetitions(void **state)
{
    struct fixture f;
    struct mgc_aggregate *list;
    size_t count;
    make(&f, 1);
    f.cells[1].mode = MGC_MODE_SSIM;
    mgc_fields_set_double(&f.results.cells[0].verdict.metrics, "mean_ms", 5);
    assert_true(mgc_results_aggregate(&f.results, &list, &count, NULL));
    assert_int_equal(count, 0);
    free(list);
    mgc_results_destroy(&f.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(a_gate_does_not_hide_a_cell_that_is_missing),
        cmocka_unit_test(a_regression_fails_a_run_that_is_right),
        cmocka_unit_test(confirming_cells_that_never_began_go),
        cmocka_unit_test(a_confirming_cell_that_went_wrong_stays),
        cmocka_unit_test(cells_of_a_build_that_is_missing_are_left_out),
        cmocka_unit_test(cells_are_found_and_notes_kept),
        cmocka_unit_test(repetitions_are_put_together),
        cmocka_unit_test(rule_leaves_later_rounds_out),
        cmocka_unit_test(rounds_without_time_are_as_planned),
        cmocka_unit_test(rounds_become_pairs),
        cmocka_unit_test(pictures_are_no_repetitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
