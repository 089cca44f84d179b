/* A run's results from its directory: what is stored, not what somebody remembers. Works as well on
 * a run that was killed (cells without a verdict are incomplete, and the results say so) and on a
 * directory that the old crosshost_accept.sh wrote.
 *
 * Values read back are as exact as the JSON files have them; strings are owned.
 */
#ifndef MGC_RESTORE_RESTORE_H
#define MGC_RESTORE_RESTORE_H

#include "common/base/error.h"
#include "coordinator/merge/results.h"

struct mgc_restored {
    struct mgc_plan plan; /* of steps only what judging needs; not to be run */
    struct mgc_results results;
    bool finished;   /* the run came to its end: summary.json is there */
    bool old_layout; /* written by the old script */
};

/* NULL: MGC_E_NOT_FOUND when it is no run's directory, MGC_E_PROTOCOL when run.json cannot be read.
 * A cell whose files cannot be read is incomplete, and a note says why. */
struct mgc_restored *mgc_restore(const char *dir, struct mgc_error *err);
/* The caller knows that this run is on: what has no end yet is not told as one. */
void mgc_restored_is_on(struct mgc_restored *restored);
void mgc_restored_free(struct mgc_restored *restored); /* takes NULL */

#endif
