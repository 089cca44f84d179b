/* The one poll(2) of task/: wait for any of a few descriptors or a deadline. */
#ifndef MGC_TASK_WAIT_H
#define MGC_TASK_WAIT_H

#include <stddef.h>
#include <stdint.h>

enum { MGC_WAIT_TIMEOUT = -1, MGC_WAIT_MAX = 4 };

/* Index of the first descriptor in the list that is readable (or in error), MGC_WAIT_TIMEOUT at
 * deadline_ns (mono). Descriptors of -1 are skipped. */
int mgc_wait_readable(const int *fds, size_t count, int64_t deadline_ns);

#endif
