#include "coordinator/stats/interval.h"

#include "coordinator/stats/distribution.h"
#include "tests/unit/stats/near.h"

enum { RESAMPLES = 9999, SEED = 1 };

static struct mgc_interval interval_of(const double *values, size_t n, double alpha)
{
    struct mgc_interval interval;
    assert_true(mgc_interval_mean(values, n, alpha, SEED, RESAMPLES, &interval));
    assert_int_equal(interval.n, n);
    return interval;
}

/* 1 2 3 4 5: mean 3, sd sqrt(2.5), se sqrt(0.5). t(0.975, 4) = 2.7764451 (tables), and P(T4 <= t)
 * in closed form (Abramowitz and Stegun 26.7.4). */
static void t_interval_by_hand(void **state)
{
    static const double values[] = {2, 5, 1, 3, 4};
    struct mgc_interval interval = interval_of(values, 5, 0.05);
    double part = 18 / (1 + 18 / 4.0); /* t^2 = 3^2 / 0.5 */
    double p = 1 - 0.75 * sqrt(part) * (1 - part / 12);
    assert_int_equal(interval.method, MGC_INTERVAL_T);
    assert_near(interval.mean, 3, 1e-15);
    assert_near(interval.sd, sqrt(2.5), 1e-15);
    assert_near(interval.low, 3 - 2.7764451 * sqrt(0.5), 1e-7);
    assert_near(interval.high, 3 + 2.7764451 * sqrt(0.5), 1e-7);
    assert_near(interval.p, p, 1e-12);
}

/* The sleep data of Student, "The probable error of a mean", Biometrika 6 (1908), as differences:
 * mean 1.58, t = 4.0621, p = 0.002833, and 0.70 to 2.46 by t. With 10 values ours comes from the
 * data; that their distribution has a tail to the right must not make it narrower than t. */
static void students_sleep_data(void **state)
{
    static const double sleep[] = {1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4};
    struct mgc_interval interval = interval_of(sleep, 10, 0.05);
    double t = interval.mean * sqrt(10) / interval.sd;
    assert_near(interval.mean, 1.58, 1e-12);
    assert_near(t, 4.0621, 5e-5);
    assert_near(mgc_t_tails(t, 9), 0.002833, 5e-7);
    double reach = mgc_t_quantile(0.975, 9) * interval.sd / sqrt(10);
    assert_near(interval.mean - reach, 0.7001142, 1e-6);
    assert_near(interval.mean + reach, 2.4598858, 1e-6);
    assert_int_equal(interval.method, MGC_INTERVAL_BOOTSTRAP_T);
    assert_true(interval.low < 0.70 && interval.low > 0 && interval.high > 2.46);
    assert_true(interval.p < 0.05);
}

static void two_values_have_an_interval(void **state)
{
    static const double values[] = {1, 2};
    struct mgc_interval interval = interval_of(values, 2, 0.05);
    assert_int_equal(interval.method, MGC_INTERVAL_T);
    assert_near(interval.low, 1.5 - 12.7062047 * 0.5, 1e-6);
    assert_near(interval.p, 2 * atan(1 / 3.0) / M_PI, 1e-12); /* t = 3, one degree: Cauchy */
}

static void too_little_has_none(void **state)
{
    static const double one[] = {3}, equal[] = {0.1, 0.1, 0.1};
    static const double rounded[] = {0.1, 0.1 + 1e-14, 0.1 - 1e-14};
    assert_int_equal(interval_of(NULL, 0, 0.05).method, MGC_INTERVAL_NONE);
    struct mgc_interval interval = interval_of(one, 1, 0.05);
    assert_true(interval.method == MGC_INTERVAL_NONE && interval.mean == 3);
    interval = interval_of(equal, 3, 0.05);
    assert_int_equal(interval.method, MGC_INTERVAL_NONE);
    assert_near(interval.mean, 0.1, 1e-15);
    assert_int_equal(interval_of(rounded, 3, 0.05).method, MGC_INTERVAL_NONE);
}

/* ---- the bootstrap against the whole of its distribution ---- */

/* Each multiset of n of n values is one kind of resample, n! / (k1! ... kn!) of n^n: 6435 kinds for
 * n = 8. Adds the share of those with |t*| >= t. */
struct whole {
    const double *values;
    size_t n;
    double mean, t;
    double share; /* of resamples that are at least as extreme */
};

static void visit(
    struct whole *whole, size_t at, size_t left, double ways, double sum, double squares)
{
    if (at + 1 < whole->n) {
        for (size_t k = 0; k <= left; k++) {
            double value = whole->values[at];
            visit(whole, at + 1, left - k, ways / tgamma((double)k + 1), sum + (double)k * value,
                squares + (double)k * value * value);
        }
        return;
    }
    double n = (double)whole->n, value = whole->values[at];
    ways /= tgamma((double)left + 1);
    sum += (double)left * value;
    squares += (double)left * value * value;
    double variance = (squares - sum * sum / n) / (n - 1), distance = fabs(sum / n - whole->mean);
    if (variance < 1e-18 || distance * sqrt(n / variance) >= whole->t)
        whole->share += ways;
}

/* P(|t*| >= t) over all n^n resamples. */
static double share_beyond(const double *values, size_t n, double mean, double t)
{
    struct whole whole = {.values = values, .n = n, .mean = mean, .t = t};
    visit(&whole, 0, n, tgamma((double)n + 1) / pow((double)n, (double)n), 0, 0);
    return whole.share;
}

/* 9999 draws: a share is met within 4 of its standard errors; the seed is fixed. */
static double slack(double share)
{
    return 4 * sqrt(share * (1 - share) / RESAMPLES) + 1.0 / RESAMPLES;
}

static void bootstrap_against_all_resamples(void **state)
{
    static const double samples[][8] = {
        {0.031, 0.012, -0.007, 0.043, 0.022, 0.058, 0.001, 0.019},
        {-0.20, -0.21, -0.18, -0.19, -0.22, -0.10, -0.23, -0.20},
        {0.01, -0.02, 0.005, 0.3, -0.012, 0.007, -0.004, 0.016},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        for (double alpha = 0.01; alpha < 0.5; alpha *= 3) {
            const double *values = samples[i];
            struct mgc_interval interval = interval_of(values, 8, alpha);
            double root = sqrt(8) / interval.sd;
            double all = share_beyond(values, 8, interval.mean, fabs(interval.mean) * root);
            assert_int_equal(interval.method, MGC_INTERVAL_BOOTSTRAP_T);
            assert_near(interval.p, all, slack(all));
            double q = (interval.high - interval.mean) * root;
            assert_near(share_beyond(values, 8, interval.mean, q), alpha, slack(alpha));
            assert_near(interval.mean - interval.low, interval.high - interval.mean, 1e-12);
        }
    }
}

static void p_and_interval_agree(void **state)
{
    double values[9];
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 9; k++)
            values[k] = sin(3 + 17 * k) + i / 30.0;
        size_t n = i % 2 ? 5 : 9;
        struct mgc_interval interval = interval_of(values, n, 0.05);
        bool outside = interval.low > 0 || interval.high < 0;
        assert_int_equal(interval.p <= 0.05, outside);
    }
}

static void order_and_sign_do_not_matter(void **state)
{
    static const double values[] = {0.3, -0.1, 0.25, 0.11, 0.08, -0.2, 0.4, 0.16, 0.05, 0.02};
    double other[10];
    for (size_t n = 2; n <= 10; n++) {
        struct mgc_interval a = interval_of(values, n, 0.05), b;
        for (size_t i = 0; i < n; i++)
            other[i] = values[n - 1 - i];
        b = interval_of(other, n, 0.05);
        assert_true(a.mean == b.mean && a.low == b.low && a.high == b.high && a.p == b.p);
        for (size_t i = 0; i < n; i++)
            other[i] = -values[i];
        b = interval_of(other, n, 0.05);
        assert_true(a.mean == -b.mean && a.low == -b.high && a.high == -b.low && a.p == b.p);
    }
}

/* One value unlike seven equal ones: a third of the resamples have no variance, and no interval of
 * 95 % has an end. */
static void an_interval_may_have_no_end(void **state)
{
    static const double values[] = {1, 1, 1, 1, 1, 1, 1, 2};
    struct mgc_interval interval = interval_of(values, 8, 0.05);
    assert_int_equal(interval.method, MGC_INTERVAL_BOOTSTRAP_T);
    assert_true(isinf(interval.low) && isinf(interval.high) && interval.low < interval.high);
    assert_near(interval.p, pow(7 / 8.0, 8), 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t_interval_by_hand),
        cmocka_unit_test(students_sleep_data),
        cmocka_unit_test(two_values_have_an_interval),
        cmocka_unit_test(too_little_has_none),
        cmocka_unit_test(bootstrap_against_all_resamples),
        cmocka_unit_test(p_and_interval_agree),
        cmocka_unit_test(order_and_sign_do_not_matter),
        cmocka_unit_test(an_interval_may_have_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
