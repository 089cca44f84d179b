/* Is a run that is to be resumed still the same run? What its run.json says of settings, plan and
 * build, held against the present. Pure; every difference is one sentence with the key, both values
 * and where they come from. What may differ is a property of the schema (may_differ). */
#ifndef MGC_SESSION_MATCH_H
#define MGC_SESSION_MATCH_H

#include "common/json/json.h"
#include "coordinator/plan/problems.h"

/* `record` is run.json, `present` what this process would write there now; both borrowed. Settings
 * of lanes that the run has no cells of are left alone. */
void mgc_match_records(const json_t *record, const json_t *present, struct mgc_problems *problems);

#endif
