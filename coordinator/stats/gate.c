#include "coordinator/stats/gate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/stats/distribution.h"
#include "coordinator/stats/holm.h"

const struct mgc_gate_options mgc_gate_default = {
    .better = MGC_HIGHER_IS_BETTER, .alpha = 0.05, .flag_alpha = 0.2, .same = 0.01};

const char *mgc_gate_decision_name(enum mgc_gate_decision decision)
{
    static const char *const names[] = {
        [MGC_GATE_NO_BASELINE] = "no baseline",
        [MGC_GATE_NO_CONCLUSION] = "no conclusion",
        [MGC_GATE_UNCHANGED] = "unchanged",
        [MGC_GATE_NOT_CONFIRMED] = "not confirmed",
        [MGC_GATE_IMPROVED] = "improved",
        [MGC_GATE_REGRESSED] = "regressed",
    };
    return (size_t)decision < sizeof(names) / sizeof(names[0]) ? names[decision] : "unknown";
}

const char *mgc_gate_open_name(enum mgc_gate_open open)
{
    static const char *const names[] = {
        [MGC_GATE_OPEN_NOT] = "none",
        [MGC_GATE_OPEN_NOT_MEASURED] = "not-measured",
        [MGC_GATE_OPEN_NO_VARIANCE] = "no-variance",
        [MGC_GATE_OPEN_NOISE] = "noise",
        [MGC_GATE_OPEN_NOT_RUN] = "not-run",
        [MGC_GATE_OPEN_DISAGREES] = "disagrees",
        [MGC_GATE_OPEN_FAMILY] = "family",
    };
    return (size_t)open < sizeof(names) / sizeof(names[0]) ? names[open] : "unknown";
}

/* ---- the level of the nights before --------------------------------------------------------- */

struct level {
    double mean, nights, each; /* each: rounds of a night, harmonic mean */
};

static bool ran(const struct mgc_night_rounds *night, const char *inputs)
{
    return night->inputs && inputs && strcmp(night->inputs, inputs) == 0;
}

static struct level level_of(const struct mgc_night_rounds *nights, size_t count)
{
    struct level level = {0};
    double sum = 0, inverse = 0, mean;
    size_t rounds;
    for (size_t i = 0; i < count; i++) {
        if (!mgc_night_mean(&nights[i], &mean, &rounds))
            continue;
        sum += mean;
        inverse += 1 / (double)rounds;
        level.nights++;
    }
    if (level.nights > 0) {
        level.mean = sum / level.nights;
        level.each = level.nights / inverse;
    }
    return level;
}

static struct level newest_level(const struct mgc_night_rounds *nights, size_t count)
{
    size_t from = count > MGC_LEVEL_NIGHTS ? count - MGC_LEVEL_NIGHTS : 0;
    return level_of(nights + from, count - from);
}

/* The nights since tonight's inputs came in say nothing of what these changed, so they are no part
 * of the level as long as there are nights enough from before. */
static struct level find_level(const struct mgc_gate_arm *arm)
{
    size_t before = arm->night_count;
    while (before > 0 && ran(&arm->nights[before - 1], arm->tonight.inputs))
        before--;
    struct level level = newest_level(arm->nights, before);
    return level.nights >= MGC_BASELINE_NIGHTS ? level
                                               : newest_level(arm->nights, arm->night_count);
}

static enum mgc_gate_inputs inputs_of(const struct mgc_gate_arm *arm)
{
    for (size_t i = arm->night_count; i > 0; i--) {
        const struct mgc_night_rounds *night = &arm->nights[i - 1];
        double mean;
        size_t rounds;
        if (!mgc_night_mean(night, &mean, &rounds))
            continue;
        if (!night->inputs || !arm->tonight.inputs)
            return MGC_GATE_INPUTS_UNKNOWN;
        return ran(night, arm->tonight.inputs) ? MGC_GATE_INPUTS_UNCHANGED
                                               : MGC_GATE_INPUTS_CHANGED;
    }
    return MGC_GATE_INPUTS_UNKNOWN;
}

/* ---- one test ------------------------------------------------------------------------------- */

struct judge { /* what an arm is held against */
    struct mgc_noise noise;
    struct level level;
    double mean;   /* of the regular rounds */
    double beyond; /* mgc_noise_beyond_usual() of tonight's rounds so far */
};

struct test {
    double change, floor, p;
};

/* `mean` of `rounds` rounds tonight against the level. */
static struct test test_change(
    const struct mgc_gate_options *options, const struct judge *judge, double mean, double rounds)
{
    const struct level *level = &judge->level;
    double df;
    double usual = mgc_noise_variance(&judge->noise, rounds, level->nights, level->each, &df);
    double sd = sqrt(usual + judge->beyond / rounds);
    struct test test = {.change = mean - level->mean};
    test.floor = mgc_t_quantile(1 - options->alpha / 2, df) * sd;
    test.p = mgc_t_tails(test.change / sd, df);
    return test;
}

static void keep(const struct test *test, struct mgc_gate_result *result)
{
    result->change = test->change;
    result->floor = test->floor;
    result->low = test->change - test->floor;
    result->high = test->change + test->floor;
    result->p = test->p;
}

static bool is_beyond(const struct test *test)
{
    return fabs(test->change) > test->floor;
}

static void leave(
    struct mgc_gate_result *result, enum mgc_gate_decision decision, enum mgc_gate_open open)
{
    result->decision = decision;
    result->open = open;
}

/* ---- one arm, by its regular rounds --------------------------------------------------------- */

/* Can it be judged at all? */
static bool prepare(
    const struct mgc_gate_arm *arm, struct judge *judge, struct mgc_gate_result *result)
{
    *result = (struct mgc_gate_result){.inputs = inputs_of(arm),
        .nights_needed = MGC_BASELINE_NIGHTS,
        .change = NAN,
        .low = NAN,
        .high = NAN,
        .floor = NAN,
        .p = NAN,
        .adjusted_p = NAN,
        .confirm_change = NAN};
    mgc_noise_estimate(arm->nights, arm->night_count, &judge->noise);
    judge->level = find_level(arm);
    result->nights = judge->noise.nights;
    result->baseline = (size_t)judge->level.nights;
    bool measured = mgc_night_mean(&arm->tonight, &judge->mean, &result->rounds);
    if (judge->noise.nights < MGC_BASELINE_NIGHTS)
        leave(result, MGC_GATE_NO_BASELINE, MGC_GATE_OPEN_NOT);
    else if (!measured)
        leave(result, MGC_GATE_NO_CONCLUSION, MGC_GATE_OPEN_NOT_MEASURED);
    else if (!mgc_noise_is_known(&judge->noise))
        leave(result, MGC_GATE_NO_CONCLUSION, MGC_GATE_OPEN_NO_VARIANCE);
    else
        result->judged = true;
    return result->judged;
}

static void flag(const struct mgc_gate_options *options, size_t family,
    const struct mgc_gate_arm *arm, struct judge *judge, struct mgc_gate_result *result)
{
    if (!prepare(arm, judge, result))
        return;
    judge->beyond = mgc_noise_beyond_usual(&judge->noise, &arm->tonight, 1);
    struct test test = test_change(options, judge, judge->mean, (double)result->rounds);
    keep(&test, result);
    result->flagged = is_beyond(&test) && test.p <= options->flag_alpha / (double)family;
    double same = log1p(options->same);
    if (result->flagged)
        leave(result, MGC_GATE_NOT_CONFIRMED, MGC_GATE_OPEN_NOT_RUN);
    else if (result->low > -same && result->high < same)
        leave(result, MGC_GATE_UNCHANGED, MGC_GATE_OPEN_NOT);
    else
        leave(result, MGC_GATE_NO_CONCLUSION, MGC_GATE_OPEN_NOISE);
}

static size_t family_of(const struct mgc_gate_options *options, size_t count)
{
    assert(options->alpha > 0 && options->alpha < 1 && options->flag_alpha > 0);
    return options->family > count ? options->family : count;
}

void mgc_gate_flags(const struct mgc_gate_options *options, const struct mgc_gate_arm *arms,
    size_t count, struct mgc_gate_result *ret_results)
{
    struct judge judge;
    for (size_t i = 0; i < count; i++)
        flag(options, family_of(options, count), &arms[i], &judge, &ret_results[i]);
}

/* ---- confirmed? ----------------------------------------------------------------------------- */

/* The confirming rounds alone, then all rounds together. Which p is the family's: 1 for an arm that
 * is not confirmed anyway. */
static double confirm(const struct mgc_gate_options *options, const struct mgc_gate_arm *arm,
    struct judge *judge, struct mgc_gate_result *result)
{
    const struct mgc_night_rounds both[] = {arm->tonight, arm->confirm};
    double mean;
    if (!mgc_night_mean(&arm->confirm, &mean, &result->confirm_rounds))
        return 1;
    judge->beyond = mgc_noise_beyond_usual(&judge->noise, both, 2);
    double extra = (double)result->confirm_rounds, rounds = (double)result->rounds;
    struct test alone = test_change(options, judge, mean, extra);
    bool agrees = is_beyond(&alone) && (alone.change > 0) == (result->change > 0);
    double all = (judge->mean * rounds + mean * extra) / (rounds + extra);
    struct test together = test_change(options, judge, all, rounds + extra);
    keep(&together, result);
    result->confirm_change = alone.change;
    result->open = agrees ? MGC_GATE_OPEN_FAMILY : MGC_GATE_OPEN_DISAGREES;
    return agrees ? together.p : 1;
}

static void conclude(const struct mgc_gate_options *options, struct mgc_gate_result *result)
{
    if (result->open != MGC_GATE_OPEN_FAMILY || result->adjusted_p > options->alpha)
        return;
    bool better = (result->change > 0) == (options->better == MGC_HIGHER_IS_BETTER);
    leave(result, better ? MGC_GATE_IMPROVED : MGC_GATE_REGRESSED, MGC_GATE_OPEN_NOT);
}

bool mgc_gate_decide(const struct mgc_gate_options *options, const struct mgc_gate_arm *arms,
    size_t count, struct mgc_gate_result *ret_results)
{
    struct judge judge;
    struct mgc_holm *holm = calloc(count + 1, sizeof(*holm));
    if (!holm)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct mgc_gate_result *result = &ret_results[i];
        flag(options, family_of(options, count), &arms[i], &judge, result);
        holm[i].p = !result->judged    ? NAN
                    : !result->flagged ? 1
                                       : confirm(options, &arms[i], &judge, result);
    }
    mgc_holm_adjust(holm, count);
    for (size_t i = 0; i < count; i++) {
        ret_results[i].adjusted_p = holm[i].adjusted;
        conclude(options, &ret_results[i]);
    }
    free(holm);
    return true;
}

bool mgc_gate_failed(const struct mgc_gate_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (results[i].decision == MGC_GATE_REGRESSED)
            return true;
    }
    return false;
}
