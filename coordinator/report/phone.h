/* What the report says of cells on the phone: sections of REPORT.md, each printed whole with an
 * empty line at its end, and the terminal's table. Internal to report/.
 *
 * A section prints nothing where the run has nothing for it.
 */
#ifndef MGC_REPORT_PHONE_H
#define MGC_REPORT_PHONE_H

#include "coordinator/merge/aggregate.h"
#include "coordinator/merge/comparisons.h"

/* phone_plan.c: reference, order, seed, rules that fired; hashes of what ran, knobs */
void mgc_phone_order(const struct mgc_results *results, struct mgc_buf *out);
void mgc_phone_builds(const struct mgc_results *results, struct mgc_buf *out);

/* phone_compare.c: each arm against the reference */
void mgc_phone_comparisons(const struct mgc_arm_comparison *list, size_t count,
    const struct mgc_results *results, struct mgc_buf *out);

/* every arm with a backend against itself with another */
void mgc_phone_backends(const struct mgc_arm_comparison *list, size_t count, struct mgc_buf *out);

/* Of one workload. phone_runs.c: single runs; phone_arms.c: best of n; phone_pictures.c: ssim;
 * phone_proof.c: which arm it really was; phone_counters.c: MobileGL's own counters;
 * phone_device.c: what the phone did and what the cell cost. */
void mgc_phone_runs(const struct mgc_results *results, const char *workload, struct mgc_buf *out);
void mgc_phone_frames(const struct mgc_results *results, const char *workload, struct mgc_buf *out);
void mgc_phone_arms(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, const char *workload, struct mgc_buf *out);
void mgc_phone_pictures(
    const struct mgc_results *results, const char *workload, struct mgc_buf *out);
void mgc_phone_proof(const struct mgc_results *results, const char *workload, struct mgc_buf *out);
void mgc_phone_counters(
    const struct mgc_results *results, const char *workload, struct mgc_buf *out);
/* phone_moved.c: by what each arm moved its bytes */
void mgc_phone_moved(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, const char *workload, struct mgc_buf *out);
void mgc_phone_device(const struct mgc_results *results, const char *workload, struct mgc_buf *out);

/* phone.c: all of them in order, and where figures differ from the old reports'. */
bool mgc_phone_sections(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);

/* table_caveats.c; width as of mgc_report_table. The workloads whose rounds keep few frames after
 * the skip window; and, where something is called faster or slower, that arms had fixed places. */
void mgc_table_few_kept(const struct mgc_results *results, int width, struct mgc_buf *out);
/* Cells whose mean few frames make, the first of them. */
void mgc_table_mean_apart(const struct mgc_results *results, int width, struct mgc_buf *out);
bool mgc_arms_are_told_apart(const struct mgc_arm_comparison *list, size_t count);
void mgc_table_fixed_order(const struct mgc_results *results, int width, struct mgc_buf *out);
/* table_pictures.c */
void mgc_table_pictures(const struct mgc_results *results, int width, struct mgc_buf *out);
/* table_phone.c; width as of mgc_report_table */
bool mgc_table_phone(
    const struct mgc_results *results, int width, struct mgc_buf *out, struct mgc_error *err);

/* fixtures.c; width likewise. A run of that kind has no cells. */
bool mgc_brings_fixtures_only(const struct mgc_results *results);
void mgc_table_fixtures(const struct mgc_results *results, int width, struct mgc_buf *out);

/* ---- shared pieces (phone_parts.c) ---- */

/* The next cell on the phone of that workload from *at on, which then stands behind it; NULL: no
 * more. NULL workload: of any. */
const struct mgc_cell_result *mgc_phone_next(
    const struct mgc_results *results, const char *workload, size_t *at);
/* "tcp"; "tcp (DirectVulkan)" where the run has several backends */
void mgc_phone_arm_text(const struct mgc_results *results, const char *arm, const char *backend,
    char *ret_text, size_t size);
/* First cell of each workload in order; false: it is not the first one. */
bool mgc_phone_is_first(const struct mgc_results *results, const struct mgc_cell_result *cell);

/* Head of a table; a title that begins with '>' stands to the right. Ended by NULL. */
void mgc_md_head(const char *const *titles, struct mgc_buf *out);
/* Cells of a row: " TEXT |". Absent is "-". The row begins with '|' and ends with a line end, by
 * mgc_md_begin and mgc_md_end. */
void mgc_md_begin(struct mgc_buf *out);
void mgc_md_end(struct mgc_buf *out);
void mgc_md_text(const char *text, struct mgc_buf *out);
void mgc_md_arm(
    const struct mgc_results *results, const struct mgc_cell *cell, struct mgc_buf *out);
void mgc_md_rep(const struct mgc_cell *cell, struct mgc_buf *out);
void mgc_md_verdict(const struct mgc_cell_result *cell, struct mgc_buf *out);
void mgc_md_real(double value, int decimals, struct mgc_buf *out);
/* Frames per second: a slow workload's 0.84 would be 0.8. */
void mgc_md_fps(double value, struct mgc_buf *out);
void mgc_md_metric_fps(const struct mgc_cell_result *cell, const char *metric, struct mgc_buf *out);
/* The metric times `scale`. */
void mgc_md_metric(const struct mgc_cell_result *cell, const char *metric, double scale,
    int decimals, struct mgc_buf *out);

#endif
