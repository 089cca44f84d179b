/* The link as it was while something was measured over it: what the link tests before and after a
 * block of cells saw. It is no part of what is compared, and moves it: so every figure of a cell
 * that crosses hosts goes with it, into the report and into the history. Pure; any thread.
 */
#ifndef MGC_MERGE_LINK_LOOK_H
#define MGC_MERGE_LINK_LOOK_H

#include "coordinator/merge/results.h"

/* Below this no difference of round trips is taken for a move of the link, whatever its ratio: the
 * time that machines take to wake up, not what a radio link does. */
#define MGC_LINK_RTT_LEAST_MS 2.0

enum mgc_link_figure {
    MGC_LINK_UP,   /* Mbit/s received by the phone */
    MGC_LINK_DOWN, /* Mbit/s received by the client's machine */
    MGC_LINK_RTT,  /* ms, median of round trips over the idle link */
    MGC_LINK_FIGURES
};
const char *mgc_link_figure_metric(enum mgc_link_figure figure); /* "up_mbit_s", of a verdict */

struct mgc_link_look { /* NAN: not tested, or not told */
    double figures[MGC_LINK_FIGURES];
};
extern const struct mgc_link_look mgc_link_look_none;
/* By the metrics of a link test. */
struct mgc_link_look mgc_link_look_of(const struct mgc_fields *metrics);
bool mgc_link_look_is_known(const struct mgc_link_look *look); /* some figure of it is */

/* By the metrics' names, to 6 digits, null for what is not known; null when nothing is. The
 * caller's to json_decref; without memory keys are missing. */
json_t *mgc_link_look_to_json(const struct mgc_link_look *look);

struct mgc_link_around {
    struct mgc_link_look before, after;
};
/* False: the cell stands between no two link tests, or one of them was not good. */
bool mgc_results_link_around(const struct mgc_results *results, const struct mgc_cell *cell,
    struct mgc_link_around *ret_around);
/* The middle of the two, where both have the figure. */
struct mgc_link_look mgc_link_around_middle(const struct mgc_link_around *around);

/* Are they more than `band_pct` % of the smaller value apart in a figure that both have? The first
 * one, else MGC_LINK_FIGURES. */
enum mgc_link_figure mgc_link_looks_apart(
    const struct mgc_link_look *a, const struct mgc_link_look *b, int64_t band_pct);

#endif
