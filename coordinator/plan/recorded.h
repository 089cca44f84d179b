/* What a run was told beside its files: the command line and the environment of its start, out of
 * the settings in its run.json. A run that is resumed is told the same again.
 *
 * One thread.
 */
#ifndef MGC_PLAN_RECORDED_H
#define MGC_PLAN_RECORDED_H

#include "common/json/json.h"
#include "coordinator/plan/sources.h"

struct mgc_recorded {           /* zeroed is one that was told nothing */
    struct mgc_override *items; /* owned, with their texts: of the command line */
    size_t count;
    struct mgc_override *variables; /* owned: key is the variable's name */
    size_t variable_count;
};

/* `settings` as mgc_settings_to_json makes it (borrowed). Secrets are not there, so a resumed run
 * has new ones. Keys that this build does not know are passed over: who compares the settings names
 * them. False: no memory, and nothing is owned. */
bool mgc_recorded_read(
    const json_t *settings, struct mgc_recorded *ret_recorded, struct mgc_error *err);
void mgc_recorded_destroy(struct mgc_recorded *recorded); /* takes NULL and zeroed */

/* mgc_getenv (user: the mgc_recorded): this process's own variable, or what it was when the run
 * began. */
const char *mgc_recorded_getenv(const char *name, void *user);

/* The plan's name or file as `mgcoord run` was given it, from the origin of its setting `plan`
 * ("built-in plan crosshost:6", "./night.yaml:1"). False: it is not known. */
bool mgc_recorded_plan(const json_t *settings, char *ret_plan, size_t size);

#endif
