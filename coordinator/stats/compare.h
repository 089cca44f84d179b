/* Do the arms of one workload differ from a reference arm? Paired rounds in, one careful answer per
 * arm out: `faster`, `slower`, or `no conclusion` with the reason. Pure; any thread.
 *
 * A pair is one number of an arm and of the reference arm from the same round (ms per frame, fps,
 * ...). What is looked at is the natural logarithm of arm / reference: it has no unit, a device
 * that is slow for a whole round drops out of it, and swapping the arms only turns its sign. Its
 * mean over the rounds has an interval (interval.h) and a p value; over the arms of the family the
 * p values are adjusted by Holm's step-down method ("A simple sequentially rejective multiple test
 * procedure", Scand. J. Statist. 6 (1979)), which holds also for arms that share a reference. So
 * with equal arms the chance that any of them is called faster or slower is at most alpha.
 *
 * Assumed: rounds are independent, and nothing but the arm differs inside a round (comparable.h).
 */
#ifndef MGC_STATS_COMPARE_H
#define MGC_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/stats/interval.h"

enum mgc_better { MGC_LOWER_IS_BETTER, MGC_HIGHER_IS_BETTER }; /* times; rates */

/* Both above 0 and finite, in the same unit, or the pair is left out and counted: a round in which
 * one of the two was not measured has NAN. */
struct mgc_pair {
    double arm, reference;
};

/* What a difference must exceed to count. A size that is not known (NAN, below 0) is not 0: nothing
 * is concluded above it. */
struct mgc_floor {
    const char *name; /* "the link's own movement"; borrowed by the result */
    double fraction;  /* 0.08 = 8 %: |log ratio| must exceed log(1.08); infinite: nothing counts */
};

struct mgc_compare_arm {
    const struct mgc_pair *pairs;
    size_t pair_count;
    const struct mgc_floor *floors; /* may be NULL */
    size_t floor_count;
};

struct mgc_compare_options {
    enum mgc_better better;
    double alpha;     /* of the family; intervals have 1 - alpha each */
    size_t resamples; /* from MGC_BOOTSTRAP_FROM pairs on */
    uint64_t seed;    /* of the resamples: the same for every arm, so order does not matter */
};
extern const struct mgc_compare_options mgc_compare_default; /* lower is better, 5 % */

enum mgc_conclusion { MGC_CONCLUSION_NONE, MGC_CONCLUSION_FASTER, MGC_CONCLUSION_SLOWER };
const char *mgc_conclusion_name(enum mgc_conclusion conclusion); /* "no conclusion", "faster" ... */

/* Why there is none. */
enum mgc_open {
    MGC_OPEN_NOT,           /* there is one */
    MGC_OPEN_TOO_FEW,       /* fewer than 2 pairs: a ratio at best, nothing about its noise */
    MGC_OPEN_NO_VARIANCE,   /* all pairs have one ratio: no noise is seen, so none can be judged */
    MGC_OPEN_NOISE,         /* the difference may be chance */
    MGC_OPEN_BELOW_FLOOR,   /* the difference does not exceed a floor */
    MGC_OPEN_FLOOR_UNKNOWN, /* significant, but it is not known whether it exceeds a floor */
};
const char *mgc_open_name(enum mgc_open open); /* for JSON: "too-few", "noise" ... */

/* Rounds still needed; see mgc_rounds_needed(). SOME: two pairs tell next to nothing of their
 * scatter, so no number is made of it. */
enum mgc_more { MGC_MORE_NOT_SAID, MGC_MORE_SOME, MGC_MORE_ABOUT, MGC_MORE_OVER_LIMIT };
enum { MGC_ROUNDS_LIMIT = 1000, MGC_PAIRS_FOR_A_GUESS = 3 };

struct mgc_comparison {
    size_t n;        /* pairs that count */
    size_t left_out; /* pairs that were given and do not */
    double ratio;    /* arm / reference: exp of the mean log ratio; NAN for n = 0 */
    /* interval.mean, .sd, .low and .high are log ratios; with method NONE it has no bounds. It is
     * this arm's own 1 - alpha interval, not widened for the family. */
    struct mgc_interval interval;
    double ratio_low,
        ratio_high;    /* exp of the bounds; 0 and infinite (JSON has no such number) for none */
    bool tested;       /* there is a p value: n >= 2 and variance */
    double adjusted_p; /* Holm, over the arms that were tested; else NAN */
    enum mgc_conclusion conclusion;
    enum mgc_open open;
    const struct mgc_floor *floor; /* of BELOW_FLOOR, FLOOR_UNKNOWN; borrowed from the arm */
    enum mgc_more more;
    size_t more_rounds; /* of MORE_ABOUT */
};

/* One family: the arms of one workload and backend against one reference. Fills ret_results[count].
 * False: no memory; then the results are not to be used. */
bool mgc_compare_arms(const struct mgc_compare_options *options, const struct mgc_compare_arm *arms,
    size_t count, struct mgc_comparison *ret_results);

/* How many rounds in all are needed to tell a mean log ratio of size `effect` from 0 when single
 * rounds scatter by `sd`: the smallest n with
 *     effect * sqrt(n) / sd >= t(1 - alpha / 2, n - 1) + t(0.8, n - 1),
 * so that it is found in about four of five attempts. Assumes that effect and noise stay as they
 * are, that rounds are independent, and the t interval: the bootstrap is more careful and at 8 to
 * 12 pairs finds it in two of three. At least 2; 0: more than MGC_ROUNDS_LIMIT, or not defined. */
size_t mgc_rounds_needed(double effect, double sd, double alpha);

#endif
