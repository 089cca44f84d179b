/* What workers answered in a run that is on disk: of each step its facts, its "ready" and its
 * files, so that a run in this process can be given the same answers. Written once, then only read.
 */
#ifndef MGC_BENCH_LIB_RECORDED_H
#define MGC_BENCH_LIB_RECORDED_H

#include "common/base/error.h"
#include "common/base/path.h"
#include "common/wire/msg.h"
#include "coordinator/plan/plan.h"

struct mgc_recorded_step {
    char *id;                /* owned, as all here */
    struct mgc_fields ready; /* of its "ready" */
    struct mgc_fields facts; /* of its result */
    int64_t undo_done;
    struct mgc_artifact *artifacts; /* of its result; the files are in the cell's directory */
    size_t artifact_count;
};

struct mgc_recorded_cell {
    struct mgc_cell cell;   /* kind, lane, workload, arm, mode, backend, after; nothing else */
    char dir[MGC_PATH_MAX]; /* of the copies */
    struct mgc_recorded_step *steps;
    size_t step_count;
};

struct mgc_recorded {
    struct mgc_recorded_cell *cells;
    size_t count;
};

/* Of a finished run's directory; its files are copied below files_dir, which is made, so that they
 * can be linked from there. */
bool mgc_recorded_load(
    struct mgc_recorded *recorded, const char *dir, const char *files_dir, struct mgc_error *err);
void mgc_recorded_destroy(struct mgc_recorded *recorded); /* takes NULL and zeroed */

/* What was recorded of a cell like that one, whatever its round, and of its step; NULL: nothing. */
const struct mgc_recorded_cell *mgc_recorded_cell(
    const struct mgc_recorded *recorded, const struct mgc_cell *cell);
const struct mgc_recorded_step *mgc_recorded_step(
    const struct mgc_recorded_cell *cell, const char *step_id);

#endif
