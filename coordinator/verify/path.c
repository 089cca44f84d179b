/* The path check's facts, judged: is this the phone's own answer or somebody's in between? */
#include "coordinator/verify/verdict.h"

#include <string.h>

static const struct mgc_step_outcome *path_step(const struct mgc_attempt *attempt)
{
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].kind, "wsl.pathcheck") == 0)
            return &attempt->steps[i];
    }
    return NULL;
}

void mgc_verify_path(const struct mgc_attempt *attempt, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    const struct mgc_step_outcome *step = path_step(attempt);
    if (!step || step->state != MGC_STEP_DONE) {
        mgc_verdict_add(ret_verdict, "path", MGC_CHECK_ABSENT, "wsl.pathcheck", "%s",
            step ? step->error.text : "");
        mgc_verdict_set(ret_verdict, MGC_VERDICT_INCOMPLETE, "path-unchecked",
            "see the WSL worker's log", "the path to the phone was not checked%s%s",
            step && step->error.text[0] ? ": " : "", step ? step->error.text : "");
        return;
    }
    const char *verdict = mgc_fields_get_str(&step->facts, "verdict");
    const char *reason = mgc_fields_get_str(&step->facts, "reason");
    bool good = verdict && strcmp(verdict, "end-to-end") == 0;
    mgc_verdict_add(ret_verdict, "path",
        good      ? MGC_CHECK_OK
        : verdict ? MGC_CHECK_BAD
                  : MGC_CHECK_ABSENT,
        "wsl.pathcheck", "%s%s%s", verdict ? verdict : "", reason ? ": " : "",
        reason ? reason : "");
    if (good)
        ret_verdict->state = MGC_VERDICT_MEASURED;
    else if (verdict && strcmp(verdict, "middlebox") == 0)
        mgc_verdict_set(ret_verdict, MGC_VERDICT_FAILED, "middlebox",
            "route the phone's address past the proxy: check route.gateway and route.interface in "
            "site.yaml, and the proxy or VPN on the default route",
            "a middlebox between WSL and the phone ends TCP, so nothing measured over this path "
            "would be the phone's: %s",
            reason ? reason : "a closed port was accepted");
    else
        mgc_verdict_set(ret_verdict, MGC_VERDICT_FAILED, "path-unclear",
            "check that the phone is on the network, awake, and not behind a firewall",
            "the path to the phone cannot be told apart from a broken one: %s",
            reason ? reason : "no answer from a closed port");
}
