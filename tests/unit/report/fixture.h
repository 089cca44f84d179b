/* The merged result of a run on the lab phone: cells of every kind of verdict, awkward text. */
#ifndef MGC_TESTS_REPORT_FIXTURE_H
#define MGC_TESTS_REPORT_FIXTURE_H

#include "coordinator/merge/results.h"

struct report_fixture {
    struct mgc_plan plan; /* its strings are literals: not to be destroyed */
    struct mgc_cell cells[7];
    struct mgc_results results;
};

void report_fixture_make(struct report_fixture *fixture);
/* The same plan, interrupted before anything was measured; nothing known of device or hosts. */
void report_fixture_make_empty(struct report_fixture *fixture);
/* The cell was measured, with this credit and rate. */
void report_fixture_measure(struct mgc_cell_result *cell, int64_t credit, double fps);
void report_fixture_destroy(struct report_fixture *fixture);

#endif
