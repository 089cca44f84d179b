/* A run that was cut off (a crash, a reboot, Ctrl-C) and is to go on: which run it is, whether
 * anything is left to do, and whether it is still the same run. Then mgc_session_run takes it on.
 *
 * While it is open, the results root's lock is ours, so nobody else writes there. One thread.
 */
#ifndef MGC_SESSION_RESUME_H
#define MGC_SESSION_RESUME_H

#include "common/json/json.h"
#include "coordinator/plan/problems.h"
#include "coordinator/plan/site.h"
#include "coordinator/restore/restore.h"
#include "coordinator/store/run_dir.h"

struct mgc_resume {
    struct mgc_run_dir dir;        /* open until a session takes it over */
    json_t *record;                /* run.json; owned */
    struct mgc_restored *restored; /* what is on disk; owned */
};

/* `run` is a run id, "last" (the newest by its id), or a run's directory, below `results`.
 * MGC_E_USAGE: there is no such run; MGC_E_BUSY: a run is on, and which. On false nothing is owned.
 */
bool mgc_resume_open(
    struct mgc_resume *resume, const char *results, const char *run, struct mgc_error *err);
/* The same in two steps: first the directory, with its lock; then what stands there, taking `dir`
 * over, also on false. */
bool mgc_resume_root(
    struct mgc_run_dir *dir, const char *results, const char *run, struct mgc_error *err);
bool mgc_resume_take(struct mgc_resume *resume, struct mgc_run_dir *dir, struct mgc_error *err);
void mgc_resume_close(struct mgc_resume *resume); /* takes NULL and zeroed */

/* Nothing is left: it came to its end and every cell has its verdict for good. */
bool mgc_resume_is_complete(const struct mgc_resume *resume);

/* Settings, plan and build as they are now, held against run.json: one problem per difference. */
void mgc_resume_match(const struct mgc_resume *resume, const struct mgc_site *site,
    const struct mgc_plan *plan, struct mgc_problems *problems);

/* ---- cells (resume_cells.c); what the session asks ---- */

/* What became of a cell of the plan, or of setup and close, before. */
struct mgc_standing {
    bool kept;     /* its verdict stands */
    int attempt;   /* the one that has it, or had it; 0: none was the cell's own */
    int last;      /* the highest number that there was, of those for another cell's sake too */
    int made;      /* attempts of its own */
    int spent;     /* of the budget of retries */
    bool settled;  /* it stands at RUN/CELL-ID */
    char why[256]; /* not kept, although there was a verdict that seemed final: what is damaged */
};

/* Looks at the files of attempt and verdict; reads only. `result` is NULL for setup and close.
 * `results` are of the present plan: a cell that its budget is to replace is kept until it goes
 * again; NULL: such a cell counts as not finished. */
void mgc_resume_look(const struct mgc_resume *resume, const struct mgc_run_dir *dir,
    const struct mgc_cell *cell, const struct mgc_cell_result *result,
    const struct mgc_results *results, struct mgc_standing *ret_standing);

/* Put the directories of all cells in order: what is kept stands at RUN/CELL-ID, all else below
 * attempts/, each with a verdict that is not `measured`. Can be done again after it was cut off.
 * `results` are of the present plan, and get what is kept. ret_standings: one per cell of the plan.
 */
bool mgc_resume_cells(struct mgc_resume *resume, const struct mgc_run_dir *dir,
    struct mgc_results *results, struct mgc_standing *ret_standings, struct mgc_error *err);

#endif
