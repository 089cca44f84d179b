/* Frame times of one run as a few numbers, after an explicit skip window: the first frames hold
 * set-up and load (contract sections 4.2 and 9 row 7). Pure; any thread.
 *
 * No stutter count: tools disagree on what one is (a multiple of a moving average, of the median,
 * of the refresh interval), so a count compares with nothing. p99, the longest frame and the 1 %
 * low say the same with a definition.
 */
#ifndef MGC_STATS_FRAMES_H
#define MGC_STATS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

struct mgc_frame_summary {
    size_t total;                                      /* frames given */
    size_t skipped;                                    /* of these, the skip window */
    size_t n;                                          /* frames the numbers are of: at least 1 */
    double mean_ms, median_ms, p95_ms, p99_ms, max_ms; /* p95, p99: nearest rank */
    /* 1000 over the mean time, in ms, of the slowest hundredth of the n frames (rounded up, so one
     * frame up to n = 100): the "average of the worst 1 %". 1000 / p99_ms is the other definition
     * people use; it is not printed under this name. */
    double low1_fps;
};

/* Skip the first `skip` of `count` frame times (ms, in the order of the run) and put the others
 * together. A frame time that is not a finite number above 0 is no measurement and left out: then n
 * is less than total - skipped. False, *ret untouched: nothing left, or no memory. */
bool mgc_frames_summarize(
    const double *frame_times_ms, size_t count, size_t skip, struct mgc_frame_summary *ret_summary);

#endif
