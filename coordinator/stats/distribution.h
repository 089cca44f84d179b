/* Student's t distribution, computed for any level and any degrees of freedom. Pure; any thread.
 *
 * A result has 10 correct digits for 1 to 10^4 degrees of freedom and tails down to 1e-12; beyond
 * that, lgamma costs digits slowly. What is not defined is NaN, never a number.
 */
#ifndef MGC_STATS_DISTRIBUTION_H
#define MGC_STATS_DISTRIBUTION_H

/* Regularised incomplete beta function I_x(a, b) for a, b > 0 and x in 0..1: continued fraction of
 * the NIST Digital Library of Mathematical Functions, 8.17.22, evaluated by Lentz's method. */
double mgc_beta_regularized(double a, double b, double x);

/* P(|T| >= |t|), both tails, for df > 0: I_x(df / 2, 1 / 2) with x = df / (df + t^2) (Abramowitz
 * and Stegun, 26.7.1 with 26.5.27). t may be infinite. */
double mgc_t_tails(double t, double df);

/* The t with P(T <= t) = p, for 0 < p < 1 and df > 0. */
double mgc_t_quantile(double p, double df);

#endif
