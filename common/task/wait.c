#include "common/task/wait.h"

#include <assert.h>

#include "common/base/clock.h"
#include "common/plat/net.h"

int mgc_wait_readable(const int *fds, size_t count, int64_t deadline_ns)
{
    mgc_socket sockets[MGC_WAIT_MAX];
    bool ready[MGC_WAIT_MAX];
    assert(count <= MGC_WAIT_MAX);
    for (size_t i = 0; i < count; i++)
        sockets[i] = fds[i];
    while (!mgc_net_wait_readable(sockets, ready, count, deadline_ns, NULL)) {
        if (mgc_deadline_past(deadline_ns))
            return MGC_WAIT_TIMEOUT;
    }
    for (size_t i = 0; i < count; i++) {
        if (ready[i])
            return (int)i;
    }
    return MGC_WAIT_TIMEOUT;
}
