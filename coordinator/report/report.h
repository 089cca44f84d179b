/* The forms a result is printed in; one file per form, each a pure function into a buffer. */
#ifndef MGC_REPORT_REPORT_H
#define MGC_REPORT_REPORT_H

#include "common/base/buf.h"
#include "common/base/error.h"
#include "coordinator/merge/results.h"

typedef bool mgc_report_form(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);

/* Write all files of a run's end into its directory, each whole or not at all; also after a first
 * failure, which err then tells. */
bool mgc_report_write(const struct mgc_results *results, const char *dir, struct mgc_error *err);
/* Name of the nth of them, "summary.json" the last; NULL: there are not so many. */
const char *mgc_report_file(size_t nth);

/* REPORT.md: verdicts and reasons first, then the table, proof per cell, path check, clocks, hosts,
 * device. Every number names its n; a lab phone's table says so in its title. */
bool mgc_report_markdown(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);
/* The table for the terminal, at most `columns` wide: columns are left out and sentences folded. 0:
 * as wide as needed, which is 120 for usual cell names, and each sentence on one line. */
bool mgc_report_table(
    const struct mgc_results *results, int columns, struct mgc_buf *out, struct mgc_error *err);
/* junit.xml, for continuous integration: one testcase per cell of the plan, whose time is the whole
 * attempt's (absent: it never began). */
bool mgc_report_junit(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);
/* cells.csv, for spreadsheets: one row per cell of the plan. */
bool mgc_report_cells_csv(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);
/* The run in one sentence without a line end: "crosshost on lab phone (...): 6 of 7 cells measured,
 * 1 failed (worker-lost)". */
bool mgc_report_sentence(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);
/* summary.json, readable by the old crosshost_report.py and documented in docs/results.md. */
bool mgc_report_summary_json(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);
/* state.json: what summary.json will say of the run's course, for a run that is killed before. */
bool mgc_report_state_json(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);
/* run.json's "cells" after the fact: verdict with evidence of one attempt, as verdict.json in its
 * directory. `result`: the cell's, for what it is held against; NULL where there is none. */
bool mgc_report_verdict_json(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict,
    const struct mgc_cell_result *result, struct mgc_buf *out, struct mgc_error *err);
/* The text of a setup's verdict.json with a step that held for the whole run as it ended, added to
 * "holders"; "steps" keep what they were when the setup was settled. */
bool mgc_report_verdict_add_holder(const void *data, size_t len, const struct mgc_step *step,
    const struct mgc_step_outcome *outcome, struct mgc_buf *out, struct mgc_error *err);
/* The text of a verdict.json with this verdict in place of its own; the rest stays. */
bool mgc_report_verdict_amend(const void *data, size_t len, const struct mgc_verdict *verdict,
    struct mgc_buf *out, struct mgc_error *err);

#endif
