/* Descriptors over a local socket (SCM_RIGHTS), in a message of their own. */
#ifndef MGC_LAB_REPLAY_FDPASS_H
#define MGC_LAB_REPLAY_FDPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum { MGR_FDPASS_MAX = 4 };

bool mgr_fdpass_send(int socket, const int *fds, size_t count, struct mgc_error *err);
/* Exactly `count` of them, close-on-exec and the caller's; waits until the deadline. Before
 * anything else is read from the socket. */
bool mgr_fdpass_receive(
    int socket, int *ret_fds, size_t count, int64_t deadline_ns, struct mgc_error *err);

#endif
