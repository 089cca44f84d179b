/* What a link is like: rate, delay and moods, as data. Pure. */
#ifndef MGC_LAB_LINK_PROFILE_H
#define MGC_LAB_LINK_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MGC_LAB_LINK_STEPS = 4 };

/* Both directions are alike and independent, except that stalls and rate steps come at the same
 * moments and that dozing concerns only what goes to the phone. */
struct mgc_lab_link_profile {
    int64_t rate_bps;    /* of IP packets, without the Ethernet header; > 0 */
    int64_t delay_ns;    /* one way, on top of the time that sending takes */
    int64_t jitter_ns;   /* more delay, uniform in 0..jitter_ns; packets never overtake */
    int64_t queue_bytes; /* that may wait to be sent; what comes on top is dropped on arrival */
    int64_t loss_ppm;    /* lost at random, of a million */
    int64_t wake_ns;     /* the emulator works at most so often; 0: at every packet */
    /* Nothing is sent for min..max, about every `every`; 0: never. */
    struct {
        int64_t every_ns, min_ns, max_ns;
    } stall;
    /* About every `every` another one of these parts of the rate holds; 0: always all of it. */
    struct {
        int64_t every_ns;
        int percent[MGC_LAB_LINK_STEPS];
    } step;
    /* Power save: after `idle` without a packet the phone listens only every `beacon`. */
    struct {
        int64_t idle_ns, beacon_ns; /* 0: never dozes */
    } doze;
};

struct mgc_lab_link_named {
    const char *name;
    const char *help;
    struct mgc_lab_link_profile profile;
};

/* NULL when there is none of that name. */
const struct mgc_lab_link_named *mgc_lab_link_profile_find(const char *name);
/* NULL past the end. */
const struct mgc_lab_link_named *mgc_lab_link_profile_row(size_t index);

/* How often to work at this rate: measured, waking for every packet costs much above 50 Mbit/s. */
int64_t mgc_lab_link_wake_ns(int64_t rate_bps);

#endif
