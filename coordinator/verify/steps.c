/* Did every step end well, and if not, what is that called? */
#include "coordinator/verify/judge.h"

#include <stdio.h>
#include <string.h>

const struct mgc_step_outcome *mgc_judge_step(const struct judge *judge, const char *id)
{
    return mgc_attempt_step(judge->attempt, id);
}

bool mgc_judge_replays_on_phone(const struct judge *judge)
{
    for (size_t i = 0; i < judge->cell->step_count; i++) {
        if (strcmp(judge->cell->steps[i].id, "replay") == 0)
            return judge->cell->steps[i].role == MGC_ROLE_HOST;
    }
    return false;
}

/* Something was lost: the worker itself, or what its step worked with? */
static enum mgc_reason lost_reason(const struct mgc_attempt *attempt)
{
    const struct mgc_cell *cell = attempt->cell;
    for (size_t i = 0; attempt->failed_step && i < cell->step_count; i++) {
        if (strcmp(cell->steps[i].id, attempt->failed_step) != 0)
            continue;
        if (attempt->steps[i].lost == MGC_LOST_WORKER)
            return MGC_REASON_WORKER_LOST;
        return cell->steps[i].role == MGC_ROLE_HOST ? MGC_REASON_DEVICE_LOST : MGC_REASON_PEER_LOST;
    }
    return attempt->lost == MGC_LOST_NOBODY_CAME ? MGC_REASON_WORKER_ABSENT : MGC_REASON_SETUP_LOST;
}

/* What the failed step says of it itself (docs/tasks.md: the fact `failure`). */
static bool told_reason(const struct mgc_attempt *attempt, enum mgc_reason *ret_reason)
{
    static const struct {
        const char *word;
        enum mgc_reason reason;
    } rows[] = {
        {"not-started", MGC_REASON_SERVER_NOT_STARTED},
        {"not-listening", MGC_REASON_SERVER_NOT_LISTENING},
        {"left", MGC_REASON_SERVER_LEFT},
        {"older", MGC_REASON_SERVER_OLDER},
        {"ended", MGC_REASON_SERVER_ENDED},
        {"session-signal", MGC_REASON_SERVER_SESSION_SIGNAL},
        {"rebooted", MGC_REASON_PHONE_REBOOTED},
        {"release-late", MGC_REASON_RELEASE_LATE},
        {"am-start", MGC_REASON_APP_NOT_STARTED},
        {"not-installed", MGC_REASON_APP_NOT_INSTALLED},
        {"no-helper", MGC_REASON_HELPER_MISSING},
        {"no-root", MGC_REASON_NO_ROOT},
        {"hot", MGC_REASON_TOO_HOT},
        {"cold", MGC_REASON_TOO_COLD},
        {"unplugged", MGC_REASON_UNPLUGGED},
        {"stay-awake-off", MGC_REASON_NOT_AWAKE},
        {"asleep", MGC_REASON_ASLEEP},
        {"unreadable", MGC_REASON_GATE_UNREADABLE},
        {"loaded", MGC_REASON_HOST_LOADED},
    };
    const struct mgc_step_outcome *failed =
        attempt->failed_step ? mgc_attempt_step(attempt, attempt->failed_step) : NULL;
    const char *word = failed ? mgc_fields_get_str(&failed->facts, "failure") : NULL;
    for (size_t i = 0; word && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].word, word) != 0)
            continue;
        *ret_reason = rows[i].reason;
        return true;
    }
    return false;
}

enum mgc_reason mgc_judge_failure(const struct mgc_attempt *attempt)
{
    enum mgc_reason told;
    if (told_reason(attempt, &told))
        return told;
    switch (attempt->error.code) {
    case MGC_E_LOST:
        return lost_reason(attempt);
    case MGC_E_STALE:
        return MGC_REASON_LEASE_STALE;
    case MGC_E_UNREACHABLE:
        return MGC_REASON_UNREACHABLE;
    case MGC_E_BUSY:
        return MGC_REASON_BUSY;
    case MGC_E_TIMEOUT:
        return MGC_REASON_TIMEOUT;
    case MGC_E_CANCELLED:
        return MGC_REASON_CANCELLED;
    case MGC_E_NO_SPACE:
        return MGC_REASON_DISK_FULL;
    case MGC_E_INTEGRITY:
        return MGC_REASON_ARTIFACT_DAMAGED;
    case MGC_E_NOT_FOUND:
        return MGC_REASON_FILE_MISSING;
    case MGC_E_DENIED:
        return MGC_REASON_DENIED;
    case MGC_E_CONFIG:
    case MGC_E_USAGE:
        return MGC_REASON_BAD_PARAMETER;
    default:
        return MGC_REASON_STEP_FAILED;
    }
}

void mgc_judge_interrupted(struct judge *judge)
{
    if (judge->attempt->interrupted)
        mgc_reason_set(judge->verdict, MGC_REASON_INTERRUPTED, "%s", judge->attempt->error.text);
}

/* Evidence that exists and that nobody may see, so it is absent here. */
static void add_withheld(
    struct judge *judge, const struct mgc_step *step, const struct mgc_fields *facts)
{
    const char *quarantined = mgc_fields_get_str(facts, "quarantined");
    const char *unreadable = mgc_fields_get_str(facts, "unreadable");
    if (quarantined)
        mgc_verdict_add(judge->verdict, "files kept back", MGC_CHECK_ABSENT, step->id,
            "%s: binary and holds a secret, so it stays at the worker", quarantined);
    if (unreadable)
        mgc_verdict_add(judge->verdict, "files kept back", MGC_CHECK_ABSENT, step->id,
            "%s: could not be read at the worker", unreadable);
}

static void judge_step(struct judge *judge, size_t i)
{
    const struct mgc_step *step = &judge->cell->steps[i];
    const struct mgc_step_outcome *outcome = &judge->attempt->steps[i];
    bool done = outcome->state == MGC_STEP_DONE;
    char check[96];
    add_withheld(judge, step, &outcome->facts);
    if (!done && step->best_effort)
        return; /* proves nothing either way; it stands among the steps of verdict.json */
    snprintf(check, sizeof(check), "step %s", step->id);
    mgc_verdict_add(judge->verdict, check, done ? MGC_CHECK_OK : MGC_CHECK_BAD, step->kind,
        "%s%s%s", mgc_step_state_name(outcome->state), outcome->error.code ? ": " : "",
        outcome->error.text);
    if (!done && judge->attempt->completed)
        mgc_reason_set(judge->verdict, MGC_REASON_STEP_FAILED, "step '%s' (%s) is %s", step->id,
            step->kind, mgc_step_state_name(outcome->state));
}

void mgc_judge_steps(struct judge *judge)
{
    const struct mgc_attempt *attempt = judge->attempt;
    if (!attempt->completed)
        mgc_reason_set(judge->verdict, mgc_judge_failure(attempt), "%s",
            attempt->error.text[0] ? attempt->error.text : "the steps did not come to their end");
    for (size_t i = 0; i < judge->cell->step_count; i++)
        judge_step(judge, i);
}
