#include "coordinator/stats/percentile.h"
#include "tests/unit/stats/near.h"

static const double five[] = {50, 15, 40, 20, 35}; /* sorted: 15 20 35 40 50 */

static struct mgc_sample sample_of(const double *values, size_t count)
{
    struct mgc_sample sample;
    assert_true(mgc_sample_init(&sample, values, count));
    return sample;
}

static double nearest(const struct mgc_sample *sample, double percent)
{
    double value = NAN;
    assert_true(mgc_sample_nearest(sample, percent, &value));
    return value;
}

/* The worked example of "Percentile" in Wikipedia (nearest-rank method). */
static void published_examples(void **state)
{
    struct mgc_sample sample = sample_of(five, 5);
    assert_true(nearest(&sample, 5) == 15 && nearest(&sample, 30) == 20);
    assert_true(nearest(&sample, 40) == 20 && nearest(&sample, 50) == 35);
    assert_true(nearest(&sample, 100) == 50 && nearest(&sample, 0) == 15);
    mgc_sample_destroy(&sample);
}

/* ceil(n * p / 100), worked out in whole numbers. */
static void ranks_do_not_suffer_from_rounding(void **state)
{
    static double counting[1000];
    for (int i = 0; i < 1000; i++)
        counting[i] = i + 1;
    struct mgc_sample sample = sample_of(counting, 1000);
    for (int tenths = 1; tenths <= 1000; tenths++) {
        double percent = tenths / 10.0;
        if (nearest(&sample, percent) != tenths)
            fail_msg("%.1f %% is %g", percent, nearest(&sample, percent));
    }
    assert_true(nearest(&sample, 0.01) == 1 && nearest(&sample, 99.91) == 1000);
    mgc_sample_destroy(&sample);
    sample = sample_of(counting, 20);
    assert_true(nearest(&sample, 95) == 19 && nearest(&sample, 95.1) == 20);
    mgc_sample_destroy(&sample);
}

static void nothing_stays_nothing(void **state)
{
    static const double broken[] = {NAN, INFINITY, -INFINITY};
    struct mgc_sample none = sample_of(NULL, 0), unusable = sample_of(broken, 3);
    struct mgc_spread spread = {.n = 7};
    double value = 42;
    assert_int_equal(unusable.n, 0);
    assert_false(mgc_sample_nearest(&none, 95, &value));
    assert_false(mgc_sample_nearest(&unusable, 95, &value));
    assert_false(mgc_sample_median(&none, &value));
    assert_false(mgc_sample_mean(&none, &value));
    assert_false(mgc_median(NULL, 0, &value));
    assert_false(mgc_median(broken, 3, &value));
    assert_false(mgc_spread_of(NULL, 0, &spread));
    assert_true(value == 42 && spread.n == 7);
    mgc_sample_destroy(&none);
    mgc_sample_destroy(&unusable);
    mgc_sample_destroy(&unusable);
    mgc_sample_destroy(NULL);
}

static void percents_outside_are_refused(void **state)
{
    struct mgc_sample sample = sample_of(five, 5);
    double value = 42;
    assert_false(mgc_sample_nearest(&sample, -1, &value));
    assert_false(mgc_sample_nearest(&sample, 100.5, &value));
    assert_false(mgc_sample_nearest(&sample, NAN, &value));
    assert_true(value == 42);
    mgc_sample_destroy(&sample);
}

static void median_mean_and_spread(void **state)
{
    static const double with_holes[] = {4, NAN, 1, 3, 2};
    struct mgc_sample sample = sample_of(with_holes, 5);
    struct mgc_spread spread;
    double value;
    assert_int_equal(sample.n, 4);
    assert_true(mgc_sample_median(&sample, &value) && value == 2.5);
    assert_true(mgc_sample_mean(&sample, &value) && value == 2.5);
    mgc_sample_destroy(&sample);
    assert_true(mgc_median(five, 5, &value) && value == 35);
    assert_true(five[0] == 50); /* the caller's order stays */
    assert_true(mgc_spread_of(with_holes, 5, &spread));
    assert_true(spread.n == 4 && spread.min == 1 && spread.median == 2.5 && spread.max == 4);
    assert_true(mgc_spread_of(five, 1, &spread));
    assert_true(spread.n == 1 && spread.min == 50 && spread.median == 50 && spread.max == 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(ranks_do_not_suffer_from_rounding),
        cmocka_unit_test(nothing_stays_nothing),
        cmocka_unit_test(percents_outside_are_refused),
        cmocka_unit_test(median_mean_and_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
