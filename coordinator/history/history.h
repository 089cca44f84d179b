/* What was measured so far, on which device, with which builds: one SQLite file beside the runs,
 * RESULTS/mgcoord.db. The run directories stay the truth; the file can be made again from them.
 * Nothing outside this folder includes sqlite3.h.
 *
 * One thread per open history; any number of processes on one file. Strings are owned by the
 * struct that has them, and NULL where something is not known. Times are wall clock, in ns since
 * 1970, and labels only; 0: not known.
 */
#ifndef MGC_HISTORY_HISTORY_H
#define MGC_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/link_look.h"
#include "coordinator/stats/comparable.h"

#define MGC_HISTORY_FILE      "mgcoord.db" /* in the results root */
#define MGC_HISTORY_IN_MEMORY ":memory:"

struct mgc_history;

enum mgc_history_access {
    MGC_HISTORY_READ,  /* the file has to be there */
    MGC_HISTORY_WRITE, /* it is made when there is none, and looked through for damage */
};

/* Open, and bring an older file to this build's schema. NULL: MGC_E_NOT_FOUND (no file, READ),
 * MGC_E_INTEGRITY (damaged), MGC_E_VERSION (a newer mgcoord's), MGC_E_CONFIG (some other program's
 * database), MGC_E_BUSY (somebody else has written to it for 10 s), MGC_E_NO_SPACE, MGC_E_DENIED,
 * MGC_E_IO. The file is then as it was. */
struct mgc_history *mgc_history_open(
    const char *path, enum mgc_history_access access, struct mgc_error *err);
void mgc_history_close(struct mgc_history *history); /* takes NULL */

/* ---- writing -------------------------------------------------------------------------------- */

enum mgc_history_origin {
    MGC_ORIGIN_RUN,    /* written by the run itself, at its end */
    MGC_ORIGIN_IMPORT, /* read back from its directory */
    MGC_ORIGIN_OLD,    /* read back from a directory of the old scripts */
};
const char *mgc_history_origin_name(enum mgc_history_origin origin); /* "run", "import", "old" */

/* Keep a run with all its cells, or nothing at all, also on a kill or a power cut. The same run
 * again is one run: what it wrote itself stands, what was read back is replaced. A run of the old
 * scripts has no id of its own; it gets one made of what was measured. *ret_new (may be NULL):
 * false when there was one already that stands. Errors as mgc_history_open. */
bool mgc_history_record(struct mgc_history *history, const struct mgc_results *results,
    const char *dir, enum mgc_history_origin origin, bool *ret_new, struct mgc_error *err);

/* A damaged file is put aside under another name in the same directory, *ret_path, together with
 * its journal; a new one can then be begun. MGC_E_BUSY: another process is at it;
 * MGC_E_EXISTS: it is not damaged (any more). */
bool mgc_history_put_aside(const char *path, char ret_path[MGC_PATH_MAX], struct mgc_error *err);

/* Open for writing; a damaged file is put aside first, and `ret_note` says so in one sentence (else
 * it is empty). */
struct mgc_history *mgc_history_open_or_renew(
    const char *path, char ret_note[MGC_ERROR_TEXT_MAX], struct mgc_error *err);

/* The end of a run: all of the above. False: it is not in the history, and why; nothing else is
 * the worse for it. */
bool mgc_history_keep(const char *results_root, const struct mgc_results *results, const char *dir,
    char ret_note[MGC_ERROR_TEXT_MAX], struct mgc_error *err);

/* ---- reading -------------------------------------------------------------------------------- */

struct mgc_history_run {
    int64_t id; /* in the file */
    char *run_id, *plan, *dir, *origin, *tool_build;
    char *serial, *model, *fingerprint; /* NULL, all three: the device is not known */
    bool lab;                           /* the lab's phone: says nothing about a real one */
    bool ended;                         /* it came to its end, or was stopped in order */
    bool frames_reduced;
    int64_t start_wall_ns;
};
void mgc_history_run_destroy(struct mgc_history_run *run); /* takes NULL and zeroed */

struct mgc_history_filter {              /* zeroed: everything */
    const char *device, *workload, *arm; /* device: serial, or model */
    size_t last;                         /* the newest runs of each arm on each device; 0: all */
    int64_t before_wall_ns;              /* only runs that began earlier; 0: all */
    bool confirm;                        /* of cells: those that confirm, too */
};
/* Runs with a benchmark cell of that kind, by device, oldest first: all that are among the `last`
 * of any arm. mgc_history_runs_free. */
bool mgc_history_runs(struct mgc_history *history, const struct mgc_history_filter *filter,
    struct mgc_history_run **ret_runs, size_t *ret_count, struct mgc_error *err);
void mgc_history_runs_free(struct mgc_history_run *runs, size_t count);

/* A run by its id, or "last", "last-1", ... by the time of its start. MGC_E_NOT_FOUND. */
bool mgc_history_find(struct mgc_history *history, const char *name,
    struct mgc_history_run *ret_run, struct mgc_error *err);

/* The run of a history that holds one. */
bool mgc_history_only(
    struct mgc_history *history, struct mgc_history_run *ret_run, struct mgc_error *err);

/* What is looked at over time: mean ms per frame after the workload's skip window, the same for
 * cells on the phone and across hosts, and what a run's own comparisons look at. A cell whose
 * verdict has none has no value. */
#define MGC_HISTORY_METRIC MGC_COMPARED_METRIC

/* A benchmark cell. */
struct mgc_history_cell {
    char *id, *lane, *workload, *arm, *backend, *verdict, *reason;
    int64_t rep;
    bool measured;
    bool confirm; /* run again because the gate had flagged its arm; no regular round */
    double value; /* of MGC_HISTORY_METRIC; NAN when there is none */
    struct mgc_cell_facts facts; /* for coordinator/stats/comparable.h; texts below */
    char *texts[MGC_FACT_COUNT];
    struct mgc_link_look link; /* around it; NAN: not tested, or it does not cross hosts */
};
struct mgc_history_cells {
    struct mgc_history_cell *items; /* owned */
    size_t count;
};
/* In the order of the plan; filter->device, last and before_wall_ns do not matter here. */
bool mgc_history_cells(struct mgc_history *history, const struct mgc_history_run *run,
    const struct mgc_history_filter *filter, struct mgc_history_cells *ret_cells,
    struct mgc_error *err);
void mgc_history_cells_destroy(struct mgc_history_cells *cells); /* takes NULL and zeroed */

#endif
