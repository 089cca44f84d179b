#include "coordinator/verify/verdict.h"

#include <string.h>

#include "tests/lib/check.h"

#define MS INT64_C(1000000)

static struct mgc_verdict judge(
    enum mgc_verdict_state before, int64_t stepped_ns, int64_t slept_ns, bool known)
{
    struct mgc_verdict verdict = {.state = before};
    struct mgc_clock_watch watches[] = {{"host", true, 0, 0}, {"wsl", known, stepped_ns, slept_ns}};
    mgc_verify_clocks(&verdict, watches, 2);
    return verdict;
}

static void check(
    struct mgc_verdict verdict, enum mgc_verdict_state state, const char *reason, bool again)
{
    assert_int_equal(verdict.state, state);
    assert_string_equal(verdict.reason, reason);
    assert_int_equal(verdict.infrastructure, again);
    mgc_verdict_destroy(&verdict);
}

static void even_clocks_change_nothing(void **state)
{
    check(judge(MGC_VERDICT_MEASURED, 0, 2 * MS, true), MGC_VERDICT_MEASURED, "", false);
}

/* The two clocks behind it are read one after the other. */
static void nobody_sleeps_less_than_nothing(void **state)
{
    struct mgc_verdict verdict = judge(MGC_VERDICT_MEASURED, 0, -120, true);
    assert_string_equal(verdict.evidence[1].seen, "stepped 0.000 ms, slept 0.000 ms");
    check(verdict, MGC_VERDICT_MEASURED, "", false);
}

static void a_jump_or_a_sleep_takes_the_measurement_back(void **state)
{
    check(judge(MGC_VERDICT_MEASURED, 2000 * MS, 0, true), MGC_VERDICT_INVALID, "clock-stepped",
        true);
    check(judge(MGC_VERDICT_MEASURED, 0, 5000 * MS, true), MGC_VERDICT_INVALID, "host-slept", true);
    /* A sleep also looks like a jump; it is named for what it is. */
    check(judge(MGC_VERDICT_MEASURED, 5000 * MS, 5000 * MS, true), MGC_VERDICT_INVALID,
        "host-slept", true);
}

static void another_reason_stands(void **state)
{
    struct mgc_verdict verdict = {.state = MGC_VERDICT_FAILED, .reason = "client-crashed"};
    struct mgc_clock_watch watch = {"wsl", true, 2000 * MS, 0};
    mgc_verify_clocks(&verdict, &watch, 1);
    assert_int_equal(verdict.evidence_count, 1);
    assert_int_equal(verdict.evidence[0].outcome, MGC_CHECK_BAD);
    check(verdict, MGC_VERDICT_FAILED, "client-crashed", false);
}

static void an_unknown_clock_is_not_an_even_one(void **state)
{
    struct mgc_verdict verdict = judge(MGC_VERDICT_MEASURED, 0, 0, false);
    assert_int_equal(verdict.evidence_count, 2);
    assert_int_equal(verdict.evidence[1].outcome, MGC_CHECK_ABSENT);
    check(verdict, MGC_VERDICT_INVALID, "clock-unknown", true);
    check(judge(MGC_VERDICT_FAILED, 0, 0, false), MGC_VERDICT_FAILED, "", false);
}

static struct mgc_verdict judge_start(
    enum mgc_verdict_state before, const char *barrier, struct mgc_release release)
{
    struct mgc_verdict verdict = {.state = before};
    struct mgc_step step = {.id = (char *)"replay", .barrier = (char *)barrier};
    struct mgc_cell cell = {.steps = &step, .step_count = 1};
    struct mgc_attempt attempt = {.cell = &cell, .release = release};
    mgc_verify_start(&verdict, &attempt);
    return verdict;
}

static void members_that_begin_apart_are_not_measured(void **state)
{
    struct mgc_release good = {.released = true, .members = 2, .reported = 2, .skew_ns = 3 * MS};
    struct mgc_release late = good, silent = good;
    late.skew_ns = 500 * MS;
    silent.reported = 1;
    const enum mgc_verdict_state measured = MGC_VERDICT_MEASURED, invalid = MGC_VERDICT_INVALID;
    check(judge_start(measured, "start", good), measured, "", false);
    check(judge_start(measured, NULL, (struct mgc_release){0}), measured, "", false);
    check(judge_start(measured, "start", late), invalid, "start-skewed", true);
    check(judge_start(measured, "start", silent), invalid, "start-skewed", true);
    check(judge_start(measured, "start", (struct mgc_release){0}), invalid, "start-skewed", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_clocks_change_nothing),
        cmocka_unit_test(nobody_sleeps_less_than_nothing),
        cmocka_unit_test(a_jump_or_a_sleep_takes_the_measurement_back),
        cmocka_unit_test(another_reason_stands),
        cmocka_unit_test(members_that_begin_apart_are_not_measured),
        cmocka_unit_test(an_unknown_clock_is_not_an_even_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
