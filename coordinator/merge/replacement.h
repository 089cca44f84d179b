/* Which cells are measured again since something around them, and not their arm, spoiled them: the
 * phone throttled, left its temperature band or lost a knob, the path changed, the link moved, a
 * clock jumped, a worker or adb was lost for a while, somebody else used the phone.
 *
 * A cell measured again an hour later is no neighbour of its round any more. So the round's
 * reference cell is measured again right before it, and only the replaced cell is held against
 * that: the other arms of the round keep the reference that stood beside them (a replacement pair).
 * Cells between brackets go again as a block, with brackets of their own.
 */
#ifndef MGC_MERGE_REPLACEMENT_H
#define MGC_MERGE_REPLACEMENT_H

#include "coordinator/merge/results.h"
#include "coordinator/sched/turns.h"

enum { MGC_REPLACEMENT_TURNS_MAX = 64 };

/* A cell, or a bracket after a block, has just been judged and its verdict is in the results. Gives
 * the turns that replace what is to be replaced within the plan's budget (plan->replacements cells
 * altogether, retries_per_cell for each), takes them from the budget, and marks their cells
 * (again). 0: nothing. */
size_t mgc_replace(struct mgc_results *results, const struct mgc_cell *judged,
    struct mgc_turn ret_turns[MGC_REPLACEMENT_TURNS_MAX]);

/* Will mgc_replace give this cell, whose verdict has just been set, a further turn behind its
 * round's reference, at once or after its block? Then it is not simply tried again: what stood
 * beside it may be long ago. */
bool mgc_replacement_due(const struct mgc_results *results, const struct mgc_cell_result *cell);

/* The round's reference was measured again for the sake of that cell: it stands beside it, and
 * beside the others of its block that go again. Copies the verdict. False: no memory. */
bool mgc_replacement_beside(struct mgc_results *results, const struct mgc_cell *sake,
    const struct mgc_cell *reference, int attempt, const struct mgc_verdict *verdict);
/* The same for one cell, as read back. */
bool mgc_replacement_stand(struct mgc_cell_result *cell, const struct mgc_cell *reference,
    int attempt, const struct mgc_verdict *verdict);

#endif
