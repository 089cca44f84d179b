#include "common/task/journal_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

/* A copy, so that the undo can run without the lock. */
static bool copy_out(struct mgc_journal *journal, uint64_t number, char **ret_undo,
    struct mgc_fields *ret_before, struct mgc_error *err)
{
    pthread_mutex_lock(&journal->lock);
    struct mgc_journal_item *item = mgc_journal_item(journal, number);
    bool found = item != NULL;
    bool ok = found && (*ret_undo = strdup(item->entry.undo)) &&
              mgc_fields_copy(ret_before, &item->entry.before);
    pthread_mutex_unlock(&journal->lock);
    if (ok)
        return true;
    if (!found)
        return mgc_error_set(
            err, MGC_E_NOT_FOUND, "undo journal: there is no entry %" PRIu64, number);
    return mgc_error_set(err, MGC_E_NO_MEMORY, "undo journal: out of memory");
}

void mgc_journal_note_failure(
    struct mgc_journal *journal, uint64_t number, const struct mgc_error *why)
{
    pthread_mutex_lock(&journal->lock);
    struct mgc_journal_item *item = mgc_journal_item(journal, number);
    if (item)
        item->failed = *why;
    pthread_mutex_unlock(&journal->lock);
}

/* False: not to be tried now, with why. */
static bool may_begin(
    struct mgc_journal *journal, uint64_t number, int64_t until_ns, struct mgc_error *ret_why)
{
    pthread_mutex_lock(&journal->lock);
    const struct mgc_journal_item *item = mgc_journal_item(journal, number);
    if (item)
        *ret_why = item->failed;
    pthread_mutex_unlock(&journal->lock);
    if (ret_why->code != MGC_OK)
        return false;
    return !mgc_deadline_past(until_ns) ||
           mgc_error_set(ret_why, MGC_E_TIMEOUT,
               "entry %" PRIu64 ": no time is left for its undo while the task must stop", number);
}

bool mgc_journal_undo(struct mgc_journal *journal, uint64_t number, struct mgc_error *err)
{
    char *undo = NULL;
    struct mgc_fields before = {0};
    struct mgc_error why = {.code = MGC_E_FAILED, .text = "it did not say why"}, local = {0};
    err = err ? err : &local;
    bool ok = copy_out(journal, number, &undo, &before, err);
    if (ok) {
        const struct mgc_undo_kind *kind = mgc_journal_undo_find(journal, undo);
        if (!kind)
            ok = mgc_error_set(err, MGC_E_UNSUPPORTED,
                "undo %s (entry %" PRIu64 "): this program has no such undo", undo, number);
        else if (!kind->undo(&before, journal->worker, &why))
            ok = mgc_error_set(
                err, why.code, "undo %s (entry %" PRIu64 "): %s", undo, number, why.text);
    }
    ok = ok && mgc_journal_drop(journal, number, err);
    if (!ok)
        mgc_journal_note_failure(journal, number, err);
    mgc_fields_destroy(&before);
    free(undo);
    return ok;
}

static void count_outcome(struct mgc_undo_report *report, bool ok, const struct mgc_error *why)
{
    if (ok) {
        report->done++;
    } else if (report->failed++ == 0) {
        snprintf(report->text, sizeof(report->text), "%s", why->text);
    }
}

static void mark_left(struct mgc_journal *journal, uint64_t number)
{
    pthread_mutex_lock(&journal->lock);
    struct mgc_journal_item *item = mgc_journal_item(journal, number);
    if (item)
        item->left = true;
    pthread_mutex_unlock(&journal->lock);
}

void mgc_journal_undo_task(struct mgc_journal *journal, uint64_t task_id, int64_t begin_until_ns,
    struct mgc_undo_report *ret_report)
{
    size_t count;
    *ret_report = (struct mgc_undo_report){0};
    uint64_t *numbers = mgc_journal_numbers_of(journal, task_id, &count);
    if (!numbers)
        count_outcome(ret_report, false, &(struct mgc_error){.text = "undo: out of memory"});
    while (count-- > 0 && numbers) {
        struct mgc_error why = {0};
        bool ok = may_begin(journal, numbers[count], begin_until_ns, &why) &&
                  mgc_journal_undo(journal, numbers[count], &why);
        count_outcome(ret_report, ok, &why);
        mark_left(journal, numbers[count]);
    }
    free(numbers);
}

bool mgc_journal_undo_left(
    struct mgc_journal *journal, const char *param, const char *value, struct mgc_error *err)
{
    size_t count;
    bool ok = true;
    struct mgc_keyhold hold;
    mgc_keylock_take(&journal->left, &hold, value);
    uint64_t *numbers = mgc_journal_numbers_of(journal, 0, &count);
    while (ok && numbers && count-- > 0) {
        char place[MGC_PLACE_MAX];
        struct mgc_error why = {0};
        if (!mgc_journal_place_of(journal, numbers[count], param, true, place, sizeof(place)) ||
            strcmp(place, value) != 0)
            continue;
        ok = mgc_journal_undo(journal, numbers[count], &why) ||
             mgc_error_set(err, why.code == MGC_E_LOST ? MGC_E_LOST : MGC_E_BUSY,
                 "what an earlier task changed there is not taken back yet: %s", why.text);
    }
    free(numbers);
    mgc_keylock_release(&journal->left, &hold);
    return ok;
}
