/* What adb and the activity manager cost on a phone: profiles by name. Pure. */
#ifndef MGC_LAB_PHONE_LATENCY_H
#define MGC_LAB_PHONE_LATENCY_H

#include <stdint.h>

struct mgl_latency {
    const char *name;
    int64_t open_ms;      /* from the OPEN of an adb stream until the service takes it */
    int64_t am_start_ms;  /* of `am start...` before it does anything: a Java program starts */
    int64_t to_host_rate; /* bytes per second over all adb streams towards the host; 0: no limit */
};

/* NULL: there is no such profile. "none" costs nothing. */
const struct mgl_latency *mgl_latency_find(const char *name);

#endif
