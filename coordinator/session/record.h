/* The files of a run directory that are written once: run.json, plan.yaml, site.yaml,
 * the report's files. Internal to session/. */
#ifndef MGC_SESSION_RECORD_H
#define MGC_SESSION_RECORD_H

#include "common/base/error.h"
#include "coordinator/merge/results.h"
#include "coordinator/plan/site.h"
#include "coordinator/store/run_dir.h"

/* At the start, so that a run that is killed still says what it was. */
bool mgc_record_start(const struct mgc_run_dir *dir, const struct mgc_site *site,
    const struct mgc_plan *plan, struct mgc_error *err);
/* At the end, whatever the end was. */
bool mgc_record_end(
    const struct mgc_run_dir *dir, const struct mgc_results *results, struct mgc_error *err);

#endif
