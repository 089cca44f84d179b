/* Does the cell still rest on what the setup prepared? A phone that restarted has lost pins,
 * stopped services and buffers; an app that was installed anew is another build than the one whose
 * hashes the setup took; a knob that somebody turned back no longer holds. Looked at before the
 * app's run and after it, since no other cell may follow.
 */
#include <string.h>

#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

/* Both facts are there and equal: OK; one is not there: absent; else bad. */
static enum mgc_check_outcome compare(struct judge *judge, const char *check,
    const struct mgc_fields *setup, const char *whose, const char *step, const char *fact)
{
    const char *was = setup ? mgc_fields_get_str(setup, fact) : NULL;
    const char *now = mgc_fields_get_str(mgc_facts_of_step(judge->attempt, step), fact);
    bool known = was && *was && now && *now, same = known && strcmp(was, now) == 0;
    enum mgc_check_outcome outcome = same ? MGC_CHECK_OK : known ? MGC_CHECK_BAD : MGC_CHECK_ABSENT;
    if (known)
        mgc_verdict_add(judge->verdict, check, outcome, step, "%s%s%s%s%s", now, same ? "" : ", ",
            same ? "" : whose, same ? "" : "'s is ", same ? "" : was);
    else
        mgc_verdict_add(judge->verdict, check, outcome, step, "%s does not tell it",
            now && *now ? whose : "the cell");
    return outcome;
}

/* Whose facts tell of the phone after the run. */
static const char *step_after(const struct judge *judge)
{
    return mgc_judge_replays_on_phone(judge) ? "replay" : "server";
}

static void judge_boot(struct judge *judge)
{
    const struct mgc_fields *device = mgc_judge_setup_facts(judge, "host.device", NULL, NULL);
    const char *after = step_after(judge);
    bool bad =
        compare(judge, "same boot", device, "the setup", "quiesce", "boot_id") == MGC_CHECK_BAD;
    if (mgc_fields_get(mgc_facts_of_step(judge->attempt, after), "boot_id"))
        bad |= compare(judge, "same boot at the run", device, "the setup", after, "boot_id") ==
               MGC_CHECK_BAD;
    if (bad)
        mgc_reason_set(judge->verdict, MGC_REASON_PHONE_REBOOTED,
            "the phone was restarted since the setup, which therefore holds no longer");
}

/* A run that did not come to its result is not measured anyhow. */
static bool has_result(const struct judge *judge)
{
    const struct mgc_step_outcome *after = mgc_judge_step(judge, step_after(judge));
    if (!mgc_judge_replays_on_phone(judge))
        return after && after->state == MGC_STEP_DONE;
    const char *end = after ? mgc_fields_get_str(&after->facts, "end") : NULL;
    return end && strcmp(end, "result") == 0;
}

/* A plan that measures across hosts only takes no hashes of the app; then it has to be the one that
 * was there before the run. */
static void judge_app(struct judge *judge)
{
    static const char after_run[] = "same app after the run", stamp[] = "app_stamp";
    const char *package = judge->cell->expect.package, *whose = "the setup";
    const struct mgc_fields *app =
        package ? mgc_judge_setup_facts(judge, "host.app", package, NULL) : NULL;
    bool bad = false;
    if (app || mgc_judge_replays_on_phone(judge)) {
        bad = compare(judge, "same app", app, whose, "quiesce", stamp) == MGC_CHECK_BAD;
    } else {
        app = mgc_facts_of_step(judge->attempt, "quiesce");
        whose = "quiesce";
    }
    if (has_result(judge))
        bad |= compare(judge, after_run, app, whose, step_after(judge), stamp) == MGC_CHECK_BAD;
    if (bad)
        mgc_reason_set(judge->verdict, MGC_REASON_APP_CHANGED, "%s was installed anew %s", package,
            strcmp(whose, "quiesce") == 0 ? "during the cell" : "since the setup took its hashes");
}

static void judge_held(struct judge *judge, const char *check, const char *step, const char *when)
{
    const char *lost = mgc_fields_get_str(mgc_facts_of_step(judge->attempt, step), "knobs_lost");
    if (!lost) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, step, "%s", "");
        return;
    }
    mgc_verdict_add(judge->verdict, check, *lost ? MGC_CHECK_BAD : MGC_CHECK_OK, step, "%s%s",
        *lost ? "no longer: " : "all", lost);
    if (*lost)
        mgc_reason_set(judge->verdict, MGC_REASON_KNOB_LOST,
            "what the run set on the phone no longer %s: %s", when, lost);
}

void mgc_judge_knobs(struct judge *judge)
{
    if (!mgc_judge_setup_facts(judge, "host.knobs", NULL, NULL))
        return;
    judge_held(judge, "knobs hold", "quiesce", "holds");
    if (has_result(judge))
        judge_held(judge, "knobs held", step_after(judge), "held after the app's run");
}

void mgc_judge_same_setup(struct judge *judge)
{
    judge_boot(judge);
    judge_app(judge);
}
