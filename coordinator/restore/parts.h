/* The parts of restore/. Internal. */
#ifndef MGC_RESTORE_PARTS_H
#define MGC_RESTORE_PARTS_H

#include "common/base/path.h"
#include "common/json/json.h"
#include "coordinator/restore/restore.h"

/* A JSON file below dir; NULL: MGC_E_NOT_FOUND, or it cannot be read. */
json_t *mgc_restore_json(const char *dir, const char *name, struct mgc_error *err);
const char *mgc_restore_text(const json_t *object, const char *key); /* NULL when absent */
int64_t mgc_restore_int(const json_t *object, const char *key, int64_t fallback);
double mgc_restore_real(const json_t *object, const char *key, double fallback);
void mgc_restore_fields(const json_t *object, struct mgc_fields *fields); /* merges */
/* Of verdict.json, as it stands there; believe.c asks whether it can be. */
void mgc_restore_verdict(const json_t *object, struct mgc_verdict *verdict);
/* False: no state has that name (or it is NULL). */
bool mgc_restore_state(const char *name, enum mgc_verdict_state *ret_state);
/* Of a verdict.json: how often the cell had gone again. */
int64_t mgc_restore_replaced(const json_t *doc);
/* A note for the reader, once. */
void mgc_restore_note(struct mgc_restored *restored, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* believe.c: the cell's verdict from its verdict.json. False: the document does not hold together
 * (another cell's, another schema's, measured without good evidence), and the verdict says so. */
bool mgc_restore_believe(
    const json_t *doc, const struct mgc_cell *cell, struct mgc_verdict *verdict);
/* Note which files of the attempt's manifest are not in dir. */
void mgc_restore_check_files(
    struct mgc_restored *restored, const char *dir, const struct mgc_cell *cell);

/* plan.c: run.json's plan. */
bool mgc_restore_plan(const json_t *json, struct mgc_plan *plan, struct mgc_error *err);
/* cells.c: verdicts of all cells, setup and close too. */
void mgc_restore_cells(struct mgc_restored *restored, const char *dir);
/* left_out.c: `left_out` of summary.json or state.json, after the cells; what had an attempt has a
 * verdict of its own. */
void mgc_restore_left_out(const json_t *list, struct mgc_results *results);
/* run.c */
bool mgc_restore_run(struct mgc_restored *restored, const char *dir, struct mgc_error *err);
/* old.c: is it such a directory (or its parent), and which are the runs? */
bool mgc_restore_is_old(const char *dir, char ret_dir[MGC_PATH_MAX]);
bool mgc_restore_old(struct mgc_restored *restored, const char *dir, struct mgc_error *err);

/* old_matrix.c: the same for run_matrix.sh and matrix_p14.sh */
bool mgc_restore_is_old_matrix(const char *dir);
bool mgc_restore_old_matrix(struct mgc_restored *restored, const char *dir, struct mgc_error *err);

struct mgc_old_cell {
    char id[MGC_PATH_MAX];          /* "openra/tcp-r1", "openra/DirectGLES/tcp-r1" */
    char arm[64];                   /* "tcp", "shm@p14" */
    const char *workload, *backend; /* borrowed; backend may be NULL */
    bool ssim;
    int64_t rep; /* 1 for ssim */
};
typedef bool mgc_old_cell_fn(void *user, const struct mgc_old_cell *cell);
/* Every run's directory in dir. False: there is none, or fn failed. */
bool mgc_old_cells_visit(const char *dir, mgc_old_cell_fn *fn, void *user);
/* old_cell.c */
void mgc_old_cell_judge(
    struct mgc_restored *restored, const char *dir, struct mgc_cell_result *cell);
/* old_summary.c: notes for what its summary.json says otherwise, if it has one */
void mgc_old_summary_compare(struct mgc_restored *restored, const char *dir);

#endif
