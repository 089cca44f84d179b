/* A link test's facts, judged: what each of them says when it is wrong, or not there. */
#include <stdio.h>
#include <string.h>

#include "coordinator/verify/netbench.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

enum { SINK, TEST, STEPS };

struct test {
    struct mgc_step steps[STEPS];
    struct mgc_step_outcome outcomes[STEPS];
    struct mgc_cell cell;
    struct mgc_attempt attempt;
    struct mgc_verdict verdict;
};

static void set(struct test *test, int step, const char *name, int64_t value)
{
    assert_true(mgc_fields_set_int(&test->outcomes[step].facts, name, value));
}

static void fill_way(struct test *test, const char *way, int64_t bytes)
{
    char name[64];
    const struct {
        const char *what;
        int64_t value;
    } facts[] = {{"bps", 400000000}, {"duration_ns", 2000000000}, {"sent_bytes", bytes},
        {"received_bytes", bytes}, {"retransmits", 3}, {"rtt_median_ns", 9000000}};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        snprintf(name, sizeof(name), "%s_%s", way, facts[i].what);
        set(test, TEST, name, facts[i].value);
    }
}

/* One that is good in both directions. */
static void make(struct test *test, const char *direction)
{
    *test = (struct test){
        .steps = {{.id = (char *)"sink", .kind = (char *)"host.sink"},
            {.id = (char *)"netbench", .kind = (char *)"wsl.netbench", .role = MGC_ROLE_WSL}},
        .outcomes = {{.state = MGC_STEP_DONE}, {.state = MGC_STEP_DONE}},
        .cell = {.kind = MGC_CELL_MEASURE,
            .id = (char *)"netbench/link-r1",
            .lane = (char *)"netbench",
            .step_count = STEPS},
        .attempt = {.completed = true}};
    test->cell.steps = test->steps;
    test->attempt.cell = &test->cell;
    test->attempt.steps = test->outcomes;
    assert_true(mgc_fields_set_str(&test->steps[TEST].params, "direction", direction));
    assert_true(mgc_fields_set_int(&test->steps[TEST].params, "duration_ms", 2000));
    set(test, SINK, "sessions", 1);
    set(test, SINK, "refused", 0);
    set(test, SINK, "received_bytes", 1000);
    set(test, SINK, "sent_bytes", 2000);
    mgc_fields_set_str(&test->outcomes[TEST].facts, "path", "end-to-end");
    mgc_fields_set_str(&test->outcomes[TEST].facts, "path_reason", "marks");
    set(test, TEST, "rtt_n", 20);
    set(test, TEST, "rtt_min_ns", 5000000);
    set(test, TEST, "rtt_median_ns", 6000000);
    set(test, TEST, "rtt_p95_ns", 7000000);
    fill_way(test, "up", 1000);
    fill_way(test, "down", 2000);
}

static void destroy(struct test *test)
{
    mgc_verdict_destroy(&test->verdict);
    mgc_fields_destroy(&test->steps[TEST].params);
    for (int i = 0; i < STEPS; i++)
        mgc_fields_destroy(&test->outcomes[i].facts);
}

static void judge(struct test *test)
{
    mgc_verify_cell(&test->attempt, "/nonexistent", &test->verdict);
}

static void expect(struct test *test, enum mgc_verdict_state state, const char *reason)
{
    struct mgc_link_baseline baseline = {.known = true};
    judge(test);
    if (test->verdict.state != state || strcmp(test->verdict.reason, reason) != 0)
        fail_msg("%s (%s): %s", mgc_verdict_state_name(test->verdict.state), test->verdict.reason,
            test->verdict.text);
    struct mgc_verdict other = {0};
    mgc_verify_link(&test->attempt, &other, &baseline);
    assert_int_equal(baseline.known, state == MGC_VERDICT_MEASURED);
    mgc_verdict_destroy(&other);
    destroy(test);
}

static void a_good_one_is_measured(void **state)
{
    struct test test;
    struct mgc_link_baseline baseline;
    struct mgc_verdict verdict = {0};
    double value = 0;
    make(&test, "both");
    mgc_verify_link(&test.attempt, &verdict, &baseline);
    assert_true(baseline.known);
    assert_int_equal(baseline.up_bps, 400000000);
    assert_int_equal(baseline.down_bps, 400000000);
    assert_int_equal(baseline.rtt_median_ns, 6000000);
    assert_int_equal(baseline.up_rtt_median_ns, 9000000);
    assert_int_equal(baseline.up_retransmits, 3);
    assert_true(baseline.up_cv < 0); /* nobody said it */
    assert_false(mgc_verdict_is_named(&verdict));
    mgc_verdict_destroy(&verdict);
    judge(&test);
    assert_true(mgc_fields_get_double(&test.verdict.metrics, "up_mbit_s", &value));
    assert_float_equal(value, 400, 1e-6);
    assert_true(mgc_fields_get_double(&test.verdict.metrics, "link_rtt_ms", &value));
    assert_float_equal(value, 6, 1e-6);
    mgc_verdict_destroy(&test.verdict);
    expect(&test, MGC_VERDICT_MEASURED, "");
}

static void each_wrong_fact_has_its_reason(void **state)
{
    static const struct {
        int step;
        const char *fact;
        int64_t value;
        const char *reason;
    } rows[] = {
        {SINK, "sessions", 0, "link-reconnected"},
        {SINK, "sessions", 2, "link-reconnected"},
        {SINK, "received_bytes", 999, "link-counts-differ"},
        {SINK, "sent_bytes", 0, "link-counts-differ"},
        {TEST, "up_received_bytes", 999, "link-counts-differ"},
        {TEST, "down_sent_bytes", 2001, "link-counts-differ"},
        {TEST, "up_duration_ns", 1999999999, "link-cut-short"},
        {TEST, "down_bps", 0, "link-silent"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct test test;
        make(&test, "both");
        set(&test, rows[i].step, rows[i].fact, rows[i].value);
        expect(&test, MGC_VERDICT_INVALID, rows[i].reason);
    }
}

/* Absent is never OK. */
static void each_absent_fact_is_missed(void **state)
{
    static const struct {
        int step;
        const char *fact;
    } rows[] = {{SINK, "sessions"}, {SINK, "received_bytes"}, {TEST, "path"}, {TEST, "up_bps"},
        {TEST, "down_duration_ns"}, {TEST, "up_sent_bytes"}, {TEST, "down_received_bytes"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct test test;
        make(&test, "both");
        mgc_fields_remove(&test.outcomes[rows[i].step].facts, rows[i].fact);
        expect(&test, MGC_VERDICT_INVALID, "evidence-incomplete");
    }
}

static void one_direction_needs_no_other(void **state)
{
    struct test test;
    make(&test, "down");
    mgc_fields_remove(&test.outcomes[TEST].facts, "up_bps");
    set(&test, SINK, "received_bytes", 0);
    expect(&test, MGC_VERDICT_MEASURED, "");
}

static void strangers_do_not_spoil_it(void **state)
{
    struct test test;
    make(&test, "both");
    set(&test, SINK, "refused", 4);
    mgc_fields_set_str(&test.outcomes[SINK].facts, "refused_why", "stranger 10.0.0.9:5");
    judge(&test);
    assert_string_equal(mgc_verdict_find(&test.verdict, "one session")->seen,
        "1; 4 turned away, first stranger 10.0.0.9:5");
    mgc_verdict_destroy(&test.verdict);
    expect(&test, MGC_VERDICT_MEASURED, "");
}

static void a_proxy_shows_by_its_marks(void **state)
{
    struct test test;
    make(&test, "both");
    mgc_fields_set_str(&test.outcomes[TEST].facts, "path", "middlebox");
    expect(&test, MGC_VERDICT_FAILED, "middlebox");
    make(&test, "both");
    mgc_fields_set_str(&test.outcomes[TEST].facts, "path", "cannot-tell");
    expect(&test, MGC_VERDICT_FAILED, "path-unclear");
}

static void a_step_that_failed_comes_first(void **state)
{
    struct test test;
    make(&test, "both");
    test.outcomes[TEST].state = MGC_STEP_FAILED;
    test.attempt.completed = false;
    test.attempt.failed_step = "netbench";
    mgc_error_set(&test.attempt.error, MGC_E_DENIED, "refused: the token is not this sink's");
    expect(&test, MGC_VERDICT_FAILED, "denied");
}

static void other_cells_have_no_link(void **state)
{
    struct test test;
    struct mgc_link_baseline baseline;
    make(&test, "both");
    test.steps[TEST].kind = (char *)"wsl.pathcheck";
    mgc_verify_link(&test.attempt, &test.verdict, &baseline);
    assert_false(baseline.known);
    assert_int_equal(test.verdict.evidence_count, 0);
    destroy(&test);
}

/* ---- a bracket: the path was good, and the run was stopped while the link was tested ---- */

static void expect_bracket(
    struct test *test, bool interrupted, enum mgc_verdict_state state, const char *reason)
{
    test->attempt.completed = false;
    test->attempt.interrupted = interrupted;
    test->verdict.state = MGC_VERDICT_MEASURED; /* the path's */
    mgc_verify_bracket(&test->attempt, &test->verdict);
    assert_int_equal(test->verdict.state, state);
    assert_string_equal(test->verdict.reason, reason);
    destroy(test);
}

static void a_bracket_that_was_cut_off_is_interrupted(void **state)
{
    struct test test;
    make(&test, "both");
    test.outcomes[TEST].state = test.outcomes[SINK].state = MGC_STEP_FAILED;
    mgc_error_set(&test.attempt.error, MGC_E_CANCELLED, "interrupted");
    expect_bracket(&test, true, MGC_VERDICT_INCOMPLETE, "interrupted");
    make(&test, "both"); /* the sink ended first: nobody had come */
    test.outcomes[TEST].state = MGC_STEP_FAILED;
    set(&test, SINK, "sessions", 0);
    expect_bracket(&test, true, MGC_VERDICT_INCOMPLETE, "interrupted");
    make(&test, "both"); /* the test was done, and the sink's counts did not come */
    test.outcomes[SINK].state = MGC_STEP_FAILED;
    expect_bracket(&test, true, MGC_VERDICT_INCOMPLETE, "interrupted");
}

static void a_bracket_that_has_all_is_good(void **state)
{
    struct test test;
    make(&test, "both");
    expect_bracket(&test, true, MGC_VERDICT_MEASURED, "");
    make(&test, "both");
    test.outcomes[SINK].state = MGC_STEP_FAILED;
    expect_bracket(&test, false, MGC_VERDICT_INVALID, "evidence-incomplete");
    make(&test, "both"); /* a proxy is one, whoever stopped the run */
    mgc_fields_set_str(&test.outcomes[TEST].facts, "path", "middlebox");
    expect_bracket(&test, true, MGC_VERDICT_FAILED, "middlebox");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_one_is_measured),
        cmocka_unit_test(each_wrong_fact_has_its_reason),
        cmocka_unit_test(each_absent_fact_is_missed),
        cmocka_unit_test(one_direction_needs_no_other),
        cmocka_unit_test(strangers_do_not_spoil_it),
        cmocka_unit_test(a_proxy_shows_by_its_marks),
        cmocka_unit_test(a_step_that_failed_comes_first),
        cmocka_unit_test(other_cells_have_no_link),
        cmocka_unit_test(a_bracket_that_was_cut_off_is_interrupted),
        cmocka_unit_test(a_bracket_that_has_all_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
