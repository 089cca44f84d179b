/* Of the terminal's table: what proved the measured cells. Internal to report/. */
#ifndef MGC_REPORT_TABLE_PROOF_H
#define MGC_REPORT_TABLE_PROOF_H

#include "common/base/buf.h"
#include "coordinator/merge/results.h"

/* Cells that were proved by the same checks share a sentence; each ends with a newline. The lines
 * and files that the checks rest on stand in REPORT.md. Cells for which `skip` says so are left
 * out; NULL: none. */
void mgc_table_proofs(const struct mgc_results *results, bool (*skip)(const struct mgc_cell *cell),
    struct mgc_buf *out);

#endif
