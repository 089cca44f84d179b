/* In which order the cells of a plan come.
 *
 * A lane alone keeps the sequence that people know of it. Lanes together, with `interleave: round`,
 * come workload by workload: first the pictures of all arms (a wrong one makes the numbers
 * worthless), then the rounds, each with every arm of every lane once, in the plan's order.
 *
 * Cells that cross hosts stand together in a round, where the first of them has its turn, so that
 * one pair of brackets goes around them: a block. What order is random within them stays random;
 * that they are neighbours is the price of a link looked at twice per round and not twice per cell.
 *
 * At the very end, when all regular rounds of all workloads are over, come the confirming rounds
 * (`confirm`): each arm of each workload, under confirm/ and with numbers that go on after the
 * regular ones. Which of them are run the gate says when their turn comes.
 */
#ifndef MGC_PLAN_SEQUENCE_H
#define MGC_PLAN_SEQUENCE_H

#include "coordinator/plan/lane.h"

/* Append the cells of all items; `lanes` are those of the plan. False: no memory. */
bool mgc_sequence(const struct mgc_lane_input *input, const struct mgc_lane *const *lanes,
    size_t lane_count, struct mgc_plan *plan);

/* Order of `count` things in the round `rep`: ret_order[i] is the index of the i-th.
 * `rotate` begins with thing (rep - 1) mod count; `shuffle` is a Fisher-Yates shuffle by SplitMix64
 * (Steele, Lea, Flood 2014), seeded with seed, salt and rep; NULL and `fixed`: as they are. Pure.
 */
void mgc_sequence_order(
    const char *order, int64_t seed, size_t salt, int64_t rep, size_t count, size_t *ret_order);

#endif
