/* device-state.csv: what host.state read of the phone once a second (docs/tasks.md). Pure parser;
 * the file comes from a worker, so nothing in it is trusted.
 *
 *   # mgdevice state period_ms=1000 clock=monotonic
 *   t_ns,battery_temp_dc,cpu0_cur_khz,...
 *   123456789,312,1574400,...
 *
 * An empty value could not be read.
 */
#ifndef MGC_VERIFY_DEVICE_SERIES_H
#define MGC_VERIFY_DEVICE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum {
    MGC_SERIES_COLUMNS_MAX = 128,
    MGC_SERIES_NAME_MAX = 63,
    MGC_SERIES_ROWS_MAX = 100000, /* more than a day at one a second */
};

struct mgc_series {
    char names[MGC_SERIES_COLUMNS_MAX][MGC_SERIES_NAME_MAX + 1]; /* without t_ns */
    size_t column_count;
    int64_t *t_ns;   /* owned; rising */
    int64_t *values; /* owned; row_count x column_count */
    bool *known;     /* owned; as values: false where nothing could be read */
    size_t row_count, row_cap;
    int64_t period_ms;
    bool cut; /* the last line has no end: it is left out */
};

/* False with err: not this format, or more than the limits. */
bool mgc_series_parse(
    const char *text, size_t len, struct mgc_series *ret_series, struct mgc_error *err);
void mgc_series_destroy(struct mgc_series *series); /* takes NULL and zeroed */

/* Index of a column, or column_count. */
size_t mgc_series_column(const struct mgc_series *series, const char *name);
/* False where it could not be read. */
bool mgc_series_get(const struct mgc_series *series, size_t row, size_t column, int64_t *ret_value);

/* Rows [*ret_first, *ret_end) that tell about [from_ns, to_ns]: those inside, and the last one
 * before and the first one after, when they are at most two periods away. */
void mgc_series_window(const struct mgc_series *series, int64_t from_ns, int64_t to_ns,
    size_t *ret_first, size_t *ret_end);

#endif
