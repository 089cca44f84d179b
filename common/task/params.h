/* Parameters of a task: what the message carries, checked against the kind's schema.
 *
 * Pure; any thread. Errors are one sentence that names kind, parameter and what was expected; the
 * value of a secret never gets into one.
 */
#ifndef MGC_TASK_PARAMS_H
#define MGC_TASK_PARAMS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/fields.h"
#include "common/task/task.h"

/* Row of a worker's table, or NULL. */
const struct mgc_task_kind *mgc_task_kind_find(const struct mgc_task_kind *kinds, const char *name);

/* Check `params` and `secrets` of a message; a secret that is not in the schema is fine, it is only
 * masked. MGC_E_CONFIG when something is missing, unknown, of
 * the wrong type or out of range. */
bool mgc_params_check(const struct mgc_task_kind *kind, const struct mgc_fields *params,
    const struct mgc_fields *secrets, struct mgc_error *err);

/* The table for people: kinds with their parameters (--list-tasks). */
void mgc_task_kinds_print(const struct mgc_task_kind *kinds, FILE *out);

#endif
