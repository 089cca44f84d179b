/* Of what is this a measurement? Hashes of app, library, trace and golden, as the setup found them
 * on the phone; without them a number cannot be compared with another night's.
 */
#include "coordinator/verify/judge.h"

#include <string.h>

#include "coordinator/verify/metrics.h"

static bool has_param(const struct mgc_step *step, const char *name, const char *value)
{
    const char *own = mgc_fields_get_str(&step->params, name);
    return !value || (own && strcmp(own, value) == 0);
}

const struct mgc_fields *mgc_judge_setup_facts(
    const struct judge *judge, const char *kind, const char *package, const char *dir)
{
    const struct mgc_attempt *setup = judge->attempt->setup;
    for (size_t i = 0; setup && i < setup->cell->step_count; i++) {
        const struct mgc_step *step = &setup->cell->steps[i];
        if (strcmp(step->kind, kind) == 0 && has_param(step, "package", package) &&
            has_param(step, "dir", dir))
            return &setup->steps[i].facts;
    }
    return NULL;
}

static void check_hash(struct judge *judge, const struct mgc_fields *facts, const char *fact)
{
    const char *hash = facts ? mgc_fields_get_str(facts, fact) : NULL;
    bool known = hash && *hash;
    mgc_verdict_add(judge->verdict, fact, known ? MGC_CHECK_OK : MGC_CHECK_ABSENT, "setup", "%s",
        known ? hash : "");
    if (known)
        mgc_fields_set_str(&judge->verdict->metrics, fact, hash);
    else
        mgc_reason_set(judge->verdict, MGC_REASON_BUILD_UNKNOWN, "the setup has no %s of %s", fact,
            judge->cell->expect.package ? judge->cell->expect.package : "the app");
}

void mgc_judge_server_build(struct judge *judge)
{
    const struct mgc_fields *app = NULL;
    for (size_t i = 0; i < judge->cell->step_count && !app; i++) {
        const struct mgc_step *step = &judge->cell->steps[i];
        const char *package = mgc_fields_get_str(&step->params, "package");
        if (strcmp(step->kind, "host.server") == 0 && package)
            app = mgc_judge_setup_facts(judge, "host.app", package, NULL);
    }
    if (app)
        mgc_metric_copy(&judge->verdict->metrics, "apk_sha256", app, "apk_sha256");
}

/* A library that stays inside the APK is hashed with it. */
static void check_library(struct judge *judge, const struct mgc_fields *app)
{
    const char *apk = app ? mgc_fields_get_str(app, "apk_sha256") : NULL;
    bool in_apk = false;
    if (!app || mgc_fields_get(app, "library_sha256") || !apk ||
        !mgc_fields_get_bool(app, "library_in_apk", &in_apk) || !in_apk) {
        check_hash(judge, app, "library_sha256");
        return;
    }
    mgc_verdict_add(judge->verdict, "library_sha256", MGC_CHECK_OK, "setup",
        "inside the APK, whose hash stands for it");
    mgc_fields_set_str(&judge->verdict->metrics, "library_sha256", apk);
}

void mgc_judge_builds(struct judge *judge)
{
    const struct mgc_bench_workload *workload =
        mgc_bench_workload(mgc_bench_built_in(), judge->cell->workload);
    const char *dir = workload ? workload->phone_dir : NULL;
    const char *package = judge->cell->expect.package;
    const struct mgc_fields *app = NULL, *fixtures = NULL;
    if (package) {
        app = mgc_judge_setup_facts(judge, "host.app", package, NULL);
        fixtures = mgc_judge_setup_facts(judge, "host.fixtures", package, dir);
    }
    check_hash(judge, app, "apk_sha256");
    check_library(judge, app);
    check_hash(judge, fixtures, "trace_sha256");
    if (judge->cell->mode == MGC_MODE_SSIM)
        check_hash(judge, fixtures, "golden_sha256");
}
