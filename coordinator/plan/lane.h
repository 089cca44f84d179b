/* A lane knows how to make cells of a plan's settings. One file per lane, one row in lanes[] of
 * expand.c.
 *
 * expand.c asks all lanes of a plan for their part of the setup cell, then for the cells that come
 * once, then round by round for one repetition of each, so that lanes interleave, then for their
 * part of the closing cell.
 */
#ifndef MGC_PLAN_LANE_H
#define MGC_PLAN_LANE_H

#include "coordinator/plan/bench.h"
#include "coordinator/plan/plan.h"
#include "coordinator/plan/problems.h"
#include "coordinator/plan/site.h"

struct mgc_lane_input {
    const struct mgc_site *site;
    const struct mgc_bench *bench;
    const char *token; /* secret that client and server share */
    int64_t barrier_timeout_ms;
    int64_t seed; /* of orders that are shuffled */
};

struct mgc_lane {
    const char *name; /* "crosshost": the plan's section is lanes.crosshost */
    /* Settings that do not go together, with their origin. */
    void (*check)(const struct mgc_lane_input *input, struct mgc_problems *problems);
    bool (*setup)(const struct mgc_lane_input *input, struct mgc_cell *cell);
    /* What holds for the whole plan beside its cells; NULL: nothing. */
    bool (*rules)(const struct mgc_lane_input *input, struct mgc_plan *plan);
    /* Cells that come before all rounds; NULL: none. */
    bool (*once)(const struct mgc_lane_input *input, struct mgc_plan *plan);
    int64_t (*rounds)(const struct mgc_lane_input *input);
    bool (*round)(const struct mgc_lane_input *input, int64_t round, struct mgc_plan *plan);
    /* NULL: nothing to do at the end. */
    bool (*close)(const struct mgc_lane_input *input, struct mgc_cell *cell);
    /* How long a cell takes as a rule, for the estimate of `plan show`. */
    int64_t (*typical_ms)(const struct mgc_lane_input *input, const struct mgc_cell *cell);
};

extern const struct mgc_lane mgc_lane_crosshost;
extern const struct mgc_lane mgc_lane_matrix;

/* True when the plan's file has the section lanes.NAME. */
bool mgc_lane_in_plan(const struct mgc_settings *settings, const char *name);

#endif
