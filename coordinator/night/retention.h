/* Retention: which old run directories a plan lets go, and letting them go.
 *
 *   RESULTS/RUN-ID  --rename-->  RESULTS/.trash/RUN-ID  --removed file by file
 *
 * A run is there whole, or not at all: what a kill leaves in .trash is removed by the next run.
 * What removes is called under the lock of the results root, so that no run is on there.
 */
#ifndef MGC_NIGHT_RETENTION_H
#define MGC_NIGHT_RETENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "coordinator/plan/settings.h"

struct mgc_retention {
    int64_t runs;       /* the newest so many runs of the plan stay, the present one is the first of
                           them; 0: not limited by number */
    int64_t days;       /* those that began within so many days stay; 0: not limited by age */
    bool drop_attempts; /* of the runs that stay, attempts that were superseded go */
};

/* False: the plan says nothing, so nothing goes. */
bool mgc_retention_read(const struct mgc_settings *settings, struct mgc_retention *ret_retention);

enum mgc_kept { /* why a run stays that the limits would let go */
    MGC_KEPT_NOT,
    MGC_KEPT_MARKED,  /* it has a file `keep` */
    MGC_KEPT_LOCKED,  /* somebody holds its file `lock`, or its control socket is there */
    MGC_KEPT_UNKNOWN, /* the history does not have it: its numbers would be lost */
};
const char *mgc_kept_text(enum mgc_kept kept);

struct mgc_old_run {
    char run_id[128];
    int64_t start_wall_ns;
    enum mgc_kept kept;
    bool goes;    /* by the limits; with `kept` it stays all the same */
    bool several; /* phones */
};

struct mgc_old_runs {
    struct mgc_old_run *items; /* owned; newest first */
    size_t count;
};
void mgc_old_runs_destroy(struct mgc_old_runs *runs); /* takes NULL and zeroed */

/* Set `goes`: older than each limit that is given. `runs` are those of the plan beside the present
 * one, newest first. Pure. */
void mgc_retention_choose(
    const struct mgc_retention *retention, int64_t now_wall_ns, struct mgc_old_runs *runs);

/* The runs of that plan in RESULTS, without the present one; what mgcoord did not make, symbolic
 * links and damaged directories are not among them. MGC_E_*: the results root or the history cannot
 * be read. */
bool mgc_retention_look(const char *results, const char *plan, const char *present_run_id,
    const struct mgc_retention *retention, struct mgc_old_runs *ret_runs, struct mgc_error *err);

/* Look, choose, and remove. `tell` gets one sentence for each run that went, or that should have
 * gone and stays; after a failure the rest is left to the next run. */
typedef void mgc_retention_tell(void *user, const char *sentence);
bool mgc_retention_apply(const char *results, const char *plan, const char *present_run_id,
    const struct mgc_retention *retention, mgc_retention_tell *tell, void *user,
    struct mgc_error *err);

#endif
