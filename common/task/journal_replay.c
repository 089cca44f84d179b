#include "common/task/journal_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/task/thread.h"

enum { GROUPS_MAX = 128 };

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

/* The entries of one place. Phones do not wait for each other: one that is away costs its deadline,
 * and would cost it all others too. It is not tried again here for the same reason: the worker
 * would not join for the others meanwhile. */
struct group {
    struct mgc_journal *journal; /* borrowed, like all but place */
    const uint64_t *numbers;
    size_t count;
    char place[MGC_PLACE_MAX]; /* "": of those that name none */
    bool last;                 /* of the passes */
    bool away;                 /* found so; for good */
    mgc_journal_each *each;
    void *user;
    pthread_mutex_t *each_lock; /* one call at a time */
    pthread_t thread;
    bool running;
    size_t failed; /* in this pass, and worth another one */
};

static bool is_of(struct mgc_journal *journal, uint64_t number, const char *wanted)
{
    char place[MGC_PLACE_MAX] = "";
    mgc_journal_place_of(journal, number, MGC_JOURNAL_PLACE, false, place, sizeof(place));
    return strcmp(place, wanted) == 0;
}

static void undo_one(struct group *group, uint64_t number)
{
    uint64_t task_id;
    char undo[64];
    bool other_boot;
    struct mgc_error why = {0};
    if (!describe(group->journal, number, &task_id, undo, sizeof(undo), &other_boot))
        return;
    bool ok = group->away ? mgc_error_set(&why, MGC_E_LOST, "not tried: its device is away")
                          : mgc_journal_undo(group->journal, number, &why);
    group->away |= !ok && group->place[0] && why.code == MGC_E_LOST;
    group->failed += !ok && !group->away;
    if (!group->each || (!ok && !group->last && !group->away))
        return;
    pthread_mutex_lock(group->each_lock);
    group->each(group->user, task_id, undo, other_boot, ok ? NULL : &why);
    pthread_mutex_unlock(group->each_lock);
}

static void *undo_group(void *user)
{
    struct group *group = user;
    group->failed = 0;
    for (size_t i = group->count; i-- > 0;) {
        if (is_of(group->journal, group->numbers[i], group->place))
            undo_one(group, group->numbers[i]);
    }
    return NULL;
}

/* One group per place, as many as fit; what is of no group is left for another time. */
static size_t make_groups(const struct group *model, struct group *groups, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < model->count; i++) {
        char place[MGC_PLACE_MAX] = "";
        size_t known = 0;
        mgc_journal_place_of(
            model->journal, model->numbers[i], MGC_JOURNAL_PLACE, false, place, sizeof(place));
        while (known < count && strcmp(groups[known].place, place) != 0)
            known++;
        if (known < count || count == max)
            continue;
        groups[count] = *model;
        strcpy(groups[count++].place, place);
    }
    return count;
}

/* One pass; the last group is this thread's, so a single phone needs no other. Returns how many
 * failed and are worth another pass. */
static size_t undo_groups(struct group *groups, size_t count)
{
    size_t failed = 0;
    for (size_t i = 0; i + 1 < count; i++)
        groups[i].running = !groups[i].away &&
                            mgc_task_thread_start(&groups[i].thread, undo_group, &groups[i]) == 0;
    for (size_t i = count; i-- > 0;) {
        if (!groups[i].running && !groups[i].away)
            undo_group(&groups[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (groups[i].running)
            pthread_join(groups[i].thread, NULL);
        groups[i].running = false;
        failed += groups[i].away ? 0 : groups[i].failed;
    }
    return failed;
}

static void pass_over(struct group *groups, size_t count, int tries, int64_t pause_ms)
{
    for (int i = 1; i <= tries; i++) {
        if (i > 1)
            mgc_sleep_ms(pause_ms); /* for a network that is just coming up */
        for (size_t k = 0; k < count; k++)
            groups[k].last = i == tries;
        if (undo_groups(groups, count) == 0)
            return;
    }
}

void mgc_journal_replay(
    struct mgc_journal *journal, int tries, int64_t pause_ms, mgc_journal_each *each, void *user)
{
    size_t count = 0;
    pthread_mutex_t each_lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t *numbers = mgc_journal_numbers_of(journal, 0, &count);
    struct group *groups = calloc(GROUPS_MAX, sizeof(*groups));
    const struct group model = {.journal = journal,
        .numbers = numbers,
        .count = count,
        .each = each,
        .user = user,
        .each_lock = &each_lock};
    if (numbers && groups)
        pass_over(groups, make_groups(&model, groups, GROUPS_MAX), tries, pause_ms);
    free(groups);
    free(numbers);
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
