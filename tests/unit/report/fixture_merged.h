/* The result of a small night: arms on the phone and across hosts in the same rounds, with looks at
 * the path around each block. One cell was measured again, one was voided by its path. */
#ifndef MGC_TESTS_REPORT_FIXTURE_MERGED_H
#define MGC_TESTS_REPORT_FIXTURE_MERGED_H

#include "coordinator/merge/results.h"

struct merged_fixture {
    struct mgc_plan plan; /* its strings are literals or in here: not to be destroyed */
    struct mgc_cell cells[48];
    char ids[48][48];
    struct mgc_results results;
};

void merged_fixture_make(struct merged_fixture *fixture);
void merged_fixture_destroy(struct merged_fixture *fixture);
/* The benchmark of that arm in that round. */
struct mgc_cell_result *merged_fixture_cell(
    struct merged_fixture *fixture, const char *arm, int64_t rep);

#endif
