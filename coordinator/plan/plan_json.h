/* Plan and settings as JSON, for run.json. Secrets are left out; their names are listed. */
#ifndef MGC_PLAN_PLAN_JSON_H
#define MGC_PLAN_PLAN_JSON_H

#include "common/json/json.h"
#include "coordinator/plan/plan.h"
#include "coordinator/plan/settings.h"

/* New references, NULL only when memory runs out. */
json_t *mgc_plan_to_json(const struct mgc_plan *plan);
/* {"phone.port": {"value": 40613, "source": "site.yaml:12"}, ...}; durations in ms. */
json_t *mgc_settings_to_json(const struct mgc_settings *settings);

#endif
