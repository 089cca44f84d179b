/* Whose turn it is: the cells of the plan in order, and before the next of them those that were
 * given another turn. Also how many attempts each cell has had. No time, no messages.
 */
#ifndef MGC_SCHED_TURNS_H
#define MGC_SCHED_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include "coordinator/plan/plan.h"

struct mgc_turn {
    const struct mgc_cell *cell; /* of the plan; NULL: nobody's turn */
    const struct mgc_cell *sake; /* runs again so that this one has something beside it; or NULL */
    bool again;                  /* not the plan's own turn */
};

struct mgc_turns {
    const struct mgc_plan *plan; /* borrowed */
    size_t next;                 /* index of the plan's next cell */
    struct mgc_turn *again;      /* owned; those from again_head on still wait */
    size_t again_head, again_count, again_size;
    int *made; /* owned; attempts by index of the cell, in this session of the run */
};

bool mgc_turns_init(struct mgc_turns *turns, const struct mgc_plan *plan, size_t first);
void mgc_turns_destroy(struct mgc_turns *turns); /* takes zeroed */
/* Is there another? */
bool mgc_turns_left(const struct mgc_turns *turns);
/* Takes the next one; its cell is NULL when none is left. */
struct mgc_turn mgc_turns_take(struct mgc_turns *turns);
/* Give cells of the plan another turn, behind those that have one already. One whose further turn
 * is still to come, for the same sake, is not put twice. False: no memory, nothing was put. */
bool mgc_turns_put(struct mgc_turns *turns, const struct mgc_turn *put, size_t count);
/* Attempts made of that cell of the plan. */
int *mgc_turns_made(const struct mgc_turns *turns, const struct mgc_cell *cell);

#endif
