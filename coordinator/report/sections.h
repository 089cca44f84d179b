/* The sections of REPORT.md, each printed whole, with an empty line at its end. Internal to
 * report/. */
#ifndef MGC_REPORT_SECTIONS_H
#define MGC_REPORT_SECTIONS_H

#include "common/base/buf.h"
#include "coordinator/merge/aggregate.h"

/* markdown_results.c: what was measured */
void mgc_section_verdicts(const struct mgc_results *results, struct mgc_buf *out);
void mgc_section_numbers(const struct mgc_results *results, struct mgc_buf *out);
void mgc_section_evidence(const struct mgc_results *results, struct mgc_buf *out);

/* markdown_repetitions.c: what the rounds say together. Both print nothing where there is nothing
 * to put together: no arm was repeated, no workload was measured with two credits. */
void mgc_section_repetitions(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, struct mgc_buf *out);
void mgc_section_credits(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, struct mgc_buf *out);

/* markdown_settings.c: under which settings */
void mgc_section_settings(const struct mgc_results *results, struct mgc_buf *out);

/* markdown_run.c: where and how */
void mgc_section_path(const struct mgc_results *results, struct mgc_buf *out);
void mgc_section_put_back(const struct mgc_results *results, struct mgc_buf *out);
void mgc_section_starts(const struct mgc_results *results, struct mgc_buf *out);
/* phone_device.c: of cells across hosts, where they were gated and watched */
void mgc_section_phone_across(const struct mgc_results *results, struct mgc_buf *out);
void mgc_section_hosts(const struct mgc_results *results, struct mgc_buf *out);
void mgc_section_device(const struct mgc_results *results, struct mgc_buf *out);
void mgc_section_notes(const struct mgc_results *results, struct mgc_buf *out);

#endif
