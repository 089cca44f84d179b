/* A run on several phones as one: a row per phone, with its verdicts, the speed of its reference
 * arm, and where its own report is. Each form is a pure function into a buffer.
 */
#ifndef MGC_REPORT_FLEET_H
#define MGC_REPORT_FLEET_H

#include "common/base/buf.h"
#include "common/base/error.h"
#include "coordinator/merge/results.h"

struct mgc_fleet_row { /* strings and results are borrowed */
    const char *phone;
    const char *dir;                   /* below the run's: "phones/p1" */
    const struct mgc_results *results; /* NULL: it has none */
    const char *refused;               /* the same: why */
};

struct mgc_fleet_report {
    const char *run_id;
    const char *plan;
    const struct mgc_fleet_row *rows; /* in the site's order */
    size_t count;
};

/* The worst of its phones: 4 before 2 before 3 before 1 before 0. */
int mgc_fleet_exit_code(const struct mgc_fleet_report *report);
/* "crosshost on 4 phones: 15 of 16 cells measured, ...; not as planned: p3 (...)". */
bool mgc_fleet_sentence(
    const struct mgc_fleet_report *report, struct mgc_buf *out, struct mgc_error *err);

typedef bool mgc_fleet_form(
    const struct mgc_fleet_report *report, struct mgc_buf *out, struct mgc_error *err);
mgc_fleet_form mgc_fleet_table;    /* for the terminal */
mgc_fleet_form mgc_fleet_markdown; /* REPORT.md */
mgc_fleet_form mgc_fleet_json;     /* summary.json (docs/results.md) */
mgc_fleet_form mgc_fleet_junit;    /* junit.xml: the suites of all phones, "p1.matrix.openra" */

/* Write all files of the run's end, each whole or not at all; also after a first failure, which err
 * then tells. */
bool mgc_fleet_write(const struct mgc_fleet_report *report, const char *dir, struct mgc_error *err);
/* Name of the nth of them; NULL: there are not so many. */
const char *mgc_fleet_file(size_t nth);

/* ---- what the forms share ---- */

struct mgc_fleet_counts {
    size_t cells, measured, failed, invalid, skipped, open; /* open: nobody knows any more */
};
struct mgc_fleet_counts mgc_fleet_count(const struct mgc_fleet_row *row);
/* Exit code of one phone. */
int mgc_fleet_row_code(const struct mgc_fleet_row *row);
/* Why it is not as planned, in one sentence; empty when it is. */
void mgc_fleet_row_reason(const struct mgc_fleet_row *row, struct mgc_buf *out);

enum { MGC_FLEET_WORKLOADS_MAX = 8 };
/* Workloads of benchmark cells of any phone, in the order in which they come up; borrowed. */
size_t mgc_fleet_workloads(
    const struct mgc_fleet_report *report, const char *ret_names[MGC_FLEET_WORKLOADS_MAX]);

struct mgc_fleet_speed {
    const char *arm; /* the plan's reference, or its first; NULL: the phone has no such workload */
    size_t n;        /* rounds that count */
    double fps;      /* NAN: none counts */
};
/* Speed of the reference arm. False: no memory. */
bool mgc_fleet_speed(const struct mgc_fleet_row *row, const char *workload,
    struct mgc_fleet_speed *ret_speed, struct mgc_error *err);

#endif
