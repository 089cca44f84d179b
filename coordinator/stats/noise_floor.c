#include "coordinator/stats/noise_floor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "coordinator/stats/distribution.h"

/* Within rounding; see mgc_interval_mean(). */
static const double no_variance = 1e-12;

bool mgc_night_mean(const struct mgc_night_rounds *night, double *ret_mean, size_t *ret_rounds)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < night->count; i++) {
        if (!isfinite(night->values[i]))
            continue;
        sum += night->values[i];
        n++;
    }
    if (n == 0)
        return false;
    *ret_mean = sum / (double)n;
    *ret_rounds = n;
    return true;
}

/* ---- inside the nights ---- */

static void estimate_rounds(
    const struct mgc_night_rounds *nights, size_t count, struct mgc_noise *noise)
{
    double squares = 0, df = 0;
    for (size_t i = 0; i < count; i++) {
        double mean;
        size_t rounds;
        if (!mgc_night_mean(&nights[i], &mean, &rounds))
            continue;
        for (size_t k = 0; k < nights[i].count; k++) {
            double off = isfinite(nights[i].values[k]) ? nights[i].values[k] - mean : 0;
            squares += off * off;
        }
        df += (double)(rounds - 1);
    }
    noise->round_df = df;
    noise->round_sd = df > 0 ? sqrt(squares / df) : 0;
}

/* ---- between the nights ---- */

static bool same_inputs(const struct mgc_night_rounds *a, const struct mgc_night_rounds *b)
{
    return a->inputs && b->inputs && strcmp(a->inputs, b->inputs) == 0;
}

struct sums {
    double squares, df;
    double nights, inverse_rounds; /* of groups of two and more */
    bool any;
};

/* The group whose first night is `first`. */
static void add_group(
    const struct mgc_night_rounds *nights, size_t count, size_t first, struct sums *sums)
{
    double mean = 0, squares = 0, n = 0, inverse = 0; /* Welford's updates */
    for (size_t i = first; i < count; i++) {
        double value;
        size_t rounds;
        if (!same_inputs(&nights[first], &nights[i]) ||
            !mgc_night_mean(&nights[i], &value, &rounds))
            continue;
        double off = value - mean;
        n++;
        mean += off / n;
        squares += off * (value - mean);
        inverse += 1 / (double)rounds;
    }
    sums->any = sums->any || n > 0;
    if (n < 2)
        return;
    sums->squares += squares;
    sums->df += n - 1;
    sums->nights += n;
    sums->inverse_rounds += inverse;
}

static bool is_first_of_group(const struct mgc_night_rounds *nights, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (same_inputs(&nights[i], &nights[at]))
            return false;
    }
    return nights[at].inputs != NULL;
}

void mgc_noise_estimate(
    const struct mgc_night_rounds *nights, size_t count, struct mgc_noise *ret_noise)
{
    struct mgc_noise noise = {0};
    struct sums sums = {0};
    estimate_rounds(nights, count, &noise);
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_group(nights, i))
            add_group(nights, count, i, &sums);
    }
    noise.nights = sums.any ? (size_t)sums.df + 1 : 0;
    noise.night_df = sums.df;
    if (sums.df > 0) {
        noise.night_sd = sqrt(sums.squares / sums.df);
        noise.rounds = sums.nights / sums.inverse_rounds;
    }
    *ret_noise = noise;
}

/* ---- what follows ---- */

bool mgc_noise_is_known(const struct mgc_noise *noise)
{
    return noise->nights >= MGC_BASELINE_NIGHTS && noise->night_sd > no_variance;
}

double mgc_noise_variance(
    const struct mgc_noise *noise, double rounds, double nights, double each, double *ret_df)
{
    assert(noise->night_df > 0 && rounds > 0 && nights > 0 && each > 0);
    double between = noise->night_sd * noise->night_sd * (1 + 1 / nights);
    double inside = noise->round_sd * noise->round_sd;
    double own = 1 / rounds + 1 / (nights * each);
    double rest = inside * (own - (1 + 1 / nights) / noise->rounds);
    double variance = between + rest;
    *ret_df = noise->night_df;
    if (noise->round_df <= 0)
        return between; /* nights of one round each: S holds all there is */
    if (variance < inside * own)
        return inside * own;
    double spread = between * between / noise->night_df + rest * rest / noise->round_df;
    *ret_df = variance * variance / spread;
    return variance;
}

double mgc_noise_beyond_usual(
    const struct mgc_noise *noise, const struct mgc_night_rounds *rounds, size_t count)
{
    struct mgc_noise own = {0};
    estimate_rounds(rounds, count, &own);
    if (own.round_df <= 0)
        return 0;
    return fmax(0, own.round_sd * own.round_sd - noise->round_sd * noise->round_sd);
}

double mgc_noise_floor(
    const struct mgc_noise *noise, double rounds_a, double rounds_b, double alpha)
{
    double df;
    if (!mgc_noise_is_known(noise))
        return NAN;
    double variance = mgc_noise_variance(noise, rounds_a, 1, rounds_b, &df);
    return expm1(mgc_t_quantile(1 - alpha / 2, df) * sqrt(variance));
}
