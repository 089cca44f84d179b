#include "coordinator/stats/distribution.h"

#include <math.h>
#include <stdbool.h>

/* Lentz: a factor must never be exactly 0. */
static double not_zero(double value)
{
    return fabs(value) < 1e-300 ? 1e-300 : value;
}

/* Coefficient d_k of DLMF 8.17.23; k counts from 1. */
static double coefficient(double a, double b, double x, int k)
{
    int m = k / 2;
    if (k % 2 == 0)
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

/* 1 / (1 + d1 / (1 + d2 / (1 + ...))). Converges fast for x < (a + 1) / (a + b + 2), in about
 * sqrt(max(a, b)) steps. */
static double continued_fraction(double a, double b, double x)
{
    enum { STEPS_MAX = 100000 };
    double numerator = 1, denominator = 0, value = 1;
    for (int k = 1; k <= STEPS_MAX; k++) {
        double d = coefficient(a, b, x, k);
        denominator = 1 / not_zero(1 + d * denominator);
        numerator = not_zero(1 + d / numerator);
        value *= numerator * denominator;
        if (fabs(numerator * denominator - 1) < 1e-15)
            return 1 / value;
    }
    return 1 / value;
}

/* lgamma() writes the global signgam; the arguments here are above 0, so the sign is known. */
static double log_gamma(double value)
{
    int sign;
    return lgamma_r(value, &sign);
}

/* I_x(a, b) with 1 - x given beside x, so that an x near 1 loses no digits. */
static double beta_regularized(double a, double b, double x, double rest)
{
    if (x <= 0)
        return 0;
    if (rest <= 0)
        return 1;
    bool mirror = x > (a + 1) / (a + b + 2);
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(rest));
    if (mirror)
        return 1 - front * continued_fraction(b, a, rest) / b;
    return front * continued_fraction(a, b, x) / a;
}

double mgc_beta_regularized(double a, double b, double x)
{
    if (!(a > 0 && b > 0 && isfinite(a + b) && x >= 0 && x <= 1))
        return NAN;
    return beta_regularized(a, b, x, 1 - x);
}

double mgc_t_tails(double t, double df)
{
    if (isnan(t) || !(df > 0 && isfinite(df)))
        return NAN;
    if (isinf(t))
        return 0;
    double whole = df + t * t;
    return beta_regularized(df / 2, 0.5, df / whole, t * t / whole);
}

/* Newton's method from 0. For t > 0 the tails fall ever less steeply, so each step ends short of
 * the solution and none beyond it; the first that no longer goes forward has met rounding. */
static double quantile_of_tails(double tails, double df)
{
    enum { STEPS_MAX = 2000 };
    double scale = exp(log_gamma((df + 1) / 2) - log_gamma(df / 2)) / sqrt(df * M_PI), t = 0;
    for (int i = 0; i < STEPS_MAX; i++) {
        double density = scale * exp(-(df + 1) / 2 * log1p(t * t / df));
        double step = (mgc_t_tails(t, df) - tails) / (2 * density);
        if (!(step > 1e-16 * t))
            break;
        t += step;
    }
    return t;
}

double mgc_t_quantile(double p, double df)
{
    if (!(p > 0 && p < 1 && df > 0 && isfinite(df)))
        return NAN;
    if (p == 0.5)
        return 0;
    return p < 0.5 ? -quantile_of_tails(2 * p, df) : quantile_of_tails(2 * (1 - p), df);
}
