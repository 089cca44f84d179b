/* What the steps of a run changed and put back again, as their workers reported it at the steps'
 * ends: routes, servers, settings of the phone. Not thread-safe, as mgc_results. */
#ifndef MGC_MERGE_PUT_BACK_H
#define MGC_MERGE_PUT_BACK_H

#include "coordinator/merge/results.h"

/* One step has ended; of steps with the same id and kind the numbers are added up. A holding step
 * of the setup makes a row in any case, another one only when it changed something. */
void mgc_results_put_back(struct mgc_results *results, const struct mgc_step *step,
    const struct mgc_step_outcome *outcome, bool held);
/* As before, from numbers; text may be NULL. */
void mgc_results_put_back_row(struct mgc_results *results, const char *step, const char *kind,
    int64_t done, int64_t failed, bool on_rejoin, const char *text);

/* All workers of that role ("host") are there, and said when they joined last that nothing is left
 * to undo: what was not known of their steps since they were lost has been put back. A worker
 * undoes what it left before it joins again. */
void mgc_results_put_back_on_rejoin(struct mgc_results *results, const char *role);

/* Is anything left that was not put back, or not known to be? */
bool mgc_results_left_behind(const struct mgc_results *results);

/* "route (wsl.route), server (host.server) 8 times"; what only an on_rejoin row says is added:
 * "by its worker when it joined again". Empty: nothing was put back. */
void mgc_results_put_back_text(const struct mgc_results *results, struct mgc_buf *out);

#endif
