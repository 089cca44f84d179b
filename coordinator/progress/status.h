/* How far a run is, as one short record: what the status line on a terminal and `mgcoord watch`
 * are made of. Pure.
 */
#ifndef MGC_PROGRESS_STATUS_H
#define MGC_PROGRESS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/json/json.h"

struct mgc_status {
    size_t index, cells; /* the cell to measure, from 1, of how many; index 0: none of them */
    char cell[128];      /* id of the cell, setup and close too; empty: between two of them */
    int attempt;         /* 0: none */
    char phase[96];      /* "server: ready", "barrier", "replay", "collecting logcat" */
    int64_t cell_ns;     /* since the attempt began; -1: there is none */
    int64_t run_ns;      /* since the run began */
    int64_t left_ns;     /* estimate until all cells are done; -1: unknown */
};

/* One line without its end, of fewer than `columns` characters, so that a terminal never folds it;
 * what matters least is left out first. 0: as long as it gets. */
void mgc_status_line(const struct mgc_status *status, int columns, struct mgc_buf *out);

/* New reference; NULL without memory. */
json_t *mgc_status_to_json(const struct mgc_status *status);
/* False: it is no status; what is missing is as in an empty one. */
bool mgc_status_from_json(const json_t *json, struct mgc_status *ret_status);

#endif
