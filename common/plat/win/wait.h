/* Waiting for sockets on Windows, and the start of Winsock itself. */
#ifndef MGC_PLAT_WIN_WAIT_H
#define MGC_PLAT_WIN_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <winsock2.h>

#include "common/base/error.h"
#include "common/plat/net.h"

/* Start Winsock once per process; every part that makes a socket calls it. */
bool mgc_win_sockets(struct mgc_error *err);

/* WSAPoll that also takes entries of MGC_SOCKET_NONE (left out) and a list without any socket. The
 * number of entries with revents, 0 at the deadline, -1 with the error in WSAGetLastError. */
int mgc_win_poll(WSAPOLLFD *fds, size_t count, int64_t deadline_ns);

/* As unix/wait.h: wait for `events` (POLLRDNORM, POLLWRNORM), the deadline or the stop signal. */
bool mgc_win_wait_socket(SOCKET socket, short events, int64_t deadline_ns, int stop_fd,
    const char *what, struct mgc_error *err);

/* Until a connect has ended, well or not. WSAPoll tells of a refusal only since Windows 10 2004,
 * select always. */
bool mgc_win_wait_connect(
    SOCKET socket, int64_t deadline_ns, int stop_fd, const char *what, struct mgc_error *err);

#endif
