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
    bool finished;    /* the run came to its end: summary.json is there */
    bool old_layout;  /* written by the old script */
    json_t *left_out; /* owned: what the plan left out, as the run told it; NULL: nothing */
};

/* NULL: MGC_E_NOT_FOUND when it is no run's directory, MGC_E_PROTOCOL when run.json cannot be read.
 * A cell whose files cannot be read is incomplete, and a note says why. */
struct mgc_restored *mgc_restore(const char *dir, struct mgc_error *err);
/* The caller knows that this run is on: what has no end yet is not told as one. */
void mgc_restored_is_on(struct mgc_restored *restored);
void mgc_restored_free(struct mgc_restored *restored); /* takes NULL */

enum { MGC_RESTORE_ATTEMPTS_MAX = 10000 }; /* a higher number was not written by us */

/* In the directory of an attempt that is made for the sake of another cell, with that one's id,
 * until its verdict.json says so. */
#define MGC_SAKE_FILE "for_the_sake_of.txt"

/* The attempts of a cell. Those that were made for the sake of another cell (replacement.h) have
 * numbers of the same row, but are not its own: nothing of them is its result. */
struct mgc_tries {
    int last;         /* the highest number below attempts/ */
    int own;          /* the last of its own, 0: none */
    int made;         /* of its own; numbers that are not there any more were such */
    int failed;       /* of its own below attempts/, by the infrastructure */
    int64_t replaced; /* how often it had gone again since it was void, as they say themselves */
};
/* `settled`: the number of the one that stands at RUN/CELL-ID; 0: none does. Reads only. */
void mgc_restore_tries(
    const char *dir, const char *cell_id, int settled, struct mgc_tries *ret_tries);

#endif
