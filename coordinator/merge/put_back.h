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
    int64_t done, int64_t failed, const char *text);

/* Is anything left that was not put back, or not known to be? */
bool mgc_results_left_behind(const struct mgc_results *results);

/* "route (wsl.route), server (host.server) 8 times"; empty: nothing was put back. */
void mgc_results_put_back_text(const struct mgc_results *results, struct mgc_buf *out);

#endif
