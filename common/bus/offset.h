/* Where another machine's monotonic clock stands, from timestamped pings. Pure: samples in,
 * estimate out. Internal to bus/.
 *
 * Of each ping four instants are known (RFC 5905, section 8): t1 sent here, t2 received there,
 * t3 answered there, t4 received here. Whatever the two directions took, the true offset lies
 * within half the round trip of ((t2 - t1) + (t3 - t4)) / 2. The clocks may drift apart by
 * 100 ppm at most from then on, so a sample gets vaguer with age, and the sample that is sharpest
 * now is the estimate. A sample that contradicts the estimate means that a clock was stepped or
 * a machine slept: everything older is dropped.
 */
#ifndef MGC_BUS_OFFSET_H
#define MGC_BUS_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bus/server.h"

enum { MGC_OFFSET_SAMPLES = 64, MGC_OFFSET_AGE_S = 60, MGC_OFFSET_DRIFT_PPM = 100 };

struct mgc_offset_sample {
    int64_t at_ns; /* t4, clock here */
    int64_t offset_ns;
    int64_t round_trip_ns;
};

/* Zeroed is valid and empty. */
struct mgc_offset_filter {
    struct mgc_offset_sample samples[MGC_OFFSET_SAMPLES]; /* ring */
    size_t count;
    size_t next;
    bool boot_known;
    int64_t boot_first_ns;
    int64_t slept_ns;
    int64_t stepped_ns;
};

/* False, and nothing changes, when the four instants cannot be true. */
bool mgc_offset_add(
    struct mgc_offset_filter *filter, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns);

/* The other side's boot clock minus its mono clock; what it grows by is time slept. */
void mgc_offset_note_boot(struct mgc_offset_filter *filter, int64_t boot_ns);

struct mgc_clock_offset mgc_offset_estimate(const struct mgc_offset_filter *filter, int64_t now_ns);

#endif
