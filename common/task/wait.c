#include "common/task/wait.h"

#include <assert.h>

#ifdef _WIN32
#include <winsock2.h>
#define poll WSAPoll
#else
#include <poll.h>
#endif

#include "common/base/clock.h"

int mgc_wait_readable(const int *fds, size_t count, int64_t deadline_ns)
{
    struct pollfd polled[MGC_WAIT_MAX];
    assert(count <= MGC_WAIT_MAX);
    for (size_t i = 0; i < count; i++)
        polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    for (;;) {
        int ready = poll(polled, count, mgc_deadline_poll_ms(deadline_ns));
        for (size_t i = 0; ready > 0 && i < count; i++) {
            if (polled[i].revents)
                return (int)i;
        }
        if (mgc_deadline_past(deadline_ns)) /* also after EINTR */
            return MGC_WAIT_TIMEOUT;
    }
}
