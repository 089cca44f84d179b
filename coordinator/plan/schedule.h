/* What a plan comes to when it begins now: its parts one after the other, which of them fit into
 * the budget of time, and when it ends. The same rule as a run's own (budget.h). Pure.
 */
#ifndef MGC_PLAN_SCHEDULE_H
#define MGC_PLAN_SCHEDULE_H

#include "common/json/json.h"
#include "coordinator/plan/budget.h"

struct mgc_schedule_row {
    struct mgc_part part;
    int64_t ms;
    bool left_out; /* the budget of time has no room for it */
};

struct mgc_schedule {
    struct mgc_schedule_row *rows; /* owned; in the plan's order, confirming rounds too */
    size_t count;
    struct mgc_estimate setup, close;
    int64_t total_ms; /* setup, close and what fits, without confirming rounds */
    size_t left_out;  /* rows */
    bool complete;    /* something is known of every cell to measure, and of setup and close */
    int64_t wall_ns;  /* it begins */
    struct mgc_time_limit limit;
};

bool mgc_schedule_make(const struct mgc_plan *plan, struct mgc_estimates *estimates,
    int64_t wall_ns, struct mgc_schedule *ret_schedule, struct mgc_error *err);
void mgc_schedule_destroy(struct mgc_schedule *schedule); /* takes NULL and zeroed */

/* Parts with their estimates, the total, when it ends (local time), and whether that fits. */
void mgc_schedule_print(
    const struct mgc_schedule *schedule, const struct mgc_plan *plan, struct mgc_buf *out);
/* The same, with each cell's estimate and where it is from. New reference; NULL: no memory. */
json_t *mgc_schedule_to_json(const struct mgc_schedule *schedule, const struct mgc_plan *plan,
    struct mgc_estimates *estimates);

#endif
