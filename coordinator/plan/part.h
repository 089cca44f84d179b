/* Parts of a plan: cells that are begun together or not at all, so that arms stay balanced - a
 * round with its brackets, the pictures of a workload. Setup and close belong to none. Pure.
 */
#ifndef MGC_PLAN_PART_H
#define MGC_PLAN_PART_H

#include "common/base/buf.h"
#include "coordinator/plan/estimate.h"

struct mgc_part {
    const struct mgc_cell *cells; /* of the plan: neighbours, brackets among them */
    size_t count;
    size_t measured;      /* of them: cells to measure */
    int64_t round;        /* 0: pictures */
    bool confirm;         /* run only when the regression gate asks for it */
    const char *workload; /* NULL: of several */
};

/* The first part at or behind `*at`, an index among the plan's cells, which is then moved behind
 * the part. False: there is none. */
bool mgc_plan_next_part(const struct mgc_plan *plan, size_t *at, struct mgc_part *ret_part);

/* Append "round 2 of openra", "the pictures of rd12", "confirming round 6 of openra". */
void mgc_part_put(const struct mgc_part *part, struct mgc_buf *out);

/* Sum over its cells; a cell about which nothing is known counts as 0. */
int64_t mgc_part_ms(const struct mgc_part *part, struct mgc_estimates *estimates);

#endif
