/* The unix sockets of control: where one is, how it is opened. Linux.
 *
 * It stands in the run directory. Where a path is too long for a socket address (107 bytes), or the
 * file system has no sockets (WSL's view of a Windows disk), it stands under the run's name in a
 * directory of the user's own: $XDG_RUNTIME_DIR/mgcoord, else /tmp/mgcoord-UID. Only this user and
 * root get in: by the socket's mode, and by the peer's identity as the kernel tells it.
 */
#ifndef MGC_CONTROL_SOCKET_H
#define MGC_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/path.h"

/* Listen in `dir` or, failing that, in the user's directory as RUN-ID.sock. Non-blocking. -1: why.
 */
int mgc_control_listen(
    const char *dir, const char *run_id, char ret_path[MGC_PATH_MAX], struct mgc_error *err);

/* The next one who wants in, non-blocking; -1: nobody more. Others than the user are turned away.
 */
int mgc_control_accept(int listener);

/* Connect, blocking. -1: MGC_E_REFUSED or MGC_E_NOT_FOUND when nobody listens there any more. */
int mgc_control_connect(const char *path, struct mgc_error *err);

#endif
