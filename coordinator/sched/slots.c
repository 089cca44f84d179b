#include "coordinator/sched/slots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void mgc_slots_destroy(struct mgc_slots *slots)
{
    free(slots->users);
    *slots = (struct mgc_slots){0};
}

static bool is_of(const struct mgc_slot_user *user, const char *what)
{
    return user->what && strcmp(user->what, what) == 0;
}

static struct mgc_slot_user *row_of(const struct mgc_slots *slots, const void *whose)
{
    for (size_t i = 0; i < slots->count; i++) {
        if (slots->users[i].user == whose)
            return &slots->users[i];
    }
    return NULL;
}

bool mgc_slots_add(struct mgc_slots *slots, void *whose)
{
    struct mgc_slot_user *grown = realloc(slots->users, (slots->count + 1) * sizeof(*slots->users));
    if (!grown)
        return false;
    grown[slots->count++] = (struct mgc_slot_user){.user = whose};
    slots->users = grown;
    return true;
}

/* Those that have one, and those that wait and came before `turn`. */
static size_t count_before(
    const struct mgc_slots *slots, const char *what, size_t turn, void **ret_holder)
{
    size_t count = 0;
    for (size_t i = 0; i < slots->count; i++) {
        const struct mgc_slot_user *user = &slots->users[i];
        if (!is_of(user, what) || (!user->has && user->turn >= turn))
            continue;
        count++;
        if (ret_holder && (user->has || !*ret_holder))
            *ret_holder = user->user;
    }
    return count;
}

bool mgc_slots_take(
    struct mgc_slots *slots, const char *what, size_t limit, void *whose, void **ret_holder)
{
    struct mgc_slot_user *row = row_of(slots, whose);
    if (ret_holder)
        *ret_holder = NULL;
    assert(row);
    if (!row->what) {
        row->what = what;
        row->turn = slots->turns++;
    }
    row->has = row->has || count_before(slots, what, row->turn, ret_holder) < limit;
    return row->has;
}

/* All that wait are woken: who asks out of turn goes on waiting. */
void mgc_slots_drop(struct mgc_slots *slots, void *whose)
{
    struct mgc_slot_user *row = row_of(slots, whose);
    if (!row || !row->what)
        return;
    const char *what = row->what;
    row->what = NULL;
    row->has = false;
    for (size_t i = 0; slots->wake && i < slots->count; i++) {
        if (is_of(&slots->users[i], what) && !slots->users[i].has)
            slots->wake(slots->user, slots->users[i].user);
    }
}
