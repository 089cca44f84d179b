/* The heartbeat: one small file that says what the last run did and when it last gave a sign of
 * life, for a check from outside that has to notice a night that never ran, hangs, or failed.
 *
 * Its times are wall clock in ns since 1970: whoever checks has no other clock in common with the
 * run. One thread per file.
 */
#ifndef MGC_NIGHT_HEARTBEAT_H
#define MGC_NIGHT_HEARTBEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "coordinator/plan/site.h"

enum {
    MGC_HEARTBEAT_PERIOD_MS = 30 * 1000, /* written at least this often while a run is on */
    MGC_HEARTBEAT_SILENCE_MS =
        5 * 60 * 1000 /* a run that was silent for longer hangs, or is gone */
};

enum mgc_heartbeat_state {
    MGC_HEARTBEAT_RUNNING,
    MGC_HEARTBEAT_DONE, /* it came to its end, well or not: see the exit code */
    MGC_HEARTBEAT_INTERRUPTED,
};

struct mgc_heartbeat {
    enum mgc_heartbeat_state state;
    char run_id[128], plan[64];
    char dir[MGC_PATH_MAX]; /* of the run */
    size_t index, cells;    /* the cell that is measured, from 1, of how many; 0: none of them */
    char cell[128];         /* what is on, setup and close too; empty: nothing */
    int64_t start_wall_ns, updated_wall_ns;
    int exit_code;     /* of a run that is over */
    char summary[512]; /* the same: one sentence */
};

/* Where this plan's runs have it: the setting `heartbeat`, else RESULTS/heartbeat.json. False: too
 * long. */
bool mgc_heartbeat_path(const struct mgc_site *site, char ret_path[MGC_PATH_MAX]);

/* Whole or not at all; readers see the old one or the new one. */
bool mgc_heartbeat_write(
    const char *path, const struct mgc_heartbeat *heartbeat, struct mgc_error *err);
/* MGC_E_NOT_FOUND: there is none; MGC_E_PROTOCOL: it is none of ours, or damaged. */
bool mgc_heartbeat_read(const char *path, struct mgc_heartbeat *ret, struct mgc_error *err);
/* Pure. */
bool mgc_heartbeat_parse(
    const void *data, size_t len, struct mgc_heartbeat *ret, struct mgc_error *err);

/* Is all well? The last run ended with exit code 0 and no longer than max_age_ms ago, or one is on,
 * not for longer than that, and said so within MGC_HEARTBEAT_SILENCE_MS. `plan`: it has to be a run
 * of that plan; NULL: of any. Appends one sentence that says what is so, without a line end. Pure.
 */
bool mgc_heartbeat_judge(const struct mgc_heartbeat *heartbeat, const char *plan,
    int64_t now_wall_ns, int64_t max_age_ms, struct mgc_buf *out);

#endif
