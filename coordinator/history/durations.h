/* How long cells took in earlier runs on a device, for the estimates of a plan. */
#ifndef MGC_HISTORY_DURATIONS_H
#define MGC_HISTORY_DURATIONS_H

#include "coordinator/history/history.h"
#include "coordinator/plan/estimate.h"

/* Hand the estimates what measured cells took on the phone with that serial, the newest first, and
 * how long setup and end took in runs of the same plan. A phone whose serial is an address (adb
 * over the network) has its own in the history: then the history's only device is taken for it.
 * Nothing known is no error. */
bool mgc_history_durations(struct mgc_history *history, const char *serial,
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_error *err);

/* The same of RESULTS/mgcoord.db; a history that is not there is no error either. */
bool mgc_history_durations_of(const char *results_root, const char *serial,
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_error *err);

#endif
