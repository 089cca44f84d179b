/* Which cells the matrix lane has, and in which order: blocks, each one round of one workload, and
 * the arms that every block measures (contract sections 3.1 and 3.3).
 */
#ifndef MGC_PLAN_MATRIX_RUNS_H
#define MGC_PLAN_MATRIX_RUNS_H

#include "coordinator/plan/lane.h"

enum {
    MGC_MATRIX_BLOCKS_MAX = 1024,
    MGC_MATRIX_ARMS_MAX = 64, /* as a setting's list */
    MGC_MATRIX_PACKAGE_MAX = 256,
};

struct mgc_matrix_block {
    const struct mgc_site_workload *workload;
    enum mgc_mode mode;
    int64_t rep; /* from 1; 1 for ssim */
};

struct mgc_matrix_runs {
    struct mgc_matrix_block blocks[MGC_MATRIX_BLOCKS_MAX]; /* in order */
    size_t block_count;
    const char *arms[MGC_MATRIX_ARMS_MAX]; /* borrowed from the settings: "tcp", "tcp@p14" */
    size_t arm_count;
    const char *backends[MGC_MATRIX_ARMS_MAX];
    size_t backend_count;
};

/* What cannot be (unknown workload or arm, one twice) goes to problems, which may be NULL. */
void mgc_matrix_list(const struct mgc_lane_input *input, struct mgc_matrix_runs *ret_runs,
    struct mgc_problems *problems);

/* The workloads that blocks measure, each once, in order; for the mode prep those it prepares.
 * Returns how many; `ret` has room for site->workload_count. */
size_t mgc_matrix_workloads(
    const struct mgc_lane_input *input, const struct mgc_site_workload **ret);

/* Order of `count` arms (with several backends: of pairs of both) in the round `rep` of a workload:
 * ret_order[i] is the index of the i-th. `rotate` begins with number (rep - 1) mod count; `shuffle` is a Fisher-Yates shuffle by SplitMix64
 * (Steele, Lea, Flood 2014), seeded with seed, salt and rep. Pure. */
void mgc_matrix_order(
    const char *order, int64_t seed, size_t salt, int64_t rep, size_t count, size_t *ret_order);

#endif
