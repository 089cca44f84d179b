#include "common/plat/unix/wait.h"

#include <errno.h>
#include <poll.h>

#include "common/base/clock.h"
#include "common/plat/internal.h"

bool mgc_plat_wait_fd(
    int fd, short events, int64_t deadline_ns, int stop_fd, const char *what, struct mgc_error *err)
{
    for (;;) {
        struct pollfd fds[2] = {
            {.fd = fd, .events = events}, {.fd = stop_fd, .events = POLLIN}, /* poll ignores -1 */
        };
        int ready = poll(fds, 2, mgc_deadline_poll_ms(deadline_ns));
        if (ready < 0 && errno != EINTR)
            return mgc_error_errno(err, errno, "%s: poll", what);
        if (ready > 0 && fds[1].revents)
            return mgc_error_set(err, MGC_E_CANCELLED, "%s: asked to stop", what);
        if (ready > 0 && fds[0].revents)
            return true;
        if (mgc_deadline_past(deadline_ns))
            return mgc_error_set(err, MGC_E_TIMEOUT, "%s: no answer before the deadline", what);
    }
}

bool mgc_plat_wait_readable(
    mgc_socket socket, int64_t deadline_ns, int stop_fd, const char *what, struct mgc_error *err)
{
    return mgc_plat_wait_fd((int)socket, POLLIN, deadline_ns, stop_fd, what, err);
}
