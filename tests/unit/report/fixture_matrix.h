/* The merged result of a run of the matrix on the lab phone: openra on four arms for three rounds
 * and its pictures; rd12 on two arms, so slow that a rule left its third round out. One cell is
 * throttled, one app died. */
#ifndef MGC_TESTS_REPORT_FIXTURE_MATRIX_H
#define MGC_TESTS_REPORT_FIXTURE_MATRIX_H

#include "coordinator/merge/results.h"

enum { MATRIX_CELLS = 24 };

struct matrix_fixture {
    struct mgc_plan plan; /* its strings are literals: not to be destroyed */
    struct mgc_cell cells[MATRIX_CELLS];
    char ids[MATRIX_CELLS][32];
    struct mgc_results results;
};

void matrix_fixture_make(struct matrix_fixture *fixture);
void matrix_fixture_destroy(struct matrix_fixture *fixture);

#endif
