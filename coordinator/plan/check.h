/* What no single row of the schema can see: missing keys, and keys that contradict each other.
 * Every sentence has the file and, where there is one, the line. Pure. */
#ifndef MGC_PLAN_CHECK_H
#define MGC_PLAN_CHECK_H

#include "coordinator/plan/bench.h"
#include "coordinator/plan/problems.h"
#include "coordinator/plan/settings.h"

/* Keys that the schema requires, in the document and in each of its named sections. `file` is
 * where they are missed. */
void mgc_check_required(const struct mgc_schema *schema, const char *file,
    const struct mgc_settings *settings, struct mgc_problems *problems);

/* Of the plan: the notification command's program. */
void mgc_check_notify(const struct mgc_settings *settings, struct mgc_problems *problems);

/* Of the site: workers and roles, liveness, addresses, workloads that the bench does not have. */
void mgc_check_site(const struct mgc_bench *bench, const char *file,
    const struct mgc_settings *settings, struct mgc_problems *problems);

#endif
