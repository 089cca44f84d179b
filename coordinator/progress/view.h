/* Follows a run by the scheduler's events and knows how far it is, and about how long it still
 * takes by the estimates (coordinator/plan/estimate.h). Pure; time is an argument.
 */
#ifndef MGC_PROGRESS_VIEW_H
#define MGC_PROGRESS_VIEW_H

#include "common/base/error.h"
#include "coordinator/plan/estimate.h"
#include "coordinator/progress/status.h"
#include "coordinator/sched/run.h"

struct mgc_cell_time;

struct mgc_progress_view {
    const struct mgc_plan *plan;     /* borrowed */
    struct mgc_estimates *estimates; /* borrowed */
    struct mgc_cell_time *times;     /* owned; one per cell of the plan */
    size_t *left;                    /* owned; by kind of the estimates: those that are not done */
    size_t counted;                  /* cells that are measured, as far as is known */
    const struct mgc_cell *cell;     /* whose turn it is; NULL: none */
    const struct mgc_step *arrived;
    size_t number; /* that cell's, among those that are counted; 0: it is not measured */
    int attempt;
    int64_t start_ns, cell_start_ns;
    char phase[96];
};

/* What cells take is asked of the estimates, and told to them when attempts end well. */
bool mgc_progress_view_init(struct mgc_progress_view *view, const struct mgc_plan *plan,
    struct mgc_estimates *estimates, int64_t now_ns, struct mgc_error *err);
/* Finished before this session of the run: takes no time any more. */
void mgc_progress_view_kept(struct mgc_progress_view *view, const struct mgc_cell *cell);
void mgc_progress_view_destroy(struct mgc_progress_view *view); /* takes NULL and zeroed */

void mgc_progress_view_take(
    struct mgc_progress_view *view, const struct mgc_progress *event, int64_t now_ns);
struct mgc_status mgc_progress_view_status(const struct mgc_progress_view *view, int64_t now_ns);

#endif
