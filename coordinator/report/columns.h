/* The cross-host table's columns: one list for every form, so that no two forms disagree. */
#ifndef MGC_REPORT_COLUMNS_H
#define MGC_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "coordinator/merge/results.h"

struct mgc_column {
    const char *title;  /* "steady fps" */
    const char *metric; /* name in the verdict's metrics */
    int decimals;
    const char *brief;   /* title in the terminal's table; NULL: not shown there */
    int width;           /* there, in characters */
    int rank;            /* there: the highest goes first when it is too narrow */
    const char *meaning; /* for the legend: one line of Markdown, with the unit */
};

extern const struct mgc_column mgc_crosshost_columns[]; /* ended by a NULL title */

enum { MGC_COLUMN_TEXT_MAX = 64 };

/* A mean of fewer replies is no round-trip time: one of the load frame, say. */
enum { MGC_RTT_REPLIES_MIN = 8 };

/* Is it the mean round trip of fewer replies than that? Then a table shows it with its n, or not.
 * ret_replies may be NULL. */
bool mgc_rtt_of_few(const struct mgc_cell_result *cell, int64_t *ret_replies);

/* Text of one number; "-" when the metric is absent. */
void mgc_column_text(const struct mgc_column *column, const struct mgc_cell_result *cell,
    char ret_text[MGC_COLUMN_TEXT_MAX]);
/* Has the cell that number? */
bool mgc_column_has(const struct mgc_column *column, const struct mgc_cell_result *cell);

/* Do steady fps (by the median frame) and throughput part by more than 20 %? Then frames came
 * unevenly, as run-ahead makes them, and only the throughput is a rate. */
bool mgc_cell_in_bursts(const struct mgc_cell_result *cell);

/* Are mean and median of the kept frames so far apart, of the smaller one, that few frames make the
 * mean? Half: a trace's own frames, some heavy and some light, part less. */
enum { MGC_MEAN_APART_PCT = 50 };
bool mgc_cell_mean_is_apart(
    const struct mgc_cell_result *cell, double *ret_mean_ms, double *ret_median_ms);
/* The sentence about the next such cell from cell *at on, in `text`; *at is then behind it. False:
 * there are no more. */
bool mgc_mean_apart_text(const struct mgc_results *results, size_t *at, char *text, size_t size);

/* "measured", or "invalid: lockstep". */
void mgc_verdict_text(const struct mgc_verdict *verdict, char *ret_text, size_t size);

/* Name of the device as it goes on every table: "lab phone (10.99.0.2:5555)", or "unknown device".
 */
void mgc_device_text(const struct mgc_results *results, char *ret_text, size_t size);
bool mgc_device_is_lab(const struct mgc_results *results);
/* "lab phone" or "phone"; NULL: nobody knows which device it is. */
const char *mgc_device_kind(const struct mgc_results *results);

/* Wall time in UTC: "2026-11-30", `between`, "13:52:00", `zone`; "an unknown time" for 0. */
void mgc_put_utc(struct mgc_buf *out, int64_t wall_ns, char between, const char *zone);

/* Why a path check has no verdict: "not checked, since the user stopped the run". */
const char *mgc_path_not_checked(const struct mgc_results *results);

/* Foreign text on one line of a terminal or of a Markdown table: control characters become blanks,
 * bytes that are no UTF-8 become '?'. For Markdown, what would end the cell or be read as markup is
 * escaped. */
void mgc_put_plain(struct mgc_buf *out, const char *text);
void mgc_put_markdown(struct mgc_buf *out, const char *text);

#endif
