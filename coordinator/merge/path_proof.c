#include "coordinator/merge/path_proof.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/verify/reasons.h"

static const char check_name[] = "path after", source[] = "wsl.pathcheck";

static bool has_reason(const struct mgc_verdict *verdict, enum mgc_reason reason)
{
    return strcmp(verdict->reason, mgc_reason_words(reason)->name) == 0;
}

/* Back to a verdict without a name, for the next one. */
static void unname(struct mgc_verdict *verdict)
{
    verdict->state = MGC_VERDICT_INCOMPLETE;
    verdict->reason[0] = verdict->text[0] = verdict->next_step[0] = '\0';
}

void mgc_path_withhold(struct mgc_results *results, struct mgc_cell_result *cell)
{
    struct mgc_verdict *verdict = &cell->verdict;
    size_t at = (size_t)(cell - results->cells);
    if (verdict->state != MGC_VERDICT_MEASURED || !cell->cell->crosses_hosts)
        return;
    unname(verdict);
    mgc_reason_set(verdict, MGC_REASON_PATH_UNPROVED,
        "all else is proved, but no good path check came after this cell");
    if (at < results->waiting_from)
        results->waiting_from = at;
    if (at >= results->waiting_end)
        results->waiting_end = at + 1;
}

static void settle(struct mgc_verdict *verdict, const struct mgc_verdict *check)
{
    bool good = check->state == MGC_VERDICT_MEASURED;
    unname(verdict);
    if (!mgc_verdict_add(verdict, check_name, good ? MGC_CHECK_OK : MGC_CHECK_BAD, source, "%s",
            good ? "end to end" : check->text))
        mgc_reason_set(verdict, MGC_REASON_NO_MEMORY, "no memory for the path check's evidence");
    else if (good)
        verdict->state = MGC_VERDICT_MEASURED;
    else
        mgc_reason_set(verdict, MGC_REASON_PATH_CHANGED,
            "the path check after this cell was not good: %s", check->text);
}

void mgc_path_checked(struct mgc_results *results, const struct mgc_verdict *check,
    mgc_path_amended *amended, void *user)
{
    bool unclear = has_reason(check, MGC_REASON_PATH_UNCLEAR);
    if (check->state == MGC_VERDICT_INCOMPLETE)
        return; /* nobody looked: it proves nothing either way */
    for (size_t i = results->waiting_from; i < results->waiting_end; i++) {
        struct mgc_verdict *verdict = &results->cells[i].verdict;
        if (!has_reason(verdict, MGC_REASON_PATH_UNPROVED))
            continue;
        if (unclear)
            snprintf(verdict->text, sizeof(verdict->text),
                "all else is proved, but the path check after this cell was not clear: %.400s",
                check->text);
        else
            settle(verdict, check);
        amended(user, &results->cells[i]);
    }
    if (unclear)
        return;
    results->waiting_from = results->count;
    results->waiting_end = 0;
}

static bool is_proved(const struct mgc_verdict *verdict)
{
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        const struct mgc_evidence *item = &verdict->evidence[i];
        if (strcmp(item->check, check_name) == 0 && item->outcome == MGC_CHECK_OK)
            return true;
    }
    return false;
}

void mgc_path_restored(struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->path_after.state != MGC_VERDICT_MEASURED &&
            !is_proved(&results->cells[i].verdict))
            mgc_path_withhold(results, &results->cells[i]);
    }
}
