/* Link tests in REPORT.md and in the terminal; both print nothing where the run has none. Internal
 * to report/. */
#ifndef MGC_REPORT_LINK_H
#define MGC_REPORT_LINK_H

#include "common/base/buf.h"
#include "coordinator/merge/results.h"

void mgc_section_link(const struct mgc_results *results, struct mgc_buf *out);
void mgc_table_link(const struct mgc_results *results, int width, struct mgc_buf *out);

#endif
