/* The nights before a run, as the values that coordinator/stats/ judges by.
 */
#ifndef MGC_HISTORY_PAST_H
#define MGC_HISTORY_PAST_H

#include "coordinator/history/arm.h"
#include "coordinator/stats/noise_floor.h"

enum { MGC_PAST_NIGHTS = 40 }; /* of each arm, the newest */

struct mgc_past {                    /* runs on one device, oldest first */
    struct mgc_history_run *runs;    /* owned */
    struct mgc_history_cells *cells; /* owned; one per run, regular rounds only */
    size_t count;
};

/* The runs that began before `run` on its device, back to where each arm that `tonight` (the cells
 * that are judged) measured has MGC_PAST_NIGHTS nights with its settings. `run` and `other` (may be
 * NULL) are not among them. None without an error: its device is not known, or it
 * has no time. */
bool mgc_past_load(struct mgc_history *history, const struct mgc_history_run *run,
    const struct mgc_history_run *other, const struct mgc_history_cells *tonight,
    struct mgc_past *ret_past, struct mgc_error *err);
void mgc_past_destroy(struct mgc_past *past); /* takes NULL and zeroed */

/* One arm's nights with tonight's settings, over tonight's link: everything that decides whether
 * numbers may be held against each other (coordinator/stats/comparable.h) but the builds. */
struct mgc_arm_past {
    struct mgc_night_rounds *nights; /* owned, with what they point to; oldest first */
    size_t count;
    size_t left_out; /* nights that measured it with other settings or over another link, or may
                      * have */
    char why[256];   /* of the newest of these: the first fact */
    bool newest_left_out; /* the newest night that measured it is one of these */
    bool other_link;      /* and that since it was over another link */
};

/* As it was measured in `tonight`; where it was not, no night is like it. False: no memory. */
bool mgc_arm_past_make(const struct mgc_past *past, const struct mgc_arm_key *key,
    const struct mgc_history_cells *tonight, struct mgc_arm_past *ret_past);
void mgc_arm_past_destroy(struct mgc_arm_past *past); /* takes NULL and zeroed */

/* A measured cell of the arm that can stand for it; NULL: none. */
const struct mgc_history_cell *mgc_arm_sample(
    const struct mgc_arm_key *key, const struct mgc_history_cells *cells);

/* The arm's rounds in one run, as natural logs of frames per second; `confirm`: the confirming
 * ones. Of a run in which an arm's cells have several builds `inputs` is NULL. False: no memory.
 * mgc_night_rounds_free. */
bool mgc_arm_rounds(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    bool confirm, struct mgc_night_rounds *ret_rounds);
void mgc_night_rounds_free(struct mgc_night_rounds *rounds);

#endif
