/* The one poll(2) of plat: wait for a descriptor, the deadline or the stop signal. */
#ifndef MGC_PLAT_UNIX_WAIT_H
#define MGC_PLAT_UNIX_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

/* True once fd has one of `events` or an error condition (which the caller's next call on fd then
 * reports). False: MGC_E_TIMEOUT, MGC_E_CANCELLED (stop_fd readable; -1: none). `what` begins the
 * sentence. The stop signal wins when both are there. */
bool mgc_plat_wait_fd(int fd, short events, int64_t deadline_ns, int stop_fd, const char *what,
    struct mgc_error *err);

#endif
