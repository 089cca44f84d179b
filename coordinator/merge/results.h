/* The merged result of a run: every cell once, with its final verdict, plus what was true for the
 * whole run. report/ turns it into files; nothing here prints.
 */
#ifndef MGC_MERGE_RESULTS_H
#define MGC_MERGE_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "coordinator/plan/plan.h"
#include "coordinator/verify/verdict.h"

struct mgc_cell_result {
    const struct mgc_cell *cell; /* borrowed from the plan */
    int attempts;                /* made; 0 when it never began */
    char *dir;                   /* relative to the run directory; owned; NULL when none */
    struct mgc_verdict verdict;  /* of the final attempt */
    struct mgc_release release;
    int64_t start_wall_ns, end_wall_ns; /* labels */
    int64_t duration_ns;
    bool path_proved; /* a path check after it was good */
};

struct mgc_host_record {                             /* a worker as it presented itself */
    char *name, *role, *host, *os, *build, *boot_id; /* owned */
    bool clock_known;
    int64_t offset_ns, uncertainty_ns; /* its mono clock minus ours, at the end */
    int64_t sessions;                  /* 1 when it never had to rejoin */
};

struct mgc_results {
    const struct mgc_plan *plan;   /* borrowed */
    struct mgc_cell_result *cells; /* owned; one per MEASURE cell of the plan, in plan order */
    size_t count;
    struct mgc_host_record *hosts; /* owned */
    size_t host_count;
    struct mgc_fields device; /* facts of host.device; "model" says "lab phone" on the lab */
    struct mgc_verdict path_before, path_after; /* the two path checks */
    struct mgc_fields route;                    /* facts of wsl.route */
    char **notes; /* owned: things the reader must know (failed undo, lost worker) */
    size_t note_count;
    bool interrupted;
    char *stopped_reason; /* owned; NULL: ran to its end */
    int64_t start_wall_ns, end_wall_ns;
    char *tool_build;    /* owned */
    bool unfinished;     /* read back from a run that did not come to its end */
    bool frames_reduced; /* fixtures with fewer frames than the workload's own */
};

bool mgc_results_init(
    struct mgc_results *results, const struct mgc_plan *plan, struct mgc_error *err);
void mgc_results_destroy(struct mgc_results *results); /* takes NULL and zeroed */
bool mgc_results_note(struct mgc_results *results, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct mgc_cell_result *mgc_results_find(struct mgc_results *results, const struct mgc_cell *cell);

/* Traces with fewer frames than the workload's own are used. */
bool mgc_plan_frames_reduced(const struct mgc_plan *plan);

/* 0 all measured, path end to end before and after; 3 some cell failed, invalid, skipped or
 * incomplete, there was none, the run was stopped, or the path was bad or unchecked; 4 interrupted
 * (docs/results.md). */
int mgc_results_exit_code(const struct mgc_results *results);

#endif
