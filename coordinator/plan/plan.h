/* The expanded plan: cells in the order they run, each a small graph of steps. This is what plan/
 * hands to sched/, verify/ and store/; it is written once and then only read.
 *
 * All strings and arrays are owned by the plan.
 */
#ifndef MGC_PLAN_PLAN_H
#define MGC_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fields.h"

enum mgc_role { MGC_ROLE_HOST, MGC_ROLE_WSL, MGC_ROLE_COUNT };
const char *mgc_role_name(enum mgc_role role); /* "host", "wsl" */

/* When a step may start, in relation to another step of the same cell (or of the setup cell). */
enum mgc_dep_kind {
    MGC_DEP_READY, /* the other one, a holding step, has reported "ready" */
    MGC_DEP_DONE,  /* the other one has ended well and its files are stored */
};

struct mgc_dep {
    size_t step; /* index in the same cell */
    enum mgc_dep_kind kind;
};

enum { MGC_STEP_DEPS_MAX = 4 };

struct mgc_step {
    char *id;   /* "replay"; unique in its cell */
    char *kind; /* "wsl.replay" */
    enum mgc_role role;
    struct mgc_fields params;
    struct mgc_fields secrets;
    int64_t deadline_ms;
    int64_t ready_ms; /* of one that holds: time until its "ready"; 0: that of the whole step */
    bool holds;       /* ends on finish: told so when all that wait on its "ready" have ended,
                         or, in the setup cell, at the end of the run */
    char *barrier;    /* name of the barrier it arrives at, or NULL */
    bool best_effort; /* its failure does not fail the cell, it is only reported */
    struct mgc_dep deps[MGC_STEP_DEPS_MAX];
    size_t dep_count;
};

enum mgc_cell_kind {
    MGC_CELL_SETUP,   /* once, first: its holding steps stay for the whole run; failure ends the
                         run before anything is measured */
    MGC_CELL_MEASURE, /* a cell: measured, judged, stored */
    MGC_CELL_BRACKET, /* before and after a block of cells: what they rest on, looked at again */
    MGC_CELL_CLOSE,   /* once, last: checks made again (path check); judged, not measured */
    MGC_CELL_KIND_COUNT,
};
const char *mgc_cell_kind_name(enum mgc_cell_kind kind); /* "setup", "measure", ... */

enum mgc_mode { MGC_MODE_BENCHMARK, MGC_MODE_SSIM };
const char *mgc_mode_name(enum mgc_mode mode);

/* What a cell must show to count as measured; verify/ holds files and facts against it. */
struct mgc_expect {
    int64_t frames; /* benchmark: frames of the trace */
    int64_t width, height;
    int64_t credit;
    bool benchmark_finish;
    double ssim_threshold;
    char *backend;
    char *endpoint; /* "192.168.21.181:40613"; NULL: no TCP session belongs to this arm */

    /* On the phone; 0 and NULL elsewhere. */
    char *package;                    /* build of the app that runs the replay */
    bool pipe_stats;                  /* counters were asked for */
    bool plugged;                     /* power has to stay connected */
    int64_t temp_min_dc, temp_max_dc; /* battery band, tenths of a degree C */
    char *pins; /* clocks held: "cpu7=2035200 gpu=680000000" (kHz, Hz); NULL: none */
};

struct mgc_cell {
    enum mgc_cell_kind kind;
    char *id;       /* also its directory: "crosshost/bench-openra-c1-r1"; "setup"; "close" */
    char *lane;     /* "crosshost" */
    char *workload; /* "openra"; NULL for setup and close */
    char *arm;      /* "crosshost-c1" */
    int64_t rep;    /* from 1, also for ssim; 0 for setup and close */
    int64_t round;  /* of the workload, from 1: its cells are held against each other; 0: none */
    size_t part;    /* from 1: begun together or not at all (part.h); 0: none */
    size_t block;   /* from 1: those between two brackets, and the brackets; 0: none */
    bool after;     /* of a bracket: it ends its block */
    bool confirm;   /* run again what the gate flagged (coordinator/stats/gate.h): no regular round;
                       of a bracket: its block is made of such cells */
    bool crosses_hosts; /* needs a path between hosts that nobody else ends */
    enum mgc_mode mode;
    struct mgc_expect expect;
    struct mgc_step *steps;
    size_t step_count;
};
/* A benchmark of a regular round: what tables and comparisons are made of. */
bool mgc_cell_is_regular(const struct mgc_cell *cell);

/* A rule of the plan: when a cell of the first round took the app longer, the workload's later
 * rounds than `reps` are left out. */
struct mgc_shorten {
    char *lane, *workload;
    int64_t above_ms;
    int64_t reps;
};

enum { MGC_PLAN_SHORTEN_MAX = 8 };

/* How much of a run may come to nothing, and how long it may take (budget.h). */
struct mgc_budget {
    int64_t invalid_cells; /* 0: no limit */
    int64_t wall_ms;       /* 0: no limit */
    bool has_end;
    int64_t end_min; /* local time of day, minutes since midnight */
};

struct mgc_plan {
    char *name;   /* "crosshost" */
    char *run_id; /* UTC stamp + plan + random: "20261130T135200Z-crosshost-k3f9" */
    /* Of a phone that has a name; NULL otherwise. */
    char *phone;                   /* "p1" */
    char *part_of;                 /* id of the run of several phones; run_id is that + "-p1" */
    char *workers[MGC_ROLE_COUNT]; /* the one worker that may serve; NULL: anyone of that role */
    struct mgc_cell *cells;
    size_t cell_count;
    int64_t barrier_timeout_ms; /* from the first arrival */
    int64_t worker_timeout_ms;  /* how long to wait for a worker that is not there */
    int64_t replacements; /* cells in all that go again when something around them voided them */
    int64_t retries_per_cell; /* after infrastructure failures (worker lost, device lost) */
    struct mgc_budget budget;
    int64_t lead_ms;  /* least lead time of a barrier release */
    bool interleaved; /* every round of a workload has the arms of all lanes */
    size_t block_count;
    int64_t link_band; /* percent that a link may move while a block is measured over it */
    char *order;       /* of the arms in a round: "fixed", "rotate", "shuffle"; NULL: fixed */
    int64_t seed;      /* of a shuffled order */
    char *reference;   /* the arm that others are compared with: the plan's first; NULL: none is */
    struct mgc_shorten shorten[MGC_PLAN_SHORTEN_MAX];
    size_t shorten_count;
};

void mgc_plan_destroy(struct mgc_plan *plan); /* takes NULL and zeroed */

/* The block of that cell of the plan, its brackets included: cells [*ret_first, result), which
 * stand together. Of a cell without one: that cell alone. */
size_t mgc_plan_block(const struct mgc_plan *plan, const struct mgc_cell *cell, size_t *ret_first);
/* The plan's cells sorted by id, those with the same id in plan order; free() it. NULL: no memory.
 */
const struct mgc_cell **mgc_plan_by_id(const struct mgc_plan *plan);

/* Every round has its arms in the same order. */
bool mgc_plan_order_is_fixed(const struct mgc_plan *plan);

/* Measures over the link between hosts: two of these at once on one WSL worker would falsify each
 * other. */
bool mgc_cell_loads_link(const struct mgc_cell *cell);

#endif
