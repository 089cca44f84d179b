/* A lane knows how to make cells of a plan's settings. One file per lane, one row in lanes[] of
 * expand.c.
 *
 * A lane says what it measures (items) and makes one cell of an item when asked. In which order the
 * cells of all lanes of a plan come is decided in sequence.c.
 */
#ifndef MGC_PLAN_LANE_H
#define MGC_PLAN_LANE_H

#include "coordinator/plan/bench.h"
#include "coordinator/plan/plan.h"
#include "coordinator/plan/problems.h"
#include "coordinator/plan/site.h"

struct mgc_lane;

struct mgc_lane_input {
    const struct mgc_site *site;
    const struct mgc_bench *bench;
    const char *token; /* secret that client and server share */
    int64_t barrier_timeout_ms;
    int64_t seed; /* of orders that are shuffled */
};

/* What one round of a workload measures once: an arm, or its picture. Texts are borrowed from
 * settings and bench. */
struct mgc_lane_item {
    const struct mgc_lane *lane;
    const struct mgc_site_workload *workload; /* NULL: of a lane that measures none */
    enum mgc_mode mode;
    const char *arm;           /* "tcp@p14", "crosshost-c2" */
    const char *backend;       /* "DirectGLES" */
    int64_t credit;            /* PRESENT_CREDIT; 0: the arm has none */
    int64_t first_rep, rounds; /* its repetitions are numbered from first_rep */
};

enum { MGC_LANE_ITEMS_MAX = 1024 };

struct mgc_lane_items {
    struct mgc_lane_item items[MGC_LANE_ITEMS_MAX];
    size_t count;
};

/* How a lane's cells come when it is alone in a plan, as people know it from the old scripts. */
enum mgc_lane_sequence {
    MGC_LANE_WORKLOAD_BY_WORKLOAD, /* each with its rounds, then its pictures */
    MGC_LANE_ROUND_BY_ROUND,       /* all pictures; then rounds, each over all workloads */
};

struct mgc_lane {
    const char *name; /* "crosshost": the plan's section is lanes.crosshost */
    enum mgc_lane_sequence sequence;
    bool crosses_hosts; /* its cells need a path between hosts that nobody else ends */
    /* Settings that do not go together, with their origin. */
    void (*check)(const struct mgc_lane_input *input, struct mgc_problems *problems);
    bool (*setup)(const struct mgc_lane_input *input, struct mgc_cell *cell);
    /* What holds for the whole plan beside its cells; NULL: nothing. */
    bool (*rules)(const struct mgc_lane_input *input, struct mgc_plan *plan);
    /* Append what it measures, in the plan's order. Problems have been told by check. */
    void (*items)(const struct mgc_lane_input *input, struct mgc_lane_items *items);
    /* Append the cell of one repetition. */
    bool (*add)(const struct mgc_lane_input *input, const struct mgc_lane_item *item, int64_t rep,
        struct mgc_plan *plan);
    /* What is looked at before and after a block of its cells; NULL: nothing. */
    bool (*bracket)(const struct mgc_lane_input *input, struct mgc_cell *cell);
    /* NULL: nothing to do at the end. */
    bool (*close)(const struct mgc_lane_input *input, struct mgc_cell *cell);
    /* There is something to do without a cell: the setup is what a run is for. NULL: there is not.
     */
    bool (*may_be_empty)(const struct mgc_lane_input *input);
    /* How long a cell, or a bracket of the lane, takes as a rule (estimate.h). */
    int64_t (*typical_ms)(const struct mgc_lane_input *input, const struct mgc_cell *cell);
};

extern const struct mgc_lane mgc_lane_crosshost;
extern const struct mgc_lane mgc_lane_matrix;
extern const struct mgc_lane mgc_lane_netbench;

/* True when the plan's file has the section lanes.NAME. */
bool mgc_lane_in_plan(const struct mgc_settings *settings, const char *name);

/* False when there is no room for another. */
bool mgc_lane_items_add(struct mgc_lane_items *items, const struct mgc_lane_item *item);

#endif
