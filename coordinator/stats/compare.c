#include "coordinator/stats/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "coordinator/stats/distribution.h"
#include "coordinator/stats/holm.h"

const struct mgc_compare_options mgc_compare_default = {
    .better = MGC_LOWER_IS_BETTER,
    .alpha = 0.05,
    .resamples = MGC_RESAMPLES,
    .seed = UINT64_C(0x6d67636f6f7264), /* any number will do, as long as it stays */
};

const char *mgc_conclusion_name(enum mgc_conclusion conclusion)
{
    static const char *const names[] = {
        [MGC_CONCLUSION_NONE] = "no conclusion",
        [MGC_CONCLUSION_FASTER] = "faster",
        [MGC_CONCLUSION_SLOWER] = "slower",
    };
    return (size_t)conclusion < sizeof(names) / sizeof(names[0]) ? names[conclusion] : "unknown";
}

const char *mgc_open_name(enum mgc_open open)
{
    static const char *const names[] = {
        [MGC_OPEN_NOT] = "none",
        [MGC_OPEN_TOO_FEW] = "too-few",
        [MGC_OPEN_NO_VARIANCE] = "no-variance",
        [MGC_OPEN_NOISE] = "noise",
        [MGC_OPEN_BELOW_FLOOR] = "below-floor",
        [MGC_OPEN_FLOOR_UNKNOWN] = "floor-unknown",
    };
    return (size_t)open < sizeof(names) / sizeof(names[0]) ? names[open] : "unknown";
}

static bool is_measured(double value)
{
    return isfinite(value) && value > 0;
}

/* log(a) - log(b) and not log(a / b): so swapping the two turns the sign and changes no digit. */
static size_t take_logs(const struct mgc_compare_arm *arm, double *ret_logs)
{
    size_t n = 0;
    for (size_t i = 0; i < arm->pair_count; i++) {
        const struct mgc_pair *pair = &arm->pairs[i];
        if (is_measured(pair->arm) && is_measured(pair->reference))
            ret_logs[n++] = log(pair->arm) - log(pair->reference);
    }
    return n;
}

static bool measure(const struct mgc_compare_options *options, const struct mgc_compare_arm *arm,
    struct mgc_comparison *ret_result)
{
    struct mgc_comparison result = {0};
    double *logs = calloc(arm->pair_count + 1, sizeof(*logs));
    if (!logs)
        return false;
    result.n = take_logs(arm, logs);
    result.left_out = arm->pair_count - result.n;
    bool ok = mgc_interval_mean(
        logs, result.n, options->alpha, options->seed, options->resamples, &result.interval);
    free(logs);
    result.tested = result.interval.method != MGC_INTERVAL_NONE;
    result.ratio = result.n ? exp(result.interval.mean) : NAN;
    result.ratio_low = result.tested ? exp(result.interval.low) : 0;
    result.ratio_high = result.tested ? exp(result.interval.high) : INFINITY;
    *ret_result = result;
    return ok;
}

/* ---- the conclusion ---- */

static bool is_known(const struct mgc_floor *floor)
{
    return floor->fraction >= 0; /* NaN is not */
}

/* The highest known floor; NULL without one. */
static const struct mgc_floor *highest_floor(const struct mgc_compare_arm *arm)
{
    const struct mgc_floor *highest = NULL;
    for (size_t i = 0; i < arm->floor_count; i++) {
        const struct mgc_floor *floor = &arm->floors[i];
        if (is_known(floor) && (!highest || floor->fraction > highest->fraction))
            highest = floor;
    }
    return highest;
}

static const struct mgc_floor *unknown_floor(const struct mgc_compare_arm *arm)
{
    for (size_t i = 0; i < arm->floor_count; i++) {
        if (!is_known(&arm->floors[i]))
            return &arm->floors[i];
    }
    return NULL;
}

static void leave_open(
    struct mgc_comparison *result, enum mgc_open open, const struct mgc_floor *floor)
{
    result->open = open;
    result->floor = floor;
}

static void conclude_significant(const struct mgc_compare_options *options,
    const struct mgc_compare_arm *arm, struct mgc_comparison *result)
{
    const struct mgc_floor *highest = highest_floor(arm), *unknown = unknown_floor(arm);
    double effect = result->interval.mean;
    if (highest && fabs(effect) <= log1p(highest->fraction)) {
        leave_open(result, MGC_OPEN_BELOW_FLOOR, highest);
    } else if (unknown) {
        leave_open(result, MGC_OPEN_FLOOR_UNKNOWN, unknown);
    } else {
        bool higher = effect > 0, faster = higher == (options->better == MGC_HIGHER_IS_BETTER);
        result->conclusion = faster ? MGC_CONCLUSION_FASTER : MGC_CONCLUSION_SLOWER;
    }
}

/* A difference below the floor would not count, so rounds are counted for one as large as it; when
 * there were enough for that already, more of them will not help. */
static void conclude_noise(
    const struct mgc_compare_arm *arm, struct mgc_comparison *result, double alpha)
{
    const struct mgc_floor *highest = highest_floor(arm);
    double effect = fabs(result->interval.mean), least = highest ? log1p(highest->fraction) : 0;
    size_t needed = mgc_rounds_needed(effect > least ? effect : least, result->interval.sd, alpha);
    if (effect < least && needed && needed <= result->n) {
        leave_open(result, MGC_OPEN_BELOW_FLOOR, highest);
        return;
    }
    leave_open(result, MGC_OPEN_NOISE, NULL);
    result->more = result->n < MGC_PAIRS_FOR_A_GUESS ? MGC_MORE_SOME
                   : needed                          ? MGC_MORE_ABOUT
                                                     : MGC_MORE_OVER_LIMIT;
    if (result->more == MGC_MORE_ABOUT)
        result->more_rounds = needed > result->n ? needed - result->n : 1;
}

/* `alpha` is what this arm's own p was held against in its step of Holm's method. */
static void conclude(const struct mgc_compare_options *options, const struct mgc_compare_arm *arm,
    struct mgc_comparison *result, double alpha)
{
    if (result->n < 2)
        leave_open(result, MGC_OPEN_TOO_FEW, NULL);
    else if (!result->tested)
        leave_open(result, MGC_OPEN_NO_VARIANCE, NULL);
    else if (result->adjusted_p <= options->alpha)
        conclude_significant(options, arm, result);
    else
        conclude_noise(arm, result, alpha);
}

static bool conclude_all(const struct mgc_compare_options *options,
    const struct mgc_compare_arm *arms, size_t count, struct mgc_comparison *results)
{
    struct mgc_holm *family = calloc(count + 1, sizeof(*family));
    if (!family)
        return false;
    for (size_t i = 0; i < count; i++)
        family[i].p = results[i].tested ? results[i].interval.p : NAN;
    mgc_holm_adjust(family, count);
    for (size_t i = 0; i < count; i++) {
        double divisor = family[i].divisor ? (double)family[i].divisor : 1;
        results[i].adjusted_p = family[i].adjusted;
        conclude(options, &arms[i], &results[i], options->alpha / divisor);
    }
    free(family);
    return true;
}

bool mgc_compare_arms(const struct mgc_compare_options *options, const struct mgc_compare_arm *arms,
    size_t count, struct mgc_comparison *ret_results)
{
    assert(options->alpha > 0 && options->alpha < 1);
    for (size_t i = 0; i < count; i++) {
        if (!measure(options, &arms[i], &ret_results[i]))
            return false;
    }
    return conclude_all(options, arms, count, ret_results);
}

/* ---- rounds needed ---- */

static bool is_enough(double effect, double sd, double alpha, size_t n)
{
    double df = (double)(n - 1);
    double t = mgc_t_quantile(1 - alpha / 2, df) + mgc_t_quantile(0.8, df);
    return effect * sqrt((double)n) / sd >= t;
}

size_t mgc_rounds_needed(double effect, double sd, double alpha)
{
    if (!(effect > 0 && sd > 0 && alpha > 0 && alpha < 1) ||
        !is_enough(effect, sd, alpha, MGC_ROUNDS_LIMIT))
        return 0;
    size_t too_few = 1, enough = MGC_ROUNDS_LIMIT;
    while (enough - too_few > 1) {
        size_t middle = too_few + (enough - too_few) / 2;
        if (is_enough(effect, sd, alpha, middle))
            enough = middle;
        else
            too_few = middle;
    }
    return enough;
}
