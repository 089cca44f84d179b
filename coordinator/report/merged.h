/* What the report says of a run with several lanes (coordinator/merge/merged.h): the terminal's
 * table, sections of REPORT.md and a part of summary.json. Internal to report/.
 */
#ifndef MGC_REPORT_MERGED_H
#define MGC_REPORT_MERGED_H

#include "common/base/buf.h"
#include "common/json/json.h"
#include "coordinator/merge/merged.h"

/* table_merged.c; width as of mgc_report_table */
bool mgc_table_merged(
    const struct mgc_results *results, int width, struct mgc_buf *out, struct mgc_error *err);

/* markdown_merged.c: all arms, the penalty, looks at the link, pictures and proof of all lanes. */
bool mgc_sections_merged(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);

/* json_merged.c: "merged". */
bool mgc_part_merged(const struct mgc_results *results, json_t *doc, struct mgc_error *err);

/* ---- shared pieces (table_merged.c) ---- */

/* "+70.5 % (-6.1 to +98.0), n = 2, slower *": n only where the line's own number is not known to be
 * the same; the star leads to the footnote on the client's CPU. */
void mgc_merged_against(
    const struct mgc_arm_comparison *row, size_t known_n, char *text, size_t size);
/* "phone", "host *" */
const char *mgc_merged_client(const struct mgc_cell *cell);
/* "end to end"; or the reason. NULL: "none". */
const char *mgc_merged_look(const struct mgc_bracket_result *bracket);
/* "92.10 to 94.10", over the looks; "-": not tested. */
void mgc_merged_range(
    const struct mgc_link_effect *link, enum mgc_link_figure figure, char *text, size_t size);
/* "up 94.10, down 93.88 Mbit/s, rtt 1.20 ms", as far as it was measured; "": it was not. */
void mgc_merged_link(const struct mgc_bracket_result *bracket, char *text, size_t size);

#endif
