/* Invented nights with recorded noise, for what the regression gate (coordinator/stats/gate.h)
 * promises: how often it is wrong when nothing changed, and how often it finds what did. The same
 * for the benchmark (many nights) and the unit test (few). Pure but for reading the file; one
 * thread.
 *
 * A noise file has '#' comments and, per recorded night and round, a line
 *     NIGHT ROUND MS MS ...        ms per frame of each arm, '-' where there is none
 * Each arm's values are taken apart: the night's mean about the arm's mean, and the round about the
 * night's mean (both widened for the mean that was taken off). Of the first, what the rounds'
 * scatter alone would make is taken off by shrinking. An invented night takes, for each workload,
 * one recorded night, and for each of its rounds a round of that night, all arms of it together: a
 * busy hour stays a busy hour for everybody.
 */
#ifndef MGC_BENCH_LIB_GATE_SIM_H
#define MGC_BENCH_LIB_GATE_SIM_H

#include <stdint.h>

#include "common/base/error.h"
#include "coordinator/stats/gate.h"
#include "coordinator/stats/random.h"

enum { MGC_SIM_ARMS = 8, MGC_SIM_ROUNDS = 16, MGC_SIM_NIGHTS = 64 };

struct mgc_sim_noise { /* natural logs of a rate, about 0 */
    size_t nights, arms;
    size_t rounds[MGC_SIM_NIGHTS];
    double effect[MGC_SIM_NIGHTS][MGC_SIM_ARMS];
    double round[MGC_SIM_NIGHTS][MGC_SIM_ROUNDS][MGC_SIM_ARMS];
    double night_sd, round_sd; /* over all arms: root mean square, after shrinking */
};

bool mgc_sim_noise_read(const char *path, struct mgc_sim_noise *ret_noise, struct mgc_error *err);

struct mgc_sim_plan {
    size_t nights, workloads, rounds, confirm_rounds, history; /* history: baseline nights */
    size_t nights_per_build;
    double slowdown; /* of one arm, another each night: 0.08 takes 8 % more time; 0: none */
    double scale;    /* of the noise; 1: as recorded */
    uint64_t seed;
};

struct mgc_sim_tally {
    size_t nights;
    size_t reruns;                            /* some arm that nothing was done to was flagged */
    size_t false_alarms;                      /* such an arm regressed or improved */
    size_t flagged;                           /* the slowed one was */
    size_t decisions[MGC_GATE_REGRESSED + 1]; /* of the slowed arm; without one, of all arms */
    size_t judged;                            /* arms these are of */
};

/* Every night is judged against `history` invented nights before it; false: no memory. */
bool mgc_sim_run(const struct mgc_sim_noise *noise, const struct mgc_sim_plan *plan,
    struct mgc_sim_tally *ret_tally);

#endif
