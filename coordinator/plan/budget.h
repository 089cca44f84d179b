/* The plan's budgets (`budget.*`): how many cells may come to nothing, and how long a run may take.
 *
 * Time that is over stops nothing that is on. It decides what begins: a part of the plan (part.h)
 * that would not fit any more is left out as a whole. So that workloads stay balanced, too, a round
 * after the first waits for others' turn: it begins only when the rounds of the same number and
 * lower ones that are still to come fit behind it. Pure; both clocks are arguments.
 */
#ifndef MGC_PLAN_BUDGET_H
#define MGC_PLAN_BUDGET_H

#include "coordinator/plan/part.h"
#include "coordinator/plan/problems.h"

/* When a run has to be over. */
struct mgc_time_limit {
    int64_t mono_end_ns; /* by budget.wall_time, mono clock; MGC_NEVER: no such limit */
    int64_t wall_end_ns; /* by budget.end_by, ns since 1970; MGC_NEVER: no such limit */
};

/* Of a run, or a session of a resumed one, that begins now. */
struct mgc_time_limit mgc_time_limit_make(
    const struct mgc_budget *budget, int64_t mono_ns, int64_t wall_ns);
bool mgc_time_is_limited(const struct mgc_time_limit *limit);
/* Until what comes first; below 0: it is over; MGC_NEVER: no limit. */
int64_t mgc_time_left_ns(const struct mgc_time_limit *limit, int64_t mono_ns, int64_t wall_ns);
/* Append "budget.wall_time (2 h 0 min)" or "budget.end_by (06:30)": what comes first. */
void mgc_time_limit_put(const struct mgc_time_limit *limit, const struct mgc_budget *budget,
    int64_t mono_ns, int64_t wall_ns, struct mgc_buf *out);

/* Is the cell still to be run, as far as is known? NULL: every cell is. */
typedef bool mgc_still_to_come(void *user, const struct mgc_cell *cell);

struct mgc_part_need {
    int64_t own_ms;    /* the part itself */
    int64_t others_ms; /* rounds of other workloads that have to fit behind it */
    int64_t close_ms;  /* the end of the run */
};
/* What has to fit when the part begins; `behind` is where mgc_plan_next_part() left its index. */
struct mgc_part_need mgc_part_need_of(const struct mgc_plan *plan, const struct mgc_part *part,
    size_t behind, struct mgc_estimates *estimates, mgc_still_to_come *is_to_come, void *user);

/* Complain when not even the setup, the pictures and one round of every workload fit: nothing of
 * that plan would be worth its time. `settings` are those that the plan was made of. */
void mgc_check_budget(const struct mgc_plan *plan, const struct mgc_settings *settings,
    struct mgc_estimates *estimates, int64_t wall_ns, struct mgc_problems *problems);

#endif
