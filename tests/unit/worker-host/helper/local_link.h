/* A helper's link to a program on this machine instead of one behind adb. */
#ifndef MGC_TESTS_LOCAL_LINK_H
#define MGC_TESTS_LOCAL_LINK_H

#include <sys/types.h>

#include "worker-host/helper/link.h"

/* Start argv[0] with its standard streams led here. *ret_pid may be signalled; the link reaps it
 * when it is closed. Fails the test when it cannot be started. */
struct mgc_helper_link local_link(const char *const *argv, pid_t *ret_pid);

/* mgdevice as this build has it (environment variable MGC_DEVICE). */
struct mgc_helper *local_helper(pid_t *ret_pid);

/* Generous, as tests want it. */
struct mgc_adb_wait local_wait(void);

#endif
