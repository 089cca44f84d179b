/* Restarts of the phone that show only afterwards. A phone that stays away longer than a step waits
 * for it is lost, whatever it does meanwhile; when it is there again, its boot id says whether it
 * was restarted. Then what the setup had set on it is gone, and the attempt that met it so was no
 * try of its cell. */
#include <stdio.h>
#include <string.h>

#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

static const char *setup_boot(const struct mgc_attempt *setup)
{
    const struct mgc_step_outcome *device = setup ? mgc_attempt_step(setup, "device") : NULL;
    return device ? mgc_fields_get_str(&device->facts, "boot_id") : NULL;
}

/* The first step that tells it: what it found when it began. */
static const char *first_boot(const struct mgc_attempt *attempt)
{
    const char *boot_id = NULL;
    for (size_t i = 0; !boot_id && i < attempt->cell->step_count; i++)
        boot_id = mgc_fields_get_str(&attempt->steps[i].facts, "boot_id");
    return boot_id;
}

bool mgc_session_found_restarted(const struct mgc_attempt *attempt)
{
    const char *before = setup_boot(attempt->setup), *now = first_boot(attempt);
    return before && now && strcmp(before, now) != 0;
}

static void name_restart(struct session *session, const char *boot_id)
{
    struct lost_phone *lost = &session->lost_phone;
    struct mgc_cell_result *result = mgc_results_find(session->results, lost->cell);
    struct mgc_error err = {0};
    mgc_verdict_add(&result->verdict, "same boot afterwards", MGC_CHECK_BAD, "host.device",
        "%s, the setup's is %s", boot_id, lost->boot_id);
    mgc_reason_rename(&result->verdict, MGC_REASON_PHONE_REBOOTED,
        "the phone was restarted, as its boot id says afterwards");
    mgc_results_note(session->results, "%s: attempt %d lost the phone because it was restarted",
        lost->cell->id, lost->number);
    if (!mgc_session_amend_verdict(lost->dir, &result->verdict, &err))
        mgc_results_note(session->results, "%s: %s", lost->cell->id, err.text);
}

void mgc_session_boot_seen(struct session *session, const struct mgc_attempt *attempt)
{
    const char *boot_id = first_boot(attempt);
    if (!boot_id)
        return;
    if (session->lost_phone.cell && strcmp(boot_id, session->lost_phone.boot_id) != 0)
        name_restart(session, boot_id);
    session->lost_phone = (struct lost_phone){0};
}

void mgc_session_phone_lost(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict)
{
    const char *boot_id = setup_boot(attempt->setup);
    const char *device_lost = mgc_reason_words(MGC_REASON_DEVICE_LOST)->name;
    if (!boot_id || strcmp(verdict->reason, device_lost) != 0)
        return;
    struct lost_phone *lost = &session->lost_phone;
    *lost = (struct lost_phone){.cell = attempt->cell, .number = attempt->number};
    snprintf(lost->dir, sizeof(lost->dir), "%s", session->current.dir);
    snprintf(lost->boot_id, sizeof(lost->boot_id), "%s", boot_id);
}
