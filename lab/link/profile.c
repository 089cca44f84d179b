#include "lab/link/profile.h"

#include <string.h>

#define MBIT INT64_C(1000000)
#define MS   INT64_C(1000000)
#define US   INT64_C(1000)
#define KB   INT64_C(1024)

/* Loss stays at or near zero: a radio link repeats what it lost, and what reaches TCP is delay.
 * (Measured: 0.1 % of random loss takes cubic from 386 to 63 Mbit/s, which is like no Wi-Fi.) */
static const struct mgc_lab_link_named rows[] = {
    {"ethernet", "1 Gbit/s, 0.25 ms: a phone on a cable",
        {.rate_bps = 1000 * MBIT, .delay_ns = 250 * US, .queue_bytes = 1024 * KB}},
    {"fast-ethernet", "100 Mbit/s, 0.25 ms: a cable that a busy machine keeps up with",
        {.rate_bps = 100 * MBIT, .delay_ns = 250 * US, .queue_bytes = 1024 * KB}},
    {"wifi", "300 Mbit/s, 3 ms, jitter, power save after 200 ms of silence",
        {.rate_bps = 300 * MBIT,
            .delay_ns = 3 * MS,
            .jitter_ns = 1500 * US,
            .queue_bytes = 1024 * KB,
            .doze = {.idle_ns = 200 * MS, .beacon_ns = 102400 * US}}},
    {"bad-wifi", "15 to 150 Mbit/s in steps, 5 ms, much jitter, stalls of 40 to 250 ms",
        {.rate_bps = 150 * MBIT,
            .delay_ns = 5 * MS,
            .jitter_ns = 8 * MS,
            .queue_bytes = 1024 * KB,
            .loss_ppm = 10,
            .stall = {.every_ns = 1500 * MS, .min_ns = 40 * MS, .max_ns = 250 * MS},
            .step = {.every_ns = 700 * MS, .percent = {100, 60, 30, 10}},
            .doze = {.idle_ns = 200 * MS, .beacon_ns = 102400 * US}}},
    {"wan40", "100 Mbit/s, 40 ms: far away, but steady",
        {.rate_bps = 100 * MBIT, .delay_ns = 40 * MS, .queue_bytes = 1024 * KB}},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct mgc_lab_link_named *mgc_lab_link_profile_row(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

const struct mgc_lab_link_named *mgc_lab_link_profile_find(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

int64_t mgc_lab_link_wake_ns(int64_t rate_bps)
{
    return rate_bps < 50 * MBIT ? 0 : 100 * US;
}
