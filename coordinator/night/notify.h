/* The plan's notification command: run once when a run is over, whatever came of it, and when it
 * could not begin. What becomes of the command never changes what becomes of the run.
 */
#ifndef MGC_NIGHT_NOTIFY_H
#define MGC_NIGHT_NOTIFY_H

#include "common/base/error.h"
#include "coordinator/plan/settings.h"

struct mgc_notification { /* borrowed for the call */
    const char *run_id;
    const char *dir;     /* the run's; NULL: it left none */
    const char *report;  /* REPORT.md; NULL: there is none */
    const char *summary; /* one sentence */
    int exit_code;
};

/* Run the setting `notify`, if there is one, and wait for it for `notify_timeout`; then its whole
 * group is ended. Blocks. Output goes to DIR/notify.log, without a directory to our own streams.
 *
 * Environment: ours without TOKEN, with MGC_RUN_ID, MGC_RUN_DIR, MGC_EXIT, MGC_SUMMARY, MGC_REPORT;
 * all of them always set, empty where there is no such thing.
 *
 * False: it did not end with exit code 0 in time, or could not be started, and notify.log says so,
 * too. */
bool mgc_notify(const struct mgc_settings *settings, const struct mgc_notification *notification,
    struct mgc_error *err);

/* Could it be started? A program by an absolute path has to be there. */
bool mgc_notify_check(const struct mgc_settings *settings, struct mgc_error *err);

#endif
