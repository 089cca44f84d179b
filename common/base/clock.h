/* Every reading of time in the suite goes through here.
 *
 * Durations come from the monotonic clock only; the wall clock is a label for people. All times
 * are signed 64-bit nanoseconds. The environment variable MGC_CLOCK_PLANT makes this process's
 * clocks wrong on purpose, so that tests can compare an estimate with the planted truth; see
 * mgc_clock_plant. Any thread.
 */
#ifndef MGC_BASE_CLOCK_H
#define MGC_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

#define MGC_NS_PER_S  INT64_C(1000000000)
#define MGC_NS_PER_MS INT64_C(1000000)
#define MGC_NS_PER_US INT64_C(1000)

/* Never goes back, stops while the machine sleeps (CLOCK_MONOTONIC; Windows:
 * QueryUnbiasedInterruptTimePrecise). Zero point is arbitrary. */
int64_t mgc_mono_ns(void);

/* As mgc_mono_ns, but counts sleep too (CLOCK_BOOTTIME, QueryInterruptTimePrecise); a
 * growing difference between the two
 * means that the machine slept. */
int64_t mgc_boot_ns(void);

/* Since 1970-01-01 UTC. A label, never a duration. */
int64_t mgc_wall_ns(void);

/* Sleep until mgc_mono_ns() >= mono_ns; returns at once when that is past. */
void mgc_sleep_until(int64_t mono_ns);
void mgc_sleep_ms(int64_t ms);

/* A deadline is a reading of mgc_mono_ns; MGC_NEVER is no deadline. */
#define MGC_NEVER INT64_MAX
int64_t mgc_deadline_in_ms(int64_t ms);
bool mgc_deadline_past(int64_t deadline_ns);
/* Time left for poll(2): 0 when past, rounded up, -1 for MGC_NEVER, at most INT_MAX. */
int mgc_deadline_poll_ms(int64_t deadline_ns);
/* The earlier of two deadlines. */
int64_t mgc_deadline_min(int64_t a_ns, int64_t b_ns);

/* How wrong this process's clocks are. Step and sleep happen once, `after_ns` of true monotonic
 * time after the plant was set: a step moves mono, boot and wall; a sleep moves boot and wall. */
struct mgc_clock_plant {
    int64_t offset_ns;
    int64_t drift_ppb; /* extra nanoseconds per true second */
    int64_t step_ns;
    int64_t sleep_ns;
    int64_t after_ns;
};

/* Parse "offset_ms=250,drift_ppm=50,step_ms=2000,sleep_ms=0,after_ms=1000" (any subset). Pure. */
bool mgc_clock_plant_parse(
    const char *text, struct mgc_clock_plant *ret_plant, struct mgc_error *err);
/* Set this process's plant; NULL removes it. Called by programs before they start threads. */
void mgc_clock_plant_set(const struct mgc_clock_plant *plant);
/* Take MGC_CLOCK_PLANT from the environment when set; false on bad text. */
bool mgc_clock_plant_from_env(struct mgc_error *err);

#endif
