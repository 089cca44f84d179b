/* Carries out a plan: binds the bus, runs the scheduler, stores and judges every attempt, and
 * leaves the merged result and its report in the run directory.
 *
 * One thread; returns when the run is over.
 */
#ifndef MGC_SESSION_SESSION_H
#define MGC_SESSION_SESSION_H

#include "common/base/error.h"
#include "common/plat/stop.h"
#include "coordinator/merge/results.h"
#include "coordinator/plan/site.h"
#include "coordinator/progress/status.h"

struct mgc_resume;

struct mgc_session_config {
    const struct mgc_site *site; /* borrowed, as everything here */
    const struct mgc_plan *plan;
    struct mgc_resume *resume; /* NULL: a new run; its directory is taken over */
    struct mgc_stop *stop;     /* Ctrl-C: the first asks for an orderly end */
    /* What happens now and how far it is; may be NULL. event NULL: only time has passed, once a
     * second. */
    void (*progress)(void *user, const struct mgc_progress *event, const struct mgc_status *status);
    void *user;
};

/* False: nothing was run and why (busy port or results root, keys, disk), or a resumed run turned
 * out to measure something else (MGC_E_CONFIG), and can be resumed as before. True: *ret_results is
 * the caller's to destroy, whatever the verdicts are, and ret_dir is the run directory, where
 * run.json, summary.json and REPORT.md stand; err is then MGC_OK, or says which of the files could
 * not be written. */
bool mgc_session_run(const struct mgc_session_config *config, struct mgc_results *ret_results,
    char *ret_dir, size_t dir_size, struct mgc_error *err);

#endif
