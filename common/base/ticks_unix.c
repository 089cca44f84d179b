#include "common/base/ticks.h"

#include <time.h>

enum { NS_PER_S = 1000000000 };

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t mgc_ticks_mono_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t mgc_ticks_boot_ns(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

int64_t mgc_ticks_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

void mgc_ticks_sleep(int64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    nanosleep(&ts, NULL);
}
