/* The steps of the matrix lane: what its setup and each of its cells do on the phone. */
#ifndef MGC_PLAN_MATRIX_STEPS_H
#define MGC_PLAN_MATRIX_STEPS_H

#include "coordinator/plan/matrix_runs.h"

/* One cell to be. */
struct mgc_matrix_run {
    const struct mgc_lane_item *item;
    const struct mgc_bench_arm *arm;
    char package[MGC_MATRIX_PACKAGE_MAX]; /* of the arm's build */
    const char *packages;                 /* of all builds in the plan, with commas between */
};

/* What the run keeps `stay_on_while_plugged_in` at: AC, USB and wireless. */
#define MGC_MATRIX_STAY_AWAKE "7"

/* Settings below lanes.matrix; NULL or 0 when absent. */
const struct mgc_setting *mgc_matrix_setting(const struct mgc_lane_input *input, const char *name);
int64_t mgc_matrix_number(const struct mgc_lane_input *input, const char *name);
const char *mgc_matrix_text(const struct mgc_lane_input *input, const char *name);
/* The clocks to hold; NULL: they are free. */
const struct mgc_bench_clocks *mgc_matrix_clocks(const struct mgc_lane_input *input);
/* A step of the host worker, with what every one of its tasks is told; its deadline gets what
 * waiting for a lost phone may take on top. NULL: no memory. */
struct mgc_step *mgc_matrix_add_step(const struct mgc_lane_input *input, struct mgc_cell *cell,
    const char *id, const char *kind, int64_t deadline_ms);

/* Device, helper, builds, fixtures, knobs. False: no memory. */
bool mgc_matrix_setup(const struct mgc_lane_input *input, struct mgc_cell *cell);
/* The device once more, for the record. Whether it was still the same boot and app is judged in
 * every cell. */
bool mgc_matrix_close(const struct mgc_lane_input *input, struct mgc_cell *cell);
bool mgc_matrix_steps(
    const struct mgc_lane_input *input, const struct mgc_matrix_run *run, struct mgc_cell *cell);
bool mgc_matrix_expect(const struct mgc_lane_input *input, const struct mgc_matrix_run *run,
    struct mgc_expect *ret_expect);
/* The clocks that this lane holds for the whole run, as expect->pins; NULL: none. */
bool mgc_matrix_expect_pins(const struct mgc_lane_input *input, struct mgc_expect *expect);

/* Packages of all builds that the plan's arms name, with commas between. */
bool mgc_matrix_packages(const struct mgc_lane_input *input, char *ret_packages, size_t size);

#endif
