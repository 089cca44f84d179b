/* Wait until network interfaces really carry traffic. */
#ifndef MGC_LAB_LINKWAIT_H
#define MGC_LAB_LINKWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

/* Wait until every interface of the list (ended by NULL, at most 8) in the calling thread's
 * network namespace has operational state up. "Set up" is not enough: the kernel's link watch
 * activates a link's queue, and a bridge its port, up to a second later, and the first ARP request
 * would be lost. */
bool mgc_lab_links_wait(const char *const *names, int64_t deadline_ns, struct mgc_error *err);

#endif
