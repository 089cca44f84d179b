/* The cross-host table's columns: one list for every form, so that no two forms disagree. */
#ifndef MGC_REPORT_COLUMNS_H
#define MGC_REPORT_COLUMNS_H

#include <stddef.h>

#include "coordinator/merge/results.h"

struct mgc_column {
    const char *title;  /* "steady fps" */
    const char *metric; /* name in the verdict's metrics; NULL: computed by id below */
    int decimals;
};

extern const struct mgc_column mgc_crosshost_columns[]; /* ended by a NULL title */

enum { MGC_COLUMN_TEXT_MAX = 64 };

/* Text of one number; "-" when the metric is absent. */
void mgc_column_text(const struct mgc_column *column, const struct mgc_cell_result *cell,
    char ret_text[MGC_COLUMN_TEXT_MAX]);

/* "measured", or "invalid: lockstep". */
void mgc_verdict_text(const struct mgc_verdict *verdict, char *ret_text, size_t size);

/* Name of the device as it goes on every table: "lab phone (10.99.0.2:5555)", or "unknown device".
 */
void mgc_device_text(const struct mgc_results *results, char *ret_text, size_t size);

#endif
