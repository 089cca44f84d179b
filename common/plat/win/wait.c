#include "common/plat/win/wait.h"

#include <assert.h>
#include <pthread.h>

#include "common/base/clock.h"
#include "common/plat/internal.h"
#include "common/plat/win/error.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int start_error;

static void start_winsock(void)
{
    WSADATA data;
    start_error = WSAStartup(MAKEWORD(2, 2), &data);
}

bool mgc_win_sockets(struct mgc_error *err)
{
    pthread_once(&once, start_winsock);
    return start_error == 0 || mgc_win_error(err, (uint32_t)start_error, "start Winsock");
}

int mgc_win_poll(WSAPOLLFD *fds, size_t count, int64_t deadline_ns)
{
    WSAPOLLFD used[MGC_NET_WAIT_MAX];
    size_t place[MGC_NET_WAIT_MAX], n = 0;
    assert(count <= MGC_NET_WAIT_MAX);
    for (size_t i = 0; i < count; i++) {
        fds[i].revents = 0;
        if (fds[i].fd == (SOCKET)MGC_SOCKET_NONE)
            continue;
        place[n] = i;
        used[n++] = fds[i];
    }
    if (n == 0) { /* WSAPoll refuses an empty list */
        mgc_sleep_until(deadline_ns);
        return 0;
    }
    int ready;
    do { /* WSAPoll may be a tick early */
        ready = WSAPoll(used, (ULONG)n, mgc_deadline_poll_ms(deadline_ns));
    } while (ready == 0 && !mgc_deadline_past(deadline_ns));
    for (size_t i = 0; ready > 0 && i < n; i++)
        fds[place[i]].revents = used[i].revents;
    return ready;
}

bool mgc_win_wait_socket(SOCKET socket, short events, int64_t deadline_ns, int stop_fd,
    const char *what, struct mgc_error *err)
{
    WSAPOLLFD fds[2] = {
        {.fd = socket, .events = events},
        {.fd = (SOCKET)(intptr_t)stop_fd, .events = POLLRDNORM},
    };
    int ready = mgc_win_poll(fds, 2, deadline_ns);
    if (ready < 0)
        return mgc_win_error(err, (uint32_t)WSAGetLastError(), "%s: poll", what);
    if (ready == 0)
        return mgc_error_set(err, MGC_E_TIMEOUT, "%s: no answer before the deadline", what);
    if (fds[1].revents)
        return mgc_error_set(err, MGC_E_CANCELLED, "%s: asked to stop", what);
    return true;
}

bool mgc_plat_wait_readable(
    mgc_socket socket, int64_t deadline_ns, int stop_fd, const char *what, struct mgc_error *err)
{
    return mgc_win_wait_socket((SOCKET)socket, POLLRDNORM, deadline_ns, stop_fd, what, err);
}

bool mgc_win_wait_connect(
    SOCKET socket, int64_t deadline_ns, int stop_fd, const char *what, struct mgc_error *err)
{
    for (;;) {
        fd_set readable, writable, failed;
        FD_ZERO(&readable);
        FD_ZERO(&writable);
        FD_ZERO(&failed);
        if (stop_fd >= 0)
            FD_SET((SOCKET)stop_fd, &readable);
        FD_SET(socket, &writable);
        FD_SET(socket, &failed);
        int ms = mgc_deadline_poll_ms(deadline_ns);
        struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
        int ready = select(0, &readable, &writable, &failed, ms < 0 ? NULL : &limit);
        if (ready < 0)
            return mgc_win_error(err, (uint32_t)WSAGetLastError(), "%s: select", what);
        if (stop_fd >= 0 && FD_ISSET((SOCKET)stop_fd, &readable))
            return mgc_error_set(err, MGC_E_CANCELLED, "%s: asked to stop", what);
        if (ready > 0)
            return true;
        if (mgc_deadline_past(deadline_ns))
            return mgc_error_set(err, MGC_E_TIMEOUT, "%s: no answer before the deadline", what);
    }
}
