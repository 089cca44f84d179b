/* Did tonight's run become slower, or faster, than the nights before it on this device? Values in,
 * one careful answer per arm out. Pure; any thread.
 *
 * Two steps. Flag: after an arm's regular rounds, mgc_gate_flags() says whether its change may be
 * real; such arms are run again the same night. Decide: at the end, mgc_gate_decide() gives the
 * answers of all arms. What is looked at:
 *
 *     change = mean of tonight's rounds - mean of the baseline nights' means   (natural logs)
 *     t      = change / sqrt(mgc_noise_variance() + mgc_noise_beyond_usual() / rounds)
 *
 * so both what rounds scatter and what nights move by themselves are in t, and p is that of a
 * single new night (a prediction, not a confidence in the mean). The floor is the change at which p
 * is alpha. An arm is
 *   flagged    p <= flag_alpha / family, and beyond the floor; `family` is the number of arms of
 * the night over all workloads. So in a night without changes some arm is run again with a chance
 * of at most flag_alpha, whichever workload is asked about first. regressed, improved flagged, and
 * all its rounds together (regular and confirming) have an adjusted p of at most alpha, and the
 * confirming rounds alone are beyond their floor in the same direction. The adjusted p is Holm's
 * over all arms of the night that can be judged; arms that were not flagged have p = 1. That keeps
 * the chance of any false alarm in a night at or below alpha: p of all rounds is a valid p of an
 * arm that would always be run again, and an arm that was not has a larger one. Holm, and no false
 * discovery rate or Simes: one false alarm costs a morning however many true ones stand beside it;
 * and arms of one night share device, heat and builds, which Holm allows in any form and those in
 * some. Beyond that it is never weaker than Bonferroni.
 */
#ifndef MGC_STATS_GATE_H
#define MGC_STATS_GATE_H

#include "coordinator/stats/compare.h"
#include "coordinator/stats/noise_floor.h"

/* The level is of so many nights, the newest; the noise of all that are given. What a device is
 * like changes over months; how much it moves from night to night does less, and needs many. */
enum { MGC_LEVEL_NIGHTS = 20 };

struct mgc_gate_arm { /* an arm of a workload; all borrowed */
    /* The nights before, oldest first, of this device and with tonight's settings, whatever their
     * builds. */
    const struct mgc_night_rounds *nights;
    size_t night_count;
    struct mgc_night_rounds tonight; /* the regular rounds */
    struct mgc_night_rounds confirm; /* those that were run because it was flagged */
};

struct mgc_gate_options {
    enum mgc_better better; /* of the numbers whose logs these are */
    double alpha;           /* chance of any false alarm in a night */
    double flag_alpha;      /* chance that any arm is run again in a night without changes */
    double same;            /* 0.01: an interval within 1 % either way is `unchanged` */
    size_t family;          /* arms of the night; 0: as many as were given */
};
/* Higher is better (rates); 5 %; 20 %; 1 %. */
extern const struct mgc_gate_options mgc_gate_default;

enum mgc_gate_decision {
    MGC_GATE_NO_BASELINE,   /* fewer than MGC_BASELINE_NIGHTS nights with unchanged inputs */
    MGC_GATE_NO_CONCLUSION, /* nothing was found, and a change is not ruled out */
    MGC_GATE_UNCHANGED,     /* a change of `same` or more is ruled out */
    MGC_GATE_NOT_CONFIRMED, /* flagged, but not by its confirming rounds */
    MGC_GATE_IMPROVED,
    MGC_GATE_REGRESSED,
};
const char *mgc_gate_decision_name(enum mgc_gate_decision decision); /* "no baseline", ... */

/* Why there is no conclusion, or no confirmation. */
enum mgc_gate_open {
    MGC_GATE_OPEN_NOT,
    MGC_GATE_OPEN_NOT_MEASURED, /* no round tonight */
    MGC_GATE_OPEN_NO_VARIANCE,  /* all nights have one number: noise was not seen */
    MGC_GATE_OPEN_NOISE,        /* the interval is wider than `same` */
    MGC_GATE_OPEN_NOT_RUN,      /* flagged, without a confirming round */
    MGC_GATE_OPEN_DISAGREES,    /* the confirming rounds alone are not beyond their floor */
    MGC_GATE_OPEN_FAMILY,       /* among so many arms one looks like this by chance */
};
const char *mgc_gate_open_name(enum mgc_gate_open open); /* for JSON: "not-measured" ... */

/* Tonight's inputs against those of the last night before it. */
enum mgc_gate_inputs {
    MGC_GATE_INPUTS_UNKNOWN,
    MGC_GATE_INPUTS_CHANGED,
    MGC_GATE_INPUTS_UNCHANGED
};

struct mgc_gate_result {
    enum mgc_gate_decision decision;
    enum mgc_gate_open open;
    enum mgc_gate_inputs inputs; /* UNCHANGED: whatever was found is no build's doing */
    bool flagged;
    size_t nights, nights_needed;  /* k of m, of the floor */
    size_t baseline;               /* nights whose level tonight is held against */
    size_t rounds, confirm_rounds; /* tonight, that count */
    bool judged;                   /* the numbers below are there; else NAN */
    double change;                 /* of all rounds when flagged, else of the regular ones; log */
    double low, high;              /* of 1 - alpha, of this arm alone; log */
    double floor;                  /* log, above 0 */
    double p, adjusted_p;          /* adjusted: NAN from mgc_gate_flags() */
    double confirm_change;         /* of the confirming rounds alone; log; NAN without */
};

/* Which arms to run again: fills ret_results[count] with what the regular rounds say. `decision` is
 * NOT_CONFIRMED (NOT_RUN) for flagged ones. Needs options->family when other workloads are still to
 * come. */
void mgc_gate_flags(const struct mgc_gate_options *options, const struct mgc_gate_arm *arms,
    size_t count, struct mgc_gate_result *ret_results);

/* The final answers: all arms of the night in one call. False: no memory. */
bool mgc_gate_decide(const struct mgc_gate_options *options, const struct mgc_gate_arm *arms,
    size_t count, struct mgc_gate_result *ret_results);

/* Some arm regressed: the gate failed, exit code 1. */
bool mgc_gate_failed(const struct mgc_gate_result *results, size_t count);

/* "regressed", "no baseline (2 of 5 nights)", "no conclusion (changes up to 3.1 % are not ruled
 * out)", "regressed, with unchanged inputs". Cut at size; 160 is enough. */
void mgc_gate_text(const struct mgc_gate_result *result, char *text, size_t size);
/* "-8.1 % (-9.9 to -6.3), floor 2.4 %, 12 nights, 5 + 5 rounds, p < 0.001"; "-" when not judged. */
void mgc_gate_numbers(const struct mgc_gate_result *result, char *text, size_t size);

#endif
