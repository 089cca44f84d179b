/* Two runs held against each other, arm by arm. What may be compared says
 * coordinator/stats/comparable.h, what it means coordinator/stats/compare.h.
 *
 * Rounds are paired by their number: round 2 of one run with round 2 of the other. The rounds were
 * not run side by side, so whatever differs from one night to the next by itself is part of the
 * difference, and no number of rounds shows how much that is. So a difference counts only beyond
 * this device's noise floor too (coordinator/stats/noise_floor.h), which other nights show.
 */
#ifndef MGC_HISTORY_RUN_COMPARE_H
#define MGC_HISTORY_RUN_COMPARE_H

#include "coordinator/history/past.h"
#include "coordinator/stats/compare.h"

struct mgc_run_arm {
    struct mgc_arm_key key; /* borrowed from the cells */
    struct mgc_arm_numbers a, b;
    enum mgc_comparable comparable;
    char why[256]; /* other than YES: the first fact that forbids it, or that there is none */
    /* Of YES: from nights with A's settings, whatever their builds. fraction NAN: not known. */
    struct mgc_noise noise;
    struct mgc_floor floor;
    struct mgc_comparison result; /* B against A, of YES; borrows the floor */
};

/* The arms of one workload are one family for Holm's method. `past`: other nights on the device; an
 * empty one is no floor, and without one nothing is concluded. free(*ret_arms). */
bool mgc_runs_compare(const struct mgc_history_cells *a, const struct mgc_history_cells *b,
    const struct mgc_past *past, struct mgc_run_arm **ret_arms, size_t *ret_count,
    struct mgc_error *err);

/* "slower"; "no baseline (2 of 5 nights)"; "not compared: geometry differs: ..." */
void mgc_run_arm_text(const struct mgc_run_arm *arm, char *text, size_t size);

#endif
