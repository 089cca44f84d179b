#include "common/task/journal_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/clock.h"

/* Task, undo kind and boot of an entry, for the report; false when it is gone, or not wanted. */
static bool describe(struct mgc_journal *journal, uint64_t number, uint64_t *ret_task,
    char *ret_undo, size_t size, bool *ret_other_boot)
{
    pthread_mutex_lock(&journal->lock);
    struct mgc_journal_item *item =
        journal->replay_stopped ? NULL : mgc_journal_item(journal, number);
    if (item) {
        *ret_task = item->entry.task_id;
        snprintf(ret_undo, size, "%s", item->entry.undo);
        *ret_other_boot = strcmp(item->entry.boot_id, journal->boot_id) != 0;
    }
    pthread_mutex_unlock(&journal->lock);
    return item != NULL;
}

/* Places that were found away in one pass: each with a line end in front and behind. */
static bool is_away(struct mgc_journal *journal, uint64_t number, const struct mgc_buf *away)
{
    char line[MGC_PLACE_MAX + 2] = "\n";
    if (!away->len ||
        !mgc_journal_place_of(journal, number, MGC_JOURNAL_PLACE, false, line + 1, MGC_PLACE_MAX))
        return false;
    strcat(line, "\n");
    return strstr(mgc_buf_text(away), line);
}

static void note_away(struct mgc_journal *journal, uint64_t number, struct mgc_buf *away)
{
    char place[MGC_PLACE_MAX];
    if (mgc_journal_place_of(journal, number, MGC_JOURNAL_PLACE, false, place, sizeof(place)))
        mgc_buf_printf(away, "\n%s\n", place);
}

/* As mgc_journal_undo; a place that is away costs its deadline once in a pass, not per entry. */
static bool undo_in_pass(
    struct mgc_journal *journal, uint64_t number, struct mgc_buf *away, struct mgc_error *ret_why)
{
    if (is_away(journal, number, away))
        return mgc_error_set(ret_why, MGC_E_LOST, "not tried: its device is away");
    if (mgc_journal_undo(journal, number, ret_why))
        return true;
    if (ret_why->code == MGC_E_LOST)
        note_away(journal, number, away);
    return false;
}

/* One pass, newest first; on the last one failures are told too. Returns how many failed. */
static size_t replay_pass(
    struct mgc_journal *journal, bool last, mgc_journal_each *each, void *user)
{
    size_t count, failed = 0;
    struct mgc_buf away = {0};
    uint64_t *numbers = mgc_journal_numbers_of(journal, 0, &count);
    while (numbers && count-- > 0) {
        uint64_t task_id;
        char undo[64];
        bool other_boot;
        struct mgc_error why = {0};
        if (!describe(journal, numbers[count], &task_id, undo, sizeof(undo), &other_boot))
            continue;
        bool ok = undo_in_pass(journal, numbers[count], &away, &why);
        failed += !ok;
        if (each && (ok || last))
            each(user, task_id, undo, other_boot, ok ? NULL : &why);
    }
    mgc_buf_destroy(&away);
    free(numbers);
    return failed;
}

void mgc_journal_replay(
    struct mgc_journal *journal, int tries, int64_t pause_ms, mgc_journal_each *each, void *user)
{
    for (int i = 1; i <= tries; i++) {
        if (i > 1)
            mgc_sleep_ms(pause_ms); /* for a network that is just coming up */
        if (replay_pass(journal, i == tries, each, user) == 0)
            return;
    }
}

/* Does the entry's `before` have that text? */
static bool is_about(struct mgc_journal *journal, uint64_t number, const char *value)
{
    bool found = false;
    pthread_mutex_lock(&journal->lock);
    const struct mgc_journal_item *item = mgc_journal_item(journal, number);
    for (size_t i = 0; item && i < item->entry.before.count; i++) {
        const struct mgc_value *text = &item->entry.before.items[i].value;
        found |= text->type == MGC_VALUE_STRING && strcmp(text->string, value) == 0;
    }
    pthread_mutex_unlock(&journal->lock);
    return found;
}

void mgc_journal_give_up(
    struct mgc_journal *journal, const char *value, mgc_journal_each *each, void *user)
{
    size_t count;
    uint64_t *numbers = mgc_journal_numbers_of(journal, 0, &count);
    while (numbers && count-- > 0) {
        uint64_t task_id;
        char undo[64];
        bool other_boot;
        struct mgc_error why = {0};
        if (!is_about(journal, numbers[count], value) ||
            !describe(journal, numbers[count], &task_id, undo, sizeof(undo), &other_boot))
            continue;
        bool ok = mgc_journal_drop(journal, numbers[count], &why);
        if (each)
            each(user, task_id, undo, other_boot, ok ? NULL : &why);
    }
    free(numbers);
}

void mgc_journal_stop_replay(struct mgc_journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    journal->replay_stopped = true;
    pthread_mutex_unlock(&journal->lock);
}
