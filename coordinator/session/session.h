/* Carries out a plan: binds the bus, runs the scheduler, stores and judges every attempt, and
 * leaves the merged result and its report in the run directory.
 *
 * With several phones it does so for all of them side by side: each has a plan, a scheduler, a
 * directory and a report of its own, RUN/phones/NAME/, and they share process, bus and workers. A
 * phone that fails ends alone.
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
#include "coordinator/store/run_dir.h"

struct mgc_resume;

struct mgc_session_phone { /* borrowed, as everything here */
    const struct mgc_site *site;
    const struct mgc_plan *plan;
    struct mgc_resume *resume; /* NULL: it is measured anew */
    /* Of a run that is resumed, when nothing is left to do with this phone: what was restored. Only
     * for what is told of all phones; its run is not taken up. NULL otherwise. */
    const struct mgc_results *done;
};

struct mgc_session_config {
    const struct mgc_session_phone
        *phones; /* one; or those that have names, of one site and plan */
    size_t phone_count;
    struct mgc_run_dir *dir; /* of a run that is resumed: open, taken over; NULL: a new run */
    struct mgc_stop *stop;   /* Ctrl-C: the first asks for an orderly end */
    /* What happens now, to which phone (NULL: to all, or the only one), and how far all are; may be
     * NULL. event NULL: only time has passed, once a second. */
    void (*progress)(void *user, const char *phone, const struct mgc_progress *event,
        const struct mgc_status *status);
    void *user;
};

/* What became of one phone. */
struct mgc_session_result {
    bool has_results; /* false: its run was refused when it began again (MGC_E_CONFIG), or done */
    struct mgc_results results;
    char dir[MGC_PATH_MAX]; /* run.json, summary.json and REPORT.md stand there */
    struct mgc_error error; /* MGC_OK; or which of the files could not be written; or the refusal */
};
void mgc_session_result_destroy(struct mgc_session_result *result); /* takes zeroed */

/* False: nothing was run and why (busy port or results root, keys, disk), and there are no results.
 * True: `ret` has one per phone, the caller's to destroy, whatever the verdicts are, and ret_dir is
 * the run directory; err is then MGC_OK, or says what of the run as a whole could not be written.
 */
bool mgc_session_run(const struct mgc_session_config *config, struct mgc_session_result *ret,
    char *ret_dir, size_t dir_size, struct mgc_error *err);

#endif
