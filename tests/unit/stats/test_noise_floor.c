#include "coordinator/stats/noise_floor.h"

#include "coordinator/stats/distribution.h"
#include "tests/unit/stats/near.h"

#define NIGHT(values, inputs)                                                                      \
    {                                                                                              \
        values, sizeof(values) / sizeof((values)[0]), inputs                                       \
    }

/* Means 1, 3 and 2; sd of the means 1, of the rounds (2 * 0.5 + 2 * 0.5 + 0) / 4 = 0.5. */
static const double a[] = {0.5, 1, 1.5}, b[] = {2.5, 3, 3.5}, c[] = {2};
static const double hot[] = {9, NAN};

static void nights_with_equal_inputs_are_a_group(void **state)
{
    const struct mgc_night_rounds nights[] = {NIGHT(a, "x"), NIGHT(hot, "y"), NIGHT(b, "x"),
        NIGHT(c, "x"), NIGHT(hot, NULL), NIGHT(hot, NULL)};
    struct mgc_noise noise;
    mgc_noise_estimate(nights, 6, &noise);
    assert_int_equal(noise.nights, 3); /* y is alone, and nobody knows what the last two ran */
    assert_near(noise.night_df, 2, 1e-12);
    assert_near(noise.night_sd, 1, 1e-12);
    assert_near(noise.round_sd, 0.5, 1e-12);
    assert_near(noise.round_df, 4, 1e-12);
    assert_near(noise.rounds, 3 / (1. / 3 + 1. / 3 + 1), 1e-12);
    assert_false(mgc_noise_is_known(&noise));
}

/* Groups have levels of their own: 10 is no movement. */
static void groups_are_pooled(void **state)
{
    static const double d[] = {11}, e[] = {13};
    const struct mgc_night_rounds nights[] = {
        NIGHT(a, "x"), NIGHT(b, "x"), NIGHT(d, "y"), NIGHT(e, "y")};
    struct mgc_noise noise;
    mgc_noise_estimate(nights, 4, &noise);
    assert_int_equal(noise.nights, 3);
    assert_near(noise.night_sd, sqrt(2), 1e-12); /* (1 + 1 + 1 + 1) / 2 */
}

static void nothing_is_not_zero(void **state)
{
    const struct mgc_night_rounds nights[] = {{0}, NIGHT(a, NULL), NIGHT(a, "x")};
    struct mgc_noise noise;
    mgc_noise_estimate(nights, 1, &noise);
    assert_int_equal(noise.nights, 0);
    assert_true(isnan(mgc_noise_floor(&noise, 3, 3, 0.05)));
    mgc_noise_estimate(nights, 3, &noise);
    assert_int_equal(noise.nights, 1);
    assert_near(noise.night_df, 0, 0);
    assert_true(isnan(mgc_noise_floor(&noise, 3, 3, 0.05)));
}

static const struct mgc_noise known = {
    .nights = 9, .night_sd = 0.02, .night_df = 8, .rounds = 4, .round_sd = 0.03, .round_df = 27};

static void as_many_rounds_everywhere_is_the_movement_of_nights(void **state)
{
    double df;
    assert_near(mgc_noise_variance(&known, 4, 5, 4, &df), 0.0004 * 1.2, 1e-15);
    assert_near(df, 8, 1e-9);
    double t = mgc_t_quantile(0.975, 8);
    assert_near(mgc_noise_floor(&known, 4, 4, 0.05), expm1(t * sqrt(0.0008)), 1e-12);
}

/* N^2 = 0.0004 - 0.0009 / 4 = 0.000175. */
static void rounds_shrink_what_is_theirs_only(void **state)
{
    double df;
    double expected = 0.000175 * (1 + 1. / 5) + 0.0009 * (1. / 8 + 1. / 20);
    assert_near(mgc_noise_variance(&known, 8, 5, 4, &df), expected, 1e-15);
    double rest = expected - 0.00048;
    assert_near(df, expected * expected / (0.00048 * 0.00048 / 8 + rest * rest / 27), 1e-9);
    assert_true(mgc_noise_variance(&known, 100000, 5, 4, &df) > 0.000175);
}

/* The rounds alone would make more than the nights were seen to move. */
static void the_scatter_of_the_rounds_is_the_least(void **state)
{
    struct mgc_noise noise = known;
    double df;
    noise.night_sd = 0.001;
    assert_near(mgc_noise_variance(&noise, 4, 5, 4, &df), 0.0009 * (1. / 4 + 1. / 20), 1e-15);
    assert_near(df, 8, 0);
    noise.round_df = 0;
    assert_near(mgc_noise_variance(&noise, 4, 5, 4, &df), 1e-6 * 1.2, 1e-15);
}

/* 0.05 about 0: R^2 = 0.0025; 0.0009 is usual. */
static void a_disturbed_night_is_worth_less(void **state)
{
    static const double wild[] = {0.05, -0.05, 0.05, -0.05, 0}, calm[] = {0.01, -0.01};
    const struct mgc_night_rounds nights[] = {NIGHT(wild, NULL), NIGHT(calm, NULL)};
    assert_near(mgc_noise_beyond_usual(&known, nights, 1), 0.0025 - 0.0009, 1e-15);
    assert_near(mgc_noise_beyond_usual(&known, nights, 2), 0.0102 / 5 - 0.0009, 1e-15);
    assert_near(mgc_noise_beyond_usual(&known, nights + 1, 1), 0, 0);
    assert_near(mgc_noise_beyond_usual(&known, nights, 0), 0, 0);
}

static void copied_numbers_are_no_floor(void **state)
{
    static const double one[] = {0.1};
    const struct mgc_night_rounds nights[] = {
        NIGHT(one, "x"), NIGHT(one, "x"), NIGHT(one, "x"), NIGHT(one, "x"), NIGHT(one, "x")};
    struct mgc_noise noise;
    mgc_noise_estimate(nights, 5, &noise);
    assert_int_equal(noise.nights, MGC_BASELINE_NIGHTS);
    assert_false(mgc_noise_is_known(&noise));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nights_with_equal_inputs_are_a_group),
        cmocka_unit_test(groups_are_pooled),
        cmocka_unit_test(nothing_is_not_zero),
        cmocka_unit_test(as_many_rounds_everywhere_is_the_movement_of_nights),
        cmocka_unit_test(rounds_shrink_what_is_theirs_only),
        cmocka_unit_test(the_scatter_of_the_rounds_is_the_least),
        cmocka_unit_test(a_disturbed_night_is_worth_less),
        cmocka_unit_test(copied_numbers_are_no_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
