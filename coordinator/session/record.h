/* The files of a run directory itself: run.json, plan.yaml, site.yaml, state.json, the
 * report's files. Every one is written whole or not at all. Internal to session/. */
#ifndef MGC_SESSION_RECORD_H
#define MGC_SESSION_RECORD_H

#include "common/base/error.h"
#include "common/json/json.h"
#include "coordinator/merge/results.h"
#include "coordinator/plan/site.h"
#include "coordinator/store/run_dir.h"

/* What run.json says of a run that begins now: build and host of the coordinator, plan, settings. A
 * new reference; NULL only when memory runs out. */
json_t *mgc_record_new(const struct mgc_site *site, const struct mgc_plan *plan);
bool mgc_record_write(const struct mgc_run_dir *dir, const json_t *record, struct mgc_error *err);
/* At the start, so that a run that is killed still says what it was. */
bool mgc_record_start(const struct mgc_run_dir *dir, const struct mgc_site *site,
    const json_t *record, struct mgc_error *err);
/* Now and then: what only memory would know when the run is killed (notes, what was put back). */
bool mgc_record_state(
    const struct mgc_run_dir *dir, const struct mgc_results *results, struct mgc_error *err);
/* A run is resumed: `record` says so from now on, with how many of its cells are kept, and what an
 * earlier session wrote at its end gets other names ("summary.before-1.json"). */
bool mgc_record_resume(const struct mgc_run_dir *dir, json_t *record, size_t kept, size_t cells,
    struct mgc_error *err);
/* It was refused after all, and why: the files have their names again. */
void mgc_record_refuse(const struct mgc_run_dir *dir, json_t *record, const char *why);
/* At the end, whatever the end was. */
bool mgc_record_end(
    const struct mgc_run_dir *dir, const struct mgc_results *results, struct mgc_error *err);

#endif
