/* Of what is this a measurement? Hashes of app, library, trace and golden, as the setup found them
 * on the phone; without them a number cannot be compared with another night's.
 */
#include "coordinator/verify/judge.h"

#include <string.h>

/* Facts of the setup's step of that kind whose parameters name this build (and fixture directory;
 * NULL: any). */
static const struct mgc_fields *setup_facts(
    const struct judge *judge, const char *kind, const char *dir)
{
    const struct mgc_attempt *setup = judge->attempt->setup;
    for (size_t i = 0; setup && i < setup->cell->step_count; i++) {
        const struct mgc_step *step = &setup->cell->steps[i];
        const char *package = mgc_fields_get_str(&step->params, "package");
        const char *of_dir = mgc_fields_get_str(&step->params, "dir");
        if (strcmp(step->kind, kind) == 0 && package && judge->cell->expect.package &&
            strcmp(package, judge->cell->expect.package) == 0 &&
            (!dir || (of_dir && strcmp(of_dir, dir) == 0)))
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

void mgc_judge_builds(struct judge *judge)
{
    const struct mgc_bench_workload *workload =
        mgc_bench_workload(mgc_bench_built_in(), judge->cell->workload);
    const char *dir = workload ? workload->phone_dir : NULL;
    const struct mgc_fields *app = setup_facts(judge, "host.app", NULL);
    const struct mgc_fields *fixtures = setup_facts(judge, "host.fixtures", dir);
    check_hash(judge, app, "apk_sha256");
    check_hash(judge, app, "library_sha256");
    check_hash(judge, fixtures, "trace_sha256");
    if (judge->cell->mode == MGC_MODE_SSIM)
        check_hash(judge, fixtures, "golden_sha256");
}
