/* The merged result of a run: every cell once, with its final verdict, plus what was true for the
 * whole run. report/ turns it into files; nothing here prints.
 */
#ifndef MGC_MERGE_RESULTS_H
#define MGC_MERGE_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/json/json.h"
#include "coordinator/plan/plan.h"
#include "coordinator/verify/verdict.h"

struct mgc_cell_result {
    const struct mgc_cell *cell; /* borrowed from the plan */
    int attempts;                /* made for its own sake (replacement.h); 0 when it never began */
    int settled;                 /* number of the final one; 0: none is in its place */
    char *dir;                   /* relative to the run directory; owned; NULL when none */
    struct mgc_verdict verdict;  /* of the final attempt */
    struct mgc_release release;
    int64_t start_wall_ns, end_wall_ns; /* labels */
    int64_t duration_ns;
    int64_t session; /* it was judged in: how often the run had been resumed before, 0, 1, ... */
    /* Measured again since it was void (replacement.h). */
    int64_t replaced;                   /* how often */
    bool again;                         /* its further turn is still to come */
    const struct mgc_cell *beside_cell; /* its round's reference, which went again for its sake */
    int beside_attempt;                 /* the number of that attempt; 0: none */
    struct mgc_verdict beside;          /* of that attempt: what this cell is held against then */
};

struct mgc_bracket_result { /* what was seen before or after a block of cells */
    const struct mgc_cell *cell;
    struct mgc_verdict verdict; /* MEASURED: good; INCOMPLETE: nobody looked */
    int64_t wall_ns;            /* when; a label */
};

struct mgc_host_record {                             /* a worker as it presented itself */
    char *name, *role, *host, *os, *build, *boot_id; /* owned */
    bool clock_known;
    int64_t offset_ns, uncertainty_ns; /* its mono clock minus ours, at the end */
    int64_t sessions;                  /* 1 when it never had to rejoin */
};

struct mgc_result_setting {     /* owned, where nothing else is said */
    char *key, *value, *origin; /* "lanes.crosshost.reps", "1", "--reps" */
    const char *unit;           /* "ms", "degrees C"; NULL: none, or a part of the key. Not owned */
};

struct mgc_put_back {     /* what steps of one kind changed and put back (put_back.h) */
    char *step, *kind;    /* owned: "route", "wsl.route" */
    int64_t done, failed; /* changes */
    bool on_rejoin;       /* its worker was lost, and had put all back when it joined again */
    char *text;           /* owned: what is not put back, or not known to be; NULL: all is */
};

struct mgc_arm_order {    /* of the arms of one workload, as its first round has them */
    const char *workload; /* the plan's */
    char text[200];       /* "rotate: monolith, shm, tcp" */
};

struct mgc_results {
    const struct mgc_plan *plan;   /* borrowed */
    struct mgc_cell_result *cells; /* owned; one per MEASURE cell of the plan, in plan order */
    size_t count;
    size_t *first_round; /* owned; indices of benchmark cells of the first round */
    size_t first_round_count;
    size_t waiting_from, waiting_end; /* cells outside wait for no path check (path_proof.h) */
    struct mgc_arm_order *orders;     /* owned; a row per workload that has benchmarks */
    size_t order_count;
    bool several_backends;               /* cells on the phone have more than one */
    struct mgc_bracket_result *brackets; /* owned; one per BRACKET cell, in plan order */
    size_t bracket_count;
    int64_t replaced;              /* cells that went again since they were void */
    struct mgc_host_record *hosts; /* owned */
    size_t host_count;
    struct mgc_fields device; /* facts of host.device; "model" says "lab phone" on the lab */
    struct mgc_fields setup;  /* facts of the setup's other steps: "app-1.apk_sha256" */
    struct mgc_verdict path_before, path_after; /* the path checks of setup and close */
    struct mgc_fields route;                    /* facts of wsl.route */
    char **notes; /* owned: things the reader must know (failed undo, lost worker) */
    size_t note_count;
    bool interrupted;
    char *stopped_reason; /* owned; NULL: ran to its end */
    int64_t start_wall_ns, end_wall_ns;
    char *tool_build;    /* owned */
    size_t resumes;      /* how often the run was taken up again */
    bool unfinished;     /* read back from a run that did not come to its end */
    bool frames_reduced; /* traces with fewer frames than the workload's own (settings.h) */
    struct mgc_result_setting *settings; /* owned; by key: what shapes the numbers (settings.h) */
    size_t setting_count;
    struct mgc_put_back *put_back; /* owned */
    size_t put_back_count;
    json_t *gate; /* owned: what the regression gate said at the end (confirm.h); NULL: not asked */
};

bool mgc_results_init(
    struct mgc_results *results, const struct mgc_plan *plan, struct mgc_error *err);
void mgc_results_destroy(struct mgc_results *results); /* takes NULL and zeroed */
bool mgc_results_note(struct mgc_results *results, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The run ended before that cell's turn; says why. */
void mgc_results_not_begun(const struct mgc_results *results, struct mgc_cell_result *cell);
/* Keep what a setup step found out that is true for the whole run; device, route and path check
 * have places of their own. */
void mgc_results_keep_setup(struct mgc_results *results, const struct mgc_step *step,
    const struct mgc_step_outcome *outcome);

/* The rule of the plan that leaves this cell out, given what the first round took: the time of the
 * app's run (metric app_s, else total_seconds) of a measured cell of that workload was above the
 * rule's limit and this cell's round is one too many. NULL: it is to be measured. `ret_cause` is
 * the cell that was slow. */
const struct mgc_shorten *mgc_results_left_out(const struct mgc_results *results,
    const struct mgc_cell *cell, const struct mgc_cell_result **ret_cause);
/* NULL for a cell that has no row: none of the plan's that are measured, or dropped (confirm.h). */
struct mgc_cell_result *mgc_results_find(
    const struct mgc_results *results, const struct mgc_cell *cell);
/* NULL for a cell that is no bracket of the plan. */
struct mgc_bracket_result *mgc_results_bracket(
    const struct mgc_results *results, const struct mgc_cell *cell);
/* The bracket before or after the block of that cell; NULL: it is in none. */
struct mgc_bracket_result *mgc_results_look(
    const struct mgc_results *results, const struct mgc_cell *cell, bool after);

/* False for a plan that measures on the phone only; otherwise results count only when the path to
 * the phone was good, before and after. */
bool mgc_plan_checks_path(const struct mgc_plan *plan);
/* The build that the cell needs is not on the phone, as far as the setup told. */
bool mgc_results_build_is_missing(const struct mgc_results *results, const struct mgc_cell *cell);
/* True when the setup found that the phone has not the build of this cell, which the plan can do
 * without; its verdict says so. */
bool mgc_results_lacks_build(const struct mgc_results *results, struct mgc_cell_result *result);

/* 0 all measured (or left out by a rule of the plan or as its budget of time wants it, left_out.h),
 * path, where it is checked, end to end before and after; 1 all that, but a gate of the plan failed
 * (reasons.h) or the regression gate found a regression (confirm.h); 3 some other cell failed,
 * invalid, skipped or incomplete, there was none, the run was stopped, or the path was bad or
 * unchecked; 4 interrupted (docs/results.md). */
int mgc_results_exit_code(const struct mgc_results *results);

#endif
