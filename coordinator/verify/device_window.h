/* The part of device-state.csv that tells about the app's run, and what every judge of it asks:
 * is a value told at all, for the whole run, and in what range? Internal to verify/.
 */
#ifndef MGC_VERIFY_DEVICE_WINDOW_H
#define MGC_VERIFY_DEVICE_WINDOW_H

#include "coordinator/verify/device_series.h"
#include "coordinator/verify/judge.h"

struct mgc_window {
    const struct mgc_series *series; /* borrowed */
    size_t first, end;               /* rows, with the nearest outside; none: first == end */
    size_t inside;                   /* rows while the app ran */
    int64_t from_ns, to_ns;          /* the app's run */
    int64_t hole_max_ns;             /* what may be between two values */
};

/* `window->series` is set. More than three periods without a value is a hole. */
void mgc_window_find(struct mgc_window *window, int64_t from_ns, int64_t to_ns, int64_t period_ms);

/* Was there ever a value, also outside the run? False for a column that is not there. */
bool mgc_window_is_told(const struct mgc_window *window, size_t column);
/* The longest stretch of the run without a value. */
int64_t mgc_window_hole_ns(const struct mgc_window *window, size_t column);
/* Is there such a stretch that is too long, or no value at all from while the app ran? */
bool mgc_window_has_holes(const struct mgc_window *window, size_t column);
/* Lowest and highest value; false when there is none. */
bool mgc_window_range(
    const struct mgc_window *window, size_t column, int64_t *ret_min, int64_t *ret_max);

/* device_state.c: what a check says of a value that this phone never told, and of one with holes
 * (false). */
void mgc_judge_not_readable(struct judge *judge, const char *check);
bool mgc_judge_covered(
    struct judge *judge, const struct mgc_window *window, const char *check, size_t column);

/* device_clocks.c */
void mgc_judge_throttling(struct judge *judge, const struct mgc_window *window);
void mgc_judge_pins(struct judge *judge, const struct mgc_window *window);

#endif
