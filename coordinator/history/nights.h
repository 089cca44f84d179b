/* One arm over time: what each run measured of it, and whether anything but time changed since the
 * run before.
 */
#ifndef MGC_HISTORY_NIGHTS_H
#define MGC_HISTORY_NIGHTS_H

#include "coordinator/history/arm.h"
#include "coordinator/history/run_gate.h"

/* Against the run before in the group that measured it, by coordinator/stats/comparable.h: trace,
 * builds, settings, device, clocks; and by night_link.h: the link of what crosses hosts. */
enum mgc_inputs {
    MGC_INPUTS_FIRST, /* none before it among those that were looked at */
    MGC_INPUTS_UNCHANGED,
    MGC_INPUTS_CHANGED,
    MGC_INPUTS_UNKNOWN, /* nothing is known to differ, but a fact is absent */
    MGC_INPUTS_MIXED,   /* the run's own cells differ among themselves, or may */
    MGC_INPUTS_NONE,    /* nothing was measured */
};
const char *mgc_inputs_name(enum mgc_inputs inputs); /* "first", "unchanged" ... */

enum { MGC_INPUTS_WHY_MAX = 256 };

struct mgc_night {
    const struct mgc_history_run *run; /* borrowed from the list */
    struct mgc_arm_numbers numbers;
    const struct mgc_history_cell *sample; /* of the measured ones, for its facts; NULL: none */
    struct mgc_link_look link;             /* median over these; NAN: not tested */
    enum mgc_inputs inputs;
    char why[MGC_INPUTS_WHY_MAX]; /* of CHANGED, UNKNOWN, MIXED: the first fact */
};

struct mgc_arm_history {
    const struct mgc_history_run *device; /* its serial, model, fingerprint, lab */
    struct mgc_arm_key key;               /* borrowed from the list's cells */
    struct mgc_night *nights;             /* owned; oldest first */
    size_t count;
};

struct mgc_nights {
    struct mgc_history_run *runs;    /* owned */
    struct mgc_history_cells *cells; /* owned; one per run */
    size_t run_count;
    struct mgc_arm_history *arms; /* owned; by device, in the plan's order */
    size_t arm_count;
    struct mgc_run_gate *gates; /* owned; of each run that is the newest of some arm */
    size_t gate_count;
};

/* filter->last runs of each arm; the one before is looked at for its facts. */
bool mgc_nights_load(struct mgc_history *history, const struct mgc_history_filter *filter,
    struct mgc_nights *ret_nights, struct mgc_error *err);
/* What the gate says of each arm's newest night; without this call there are no gates. */
bool mgc_nights_judge(
    struct mgc_history *history, struct mgc_nights *nights, struct mgc_error *err);
/* The newest night's answer; NULL: not judged. */
const struct mgc_run_gate_arm *mgc_nights_gate(
    const struct mgc_nights *nights, const struct mgc_arm_history *arm);
void mgc_nights_destroy(struct mgc_nights *nights); /* takes NULL and zeroed */

/* The same device, or neither is known: known by all of serial, model and fingerprint. */
bool mgc_history_same_device(const struct mgc_history_run *a, const struct mgc_history_run *b);

#endif
