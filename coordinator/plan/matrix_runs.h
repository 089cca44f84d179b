/* What the matrix lane measures: its workloads, arms and backends by mode (contract sections 3.1
 * and 3.3).
 */
#ifndef MGC_PLAN_MATRIX_RUNS_H
#define MGC_PLAN_MATRIX_RUNS_H

#include "coordinator/plan/lane.h"

enum {
    MGC_MATRIX_ARMS_MAX = 64, /* as a setting's list */
    MGC_MATRIX_PACKAGE_MAX = 256,
};

/* Append the lane's items: for each workload every backend's arms, to be measured in rounds, then
 * their pictures. What cannot be (unknown workload or arm, one twice, too many) goes to problems,
 * which may be NULL. */
void mgc_matrix_items(const struct mgc_lane_input *input, struct mgc_lane_items *items,
    struct mgc_problems *problems);

/* The arms, each once, in order, borrowed from the settings: "tcp", "tcp@p14". Returns how many. */
size_t mgc_matrix_arms(
    const struct mgc_lane_input *input, const char *ret_arms[MGC_MATRIX_ARMS_MAX]);

/* More than one backend: their names then tell cells apart. */
bool mgc_matrix_has_backends(const struct mgc_lane_input *input);

/* The workloads that are measured, each once, in order; for the mode prep those it prepares.
 * Returns how many; `ret` has room for site->workload_count. */
size_t mgc_matrix_workloads(
    const struct mgc_lane_input *input, const struct mgc_site_workload **ret);

#endif
