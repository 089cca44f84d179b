#include "coordinator/sched/turns.h"

#include <assert.h>
#include <stdlib.h>

bool mgc_turns_init(struct mgc_turns *turns, const struct mgc_plan *plan, size_t first)
{
    *turns = (struct mgc_turns){.plan = plan, .next = first};
    turns->made = calloc(plan->cell_count + 1, sizeof(*turns->made));
    return turns->made != NULL;
}

void mgc_turns_destroy(struct mgc_turns *turns)
{
    free(turns->again);
    free(turns->made);
    *turns = (struct mgc_turns){0};
}

bool mgc_turns_left(const struct mgc_turns *turns)
{
    return turns->again_head < turns->again_count || turns->next < turns->plan->cell_count;
}

struct mgc_turn mgc_turns_take(struct mgc_turns *turns)
{
    if (turns->again_head < turns->again_count)
        return turns->again[turns->again_head++];
    if (turns->next < turns->plan->cell_count)
        return (struct mgc_turn){.cell = &turns->plan->cells[turns->next++]};
    return (struct mgc_turn){0};
}

static bool waits(const struct mgc_turns *turns, const struct mgc_turn *turn)
{
    for (size_t i = turns->again_head; i < turns->again_count; i++) {
        if (turns->again[i].cell == turn->cell && turns->again[i].sake == turn->sake)
            return true;
    }
    return false;
}

bool mgc_turns_put(struct mgc_turns *turns, const struct mgc_turn *put, size_t count)
{
    size_t needed = turns->again_count + count;
    if (needed > turns->again_size) {
        size_t size = needed * 2;
        struct mgc_turn *again = realloc(turns->again, size * sizeof(*again));
        if (!again)
            return false;
        turns->again = again;
        turns->again_size = size;
    }
    for (size_t i = 0; i < count; i++) {
        if (waits(turns, &put[i]))
            continue;
        turns->again[turns->again_count] = put[i];
        turns->again[turns->again_count++].again = true;
    }
    return true;
}

int *mgc_turns_made(const struct mgc_turns *turns, const struct mgc_cell *cell)
{
    size_t index = (size_t)(cell - turns->plan->cells);
    assert(index < turns->plan->cell_count);
    return &turns->made[index];
}
