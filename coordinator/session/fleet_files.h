/* The files of a run on several phones itself, beside the phones' directories. Internal to
 * session/.
 *
 *   RUN/run.json          which phones, and which plan: what `report` and `--resume` begin with
 *   RUN/phones/NAME/      a run's directory each
 *   RUN/summary.json, REPORT.md, junit.xml   at the end
 */
#ifndef MGC_SESSION_FLEET_FILES_H
#define MGC_SESSION_FLEET_FILES_H

#include "coordinator/report/fleet.h"
#include "coordinator/session/session_private.h"

/* The phones' first files are there. */
bool mgc_fleet_files_begin(struct fleet *fleet, struct mgc_error *err);
bool mgc_fleet_files_end(struct fleet *fleet, struct mgc_error *err);

/* Rows of all phones as they are now. NULL: no memory; free() them. */
struct mgc_fleet_row *mgc_fleet_rows(
    const struct fleet *fleet, struct mgc_fleet_report *ret_report);

#endif
