#include "coordinator/stats/distribution.h"

#include "tests/unit/stats/near.h"

/* Student's t, upper quantiles as in the printed tables (e.g. NIST/SEMATECH e-Handbook, 1.3.6.7.2;
 * the 0.9995 column: Abramowitz and Stegun, table 26.10). */
static const struct {
    double df, t95, t975, t99, t995, t9995;
} table[] = {
    {1, 6.314, 12.706, 31.821, 63.657, 636.619},
    {2, 2.920, 4.303, 6.965, 9.925, 31.599},
    {3, 2.353, 3.182, 4.541, 5.841, 12.924},
    {4, 2.132, 2.776, 3.747, 4.604, 8.610},
    {5, 2.015, 2.571, 3.365, 4.032, 6.869},
    {6, 1.943, 2.447, 3.143, 3.707, 5.959},
    {7, 1.895, 2.365, 2.998, 3.499, 5.408},
    {8, 1.860, 2.306, 2.896, 3.355, 5.041},
    {9, 1.833, 2.262, 2.821, 3.250, 4.781},
    {10, 1.812, 2.228, 2.764, 3.169, 4.587},
    {20, 1.725, 2.086, 2.528, 2.845, 3.850},
    {30, 1.697, 2.042, 2.457, 2.750, 3.646},
    {60, 1.671, 2.000, 2.390, 2.660, 3.460},
    {120, 1.658, 1.980, 2.358, 2.617, 3.373},
};

static void quantiles_of_the_tables(void **state)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        double df = table[i].df;
        assert_near(mgc_t_quantile(0.95, df), table[i].t95, 0.00051);
        assert_near(mgc_t_quantile(0.975, df), table[i].t975, 0.00051);
        assert_near(mgc_t_quantile(0.99, df), table[i].t99, 0.00051);
        assert_near(mgc_t_quantile(0.995, df), table[i].t995, 0.00051);
        assert_near(mgc_t_quantile(0.9995, df), table[i].t9995, 0.00051);
    }
    /* the normal distribution's 1.959963984540 (A&S table 26.5) is the limit; the next term is
     * (z^3 + z) / (4 df), A&S 26.7.5 */
    double z = 1.959963984540054;
    assert_near(mgc_t_quantile(0.975, 1e6), z + (z * z * z + z) / 4e6, 1e-8);
}

/* Closed forms for 1, 2 and 4 degrees of freedom: Shaw, "Sampling Student's T distribution",
 * Journal of Computational Finance 9 (2006). */
static void quantiles_in_closed_form(void **state)
{
    static const double ps[] = {0.51, 0.6, 0.75, 0.9, 0.975, 0.9999, 0.9999999, 0.01};
    for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
        double p = ps[i], alpha = 4 * p * (1 - p);
        double one = tan(M_PI * (p - 0.5)), two = 2 * (p - 0.5) * sqrt(2 / alpha);
        double q = cos(acos(sqrt(alpha)) / 3) / sqrt(alpha);
        double four = copysign(2 * sqrt(q - 1), p - 0.5);
        assert_near(mgc_t_quantile(p, 1), one, 1e-9 * fabs(one));
        assert_near(mgc_t_quantile(p, 2), two, 1e-9 * fabs(two));
        assert_near(mgc_t_quantile(p, 4), four, 1e-7 * fabs(four)); /* acos near 0 costs digits */
    }
    assert_true(mgc_t_quantile(0.5, 3) == 0);
    assert_near(mgc_t_quantile(0.05, 7), -mgc_t_quantile(0.95, 7), 1e-12);
}

/* The density, integrated by Simpson's rule: knows nothing of the incomplete beta function. */
static double tails_by_integration(double t, double df)
{
    enum { STEPS = 20000 };
    double scale = tgamma((df + 1) / 2) / (sqrt(df * M_PI) * tgamma(df / 2)), sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double x = t * i / STEPS, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * pow(1 + x * x / df, -(df + 1) / 2);
    }
    return 1 - 2 * scale * sum * t / STEPS / 3;
}

static void tails_by_another_way(void **state)
{
    static const double dfs[] = {1, 2.5, 3, 7, 19, 99}, ts[] = {0.01, 0.5, 1, 2, 5, 12};
    for (size_t i = 0; i < sizeof(dfs) / sizeof(dfs[0]); i++) {
        for (size_t k = 0; k < sizeof(ts) / sizeof(ts[0]); k++) {
            double tails = mgc_t_tails(ts[k], dfs[i]);
            assert_near(tails, tails_by_integration(ts[k], dfs[i]), 1e-10);
            assert_true(mgc_t_tails(-ts[k], dfs[i]) == tails);
        }
    }
    assert_true(mgc_t_tails(0, 5) == 1);
    assert_true(mgc_t_tails(INFINITY, 5) == 0 && mgc_t_tails(-INFINITY, 5) == 0);
}

static void quantile_and_tails_are_inverse(void **state)
{
    for (double df = 1; df < 20000; df *= 3) {
        for (double tail = 1e-12; tail < 0.49; tail *= 7) {
            double t = -mgc_t_quantile(tail, df);
            assert_near(mgc_t_tails(t, df) / (2 * tail), 1, 1e-9);
        }
    }
}

static void beta_of_whole_numbers(void **state)
{
    for (double x = 0; x <= 1; x += 0.0625) {
        assert_near(mgc_beta_regularized(1, 5, x), 1 - pow(1 - x, 5), 1e-13);
        assert_near(mgc_beta_regularized(7, 1, x), pow(x, 7), 1e-13);
        assert_near(mgc_beta_regularized(2, 3, x), x * x * (6 + x * (3 * x - 8)), 1e-13);
        assert_near(mgc_beta_regularized(0.5, 0.5, x), 2 / M_PI * asin(sqrt(x)), 1e-13);
    }
}

static void outside_is_not_a_number(void **state)
{
    assert_true(isnan(mgc_t_quantile(0, 3)) && isnan(mgc_t_quantile(1, 3)));
    assert_true(isnan(mgc_t_quantile(NAN, 3)) && isnan(mgc_t_quantile(0.9, 0)));
    assert_true(isnan(mgc_t_quantile(0.9, -1)) && isnan(mgc_t_quantile(0.9, INFINITY)));
    assert_true(isnan(mgc_t_tails(NAN, 3)) && isnan(mgc_t_tails(1, 0)));
    assert_true(isnan(mgc_beta_regularized(0, 1, 0.5)) && isnan(mgc_beta_regularized(1, 1, 1.5)));
    assert_true(isnan(mgc_beta_regularized(1, NAN, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_the_tables),
        cmocka_unit_test(quantiles_in_closed_form),
        cmocka_unit_test(tails_by_another_way),
        cmocka_unit_test(quantile_and_tails_are_inverse),
        cmocka_unit_test(beta_of_whole_numbers),
        cmocka_unit_test(outside_is_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
