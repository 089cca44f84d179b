#include "coordinator/stats/gate.h"

#include <string.h>

#include "coordinator/stats/distribution.h"
#include "tests/unit/stats/near.h"

enum { ROUNDS = 5, HISTORY = 8, MOST = 14 };

/* Every night's rounds scatter by 1 % about it, and nights move by 1 % by themselves. */
static const double scatter[ROUNDS] = {0.01, -0.01, 0.005, -0.005, 0};
static const double moves[HISTORY] = {0.01, -0.01, 0.005, -0.005, 0, 0.01, -0.01, 0};

struct fixture {
    double values[HISTORY][ROUNDS], tonight[ROUNDS], confirm[ROUNDS];
    struct mgc_night_rounds nights[HISTORY];
    struct mgc_gate_arm arm;
};

static void fill(double values[ROUNDS], double level)
{
    for (size_t i = 0; i < ROUNDS; i++)
        values[i] = level + scatter[i];
}

static void make(struct fixture *f, double tonight, double confirm)
{
    for (size_t i = 0; i < HISTORY; i++) {
        fill(f->values[i], 3 + moves[i]);
        f->nights[i] = (struct mgc_night_rounds){f->values[i], ROUNDS, i < 4 ? "old" : "new"};
    }
    fill(f->tonight, 3 + tonight);
    fill(f->confirm, 3 + confirm);
    f->arm = (struct mgc_gate_arm){.nights = f->nights,
        .night_count = HISTORY,
        .tonight = {f->tonight, ROUNDS, "tonight's"},
        .confirm = {f->confirm, ROUNDS, NULL}};
}

static struct mgc_gate_result decide(const struct fixture *f)
{
    struct mgc_gate_result result;
    assert_true(mgc_gate_decide(&mgc_gate_default, &f->arm, 1, &result));
    return result;
}

static void expect_text(const struct mgc_gate_result *result, const char *expected)
{
    char text[160];
    mgc_gate_text(result, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void a_confirmed_slowdown_fails_the_gate(void **state)
{
    struct fixture f;
    make(&f, -0.08, -0.08);
    struct mgc_gate_result result = decide(&f);
    assert_int_equal(result.decision, MGC_GATE_REGRESSED);
    assert_true(result.flagged && result.judged);
    assert_int_equal(result.inputs, MGC_GATE_INPUTS_CHANGED);
    assert_int_equal(result.baseline, HISTORY);
    assert_int_equal(result.rounds, ROUNDS);
    assert_int_equal(result.confirm_rounds, ROUNDS);
    assert_near(result.change, -0.08, 1e-12); /* the moves' mean is 0 */
    assert_near(result.high - result.change, result.floor, 1e-12);
    assert_true(result.p > 0 && result.p < 0.001);
    expect_text(&result, "regressed");
    assert_true(mgc_gate_failed(&result, 1));
}

static void faster_is_an_improvement_and_no_failure(void **state)
{
    struct fixture f;
    make(&f, 0.08, 0.08);
    struct mgc_gate_result result = decide(&f);
    assert_int_equal(result.decision, MGC_GATE_IMPROVED);
    assert_false(mgc_gate_failed(&result, 1));
    const struct mgc_gate_options times = {
        .better = MGC_LOWER_IS_BETTER, .alpha = 0.05, .flag_alpha = 0.2, .same = 0.01};
    assert_true(mgc_gate_decide(&times, &f.arm, 1, &result));
    assert_int_equal(result.decision, MGC_GATE_REGRESSED);
}

static void what_does_not_come_again_is_not_confirmed(void **state)
{
    struct fixture f;
    make(&f, -0.08, 0);
    struct mgc_gate_result result = decide(&f);
    assert_int_equal(result.decision, MGC_GATE_NOT_CONFIRMED);
    assert_int_equal(result.open, MGC_GATE_OPEN_DISAGREES);
    expect_text(&result, "not confirmed (+0.0 % in the confirming rounds)");
    make(&f, -0.08, 0.08); /* as far, the other way */
    assert_int_equal(decide(&f).decision, MGC_GATE_NOT_CONFIRMED);
    f.arm.confirm.count = 0;
    result = decide(&f);
    assert_int_equal(result.open, MGC_GATE_OPEN_NOT_RUN);
    expect_text(&result, "not confirmed (no confirming round)");
    assert_false(mgc_gate_failed(&result, 1));
}

/* The same mean, made by one wild round: nothing to be sure of. */
static void a_disturbed_night_is_not_flagged(void **state)
{
    struct fixture f;
    make(&f, 0, 0);
    f.tonight[0] -= 5 * 0.08;
    struct mgc_gate_result result = decide(&f);
    assert_near(result.change, -0.08, 1e-12);
    assert_false(result.flagged);
    assert_true(result.floor > 0.08);
}

/* All nights are for the noise, the newest for the level. */
static void the_level_is_of_the_newest_nights(void **state)
{
    enum { MANY = MGC_LEVEL_NIGHTS + 10 };
    static struct mgc_night_rounds nights[MANY];
    struct fixture f;
    make(&f, 0, 0);
    for (size_t i = 0; i < MANY; i++) {
        nights[i] = f.nights[i % HISTORY];
        nights[i].inputs = "old";
    }
    f.arm.nights = nights;
    f.arm.night_count = MANY;
    struct mgc_gate_result result = decide(&f);
    assert_int_equal(result.nights, MANY);
    assert_int_equal(result.baseline, MGC_LEVEL_NIGHTS);
}

static void too_few_nights_are_no_baseline(void **state)
{
    struct fixture f;
    make(&f, -0.5, -0.5);
    f.arm.night_count = 4;
    struct mgc_gate_result result = decide(&f);
    assert_int_equal(result.decision, MGC_GATE_NO_BASELINE);
    assert_false(result.judged || result.flagged);
    expect_text(&result, "no baseline (4 of 5 nights)");
    for (size_t i = 0; i < HISTORY; i++) /* nobody knows what they ran */
        f.nights[i].inputs = NULL;
    f.arm.night_count = HISTORY;
    result = decide(&f);
    assert_int_equal(result.inputs, MGC_GATE_INPUTS_UNKNOWN);
    expect_text(&result, "no baseline (0 of 5 nights)");
    f.arm.night_count = 0;
    result = decide(&f);
    expect_text(&result, "no baseline (0 of 5 nights)");
}

static void what_is_not_ruled_out_is_no_conclusion(void **state)
{
    struct fixture f;
    make(&f, -0.01, 0);
    struct mgc_gate_result result = decide(&f);
    assert_int_equal(result.decision, MGC_GATE_NO_CONCLUSION);
    assert_int_equal(result.open, MGC_GATE_OPEN_NOISE);
    assert_false(result.flagged);
    struct mgc_gate_options wide = mgc_gate_default;
    wide.same = 0.05;
    assert_true(mgc_gate_decide(&wide, &f.arm, 1, &result));
    assert_int_equal(result.decision, MGC_GATE_UNCHANGED);
    f.arm.tonight.count = 0;
    result = decide(&f);
    expect_text(&result, "no conclusion (not measured)");
    make(&f, -0.08, -0.08);
    for (size_t i = 0; i < HISTORY; i++)
        f.nights[i].values = f.values[0];
    result = decide(&f);
    assert_int_equal(result.open, MGC_GATE_OPEN_NO_VARIANCE);
}

/* The nights since tonight's builds came in are no level to hold them against. */
static void a_change_stays_one_while_its_builds_stay(void **state)
{
    struct fixture f;
    make(&f, -0.08, -0.08);
    for (size_t i = 5; i < HISTORY; i++) {
        fill(f.values[i], 3 - 0.08 + moves[i]);
        f.nights[i].inputs = "tonight's";
    }
    struct mgc_gate_result result = decide(&f);
    assert_int_equal(result.baseline, 5);
    assert_int_equal(result.inputs, MGC_GATE_INPUTS_UNCHANGED);
    assert_int_equal(result.decision, MGC_GATE_REGRESSED);
    expect_text(&result, "regressed, with unchanged inputs");
    for (size_t i = 4; i < HISTORY; i++) /* too few are left: all nights are the level */
        f.nights[i].inputs = "tonight's";
    assert_int_equal(decide(&f).baseline, HISTORY);
}

/* Of many arms one looks like this by chance; and who is asked first makes no difference. */
static void the_family_raises_the_bar(void **state)
{
    static struct fixture f[MOST];
    struct mgc_gate_arm arms[MOST];
    struct mgc_gate_result results[MOST], alone;
    double just = 0;
    make(&f[0], -0.06, -0.06);
    alone = decide(&f[0]);
    just = alone.floor * 1.3; /* of all rounds together */
    for (size_t i = 0; i < MOST; i++) {
        make(&f[i], i ? 0 : -just, i ? 0 : -just);
        arms[i] = f[i].arm;
    }
    alone = decide(&f[0]);
    assert_int_equal(alone.decision, MGC_GATE_REGRESSED);
    struct mgc_gate_options options = mgc_gate_default;
    options.flag_alpha = 0.8; /* so that it is flagged among 14, too */
    assert_true(mgc_gate_decide(&options, arms, MOST, results));
    assert_int_equal(results[0].decision, MGC_GATE_NOT_CONFIRMED);
    assert_int_equal(results[0].open, MGC_GATE_OPEN_FAMILY);
    assert_near(results[0].adjusted_p, MOST * alone.p, 1e-9);
    options.family = MOST;
    mgc_gate_flags(&options, arms, 1, &alone);
    assert_int_equal(alone.flagged, results[0].flagged);
    options.family = 1000;
    mgc_gate_flags(&options, arms, 1, &alone);
    assert_false(alone.flagged);
}

static void numbers(void **state)
{
    struct fixture f;
    char text[160];
    make(&f, -0.08, -0.08);
    struct mgc_gate_result result = decide(&f);
    mgc_gate_numbers(&result, text, sizeof(text));
    assert_non_null(strstr(text, "-7.7 % (-"));
    assert_non_null(strstr(text, ", 8 nights, 5 + 5 rounds, p < 0.001"));
    f.arm.night_count = 0;
    result = decide(&f);
    mgc_gate_numbers(&result, text, sizeof(text));
    assert_string_equal(text, "-");
    for (int i = 0; i <= MGC_GATE_REGRESSED; i++)
        assert_string_not_equal(mgc_gate_decision_name((enum mgc_gate_decision)i), "unknown");
    assert_string_equal(mgc_gate_decision_name(MGC_GATE_REGRESSED + 1), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_confirmed_slowdown_fails_the_gate),
        cmocka_unit_test(faster_is_an_improvement_and_no_failure),
        cmocka_unit_test(what_does_not_come_again_is_not_confirmed),
        cmocka_unit_test(a_disturbed_night_is_not_flagged),
        cmocka_unit_test(the_level_is_of_the_newest_nights),
        cmocka_unit_test(too_few_nights_are_no_baseline),
        cmocka_unit_test(what_is_not_ruled_out_is_no_conclusion),
        cmocka_unit_test(a_change_stays_one_while_its_builds_stay),
        cmocka_unit_test(the_family_raises_the_bar),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
