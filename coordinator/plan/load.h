/* From a plan's name and a site file to a plan that can be run: find, read, bind, check, expand.
 *
 * Of two sources the earlier wins: command line, environment, plan, site, built-in.
 */
#ifndef MGC_PLAN_LOAD_H
#define MGC_PLAN_LOAD_H

#include "coordinator/plan/plan.h"
#include "coordinator/plan/problems.h"
#include "coordinator/plan/site.h"
#include "coordinator/plan/sources.h"

struct mgc_plan_request {  /* everything is borrowed for the call */
    const char *plan;      /* a built-in plan's name, or a file: with '/' or .yaml/.yml */
    const char *site_path; /* NULL: MGCOORD_SITE, then the usual places */
    const char *phone;     /* of a site whose phones have names: which one; NULL: the only one */
    const struct mgc_override *overrides; /* from the command line */
    size_t override_count;
    mgc_getenv *getenv; /* NULL: the process's environment */
    void *getenv_user;
    const char *run_id;            /* NULL: made of time, plan and chance */
    const char *token;             /* NULL: random; either gives way to the setting `token` */
    struct mgc_problems *problems; /* gets every error and warning; NULL: err alone, the first */
};

/* Both results are the caller's to destroy, and independent of each other. On false nothing is
 * owned; MGC_E_CONFIG: what a person wrote is wrong, all of it stands in request->problems. */
bool mgc_plan_load(const struct mgc_plan_request *request, struct mgc_site *ret_site,
    struct mgc_plan *ret_plan, struct mgc_error *err);

/* The site alone, for commands that need no plan (hosts, keys). request->plan and phone are not
 * looked at: of a site whose phones have names, `phone` is empty and `phone_names` says which there
 * are. */
bool mgc_site_load(
    const struct mgc_plan_request *request, struct mgc_site *ret_site, struct mgc_error *err);

/* Names and texts of the built-in plans; ended by a NULL name. */
struct mgc_plan_text {
    const char *name;
    const char *text; /* YAML */
};
extern const struct mgc_plan_text mgc_plans_built_in[];

#endif
