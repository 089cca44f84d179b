#include "common/plat/net.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/internal.h"
#include "common/plat/resolve.h"
#include "common/plat/unix/wait.h"

/* "192.168.1.5:5555" for an error sentence; a peer that is gone has no name any more. */
static const char *peer_text(int fd, char *buf, size_t size)
{
    struct sockaddr_storage addr;
    socklen_t len = sizeof(addr);
    char host[64], port[8];
    if (getpeername(fd, (struct sockaddr *)&addr, &len) != 0 ||
        getnameinfo((struct sockaddr *)&addr, len, host, sizeof(host), port, sizeof(port),
            NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        snprintf(buf, size, "peer");
    else
        snprintf(buf, size, "%s:%s", host, port);
    return buf;
}

bool mgc_net_init(struct mgc_error *err)
{
    (void)err; /* nothing to prepare here */
    return true;
}

/* Fair share of the time left, so that one silent address does not use up the others' turn. */
static int64_t share_of(int64_t deadline_ns, int addresses_left)
{
    if (deadline_ns == MGC_NEVER || addresses_left <= 1)
        return deadline_ns;
    int64_t now_ns = mgc_mono_ns();
    return now_ns + (deadline_ns - now_ns) / addresses_left;
}

static int connect_one(const struct addrinfo *addr, const char *what, int64_t deadline_ns,
    int stop_fd, struct mgc_error *err)
{
    int fd = socket(addr->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        mgc_error_errno(err, errno, "%s: socket", what);
        return -1;
    }
    int errnum = connect(fd, addr->ai_addr, addr->ai_addrlen) == 0 ? 0 : errno;
    if (errnum == EINPROGRESS) {
        if (!mgc_plat_wait_fd(fd, POLLOUT, deadline_ns, stop_fd, what, err)) {
            close(fd);
            return -1;
        }
        socklen_t len = sizeof(errnum);
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &errnum, &len);
    }
    if (!errnum)
        return fd;
    close(fd);
    mgc_error_errno(err, errnum, "%s", what);
    return -1;
}

mgc_socket mgc_net_connect(
    const char *host, unsigned port, int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    char what[300];
    snprintf(what, sizeof(what), "connect to %.255s port %u", host, port);
    struct addrinfo *list;
    if (!mgc_plat_resolve(host, port, false, deadline_ns, stop_fd, &list, err))
        return MGC_SOCKET_NONE;
    int left = 0;
    for (struct addrinfo *addr = list; addr; addr = addr->ai_next)
        left++;
    int fd = -1;
    struct mgc_error last = {0};
    for (struct addrinfo *addr = list; addr && fd < 0; addr = addr->ai_next, left--) {
        fd = connect_one(addr, what, share_of(deadline_ns, left), stop_fd, &last);
        if (last.code == MGC_E_CANCELLED)
            break;
    }
    freeaddrinfo(list);
    if (fd < 0 && err)
        *err = last;
    return fd < 0 ? MGC_SOCKET_NONE : fd;
}

mgc_socket mgc_net_listen(const char *host, unsigned port, struct mgc_error *err)
{
    struct addrinfo *list;
    if (!mgc_plat_resolve(host, port, true, mgc_deadline_in_ms(10000), -1, &list, err))
        return MGC_SOCKET_NONE;
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    /* A restarted program takes its port back while old connections are in TIME_WAIT. */
    bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
              bind(fd, list->ai_addr, list->ai_addrlen) == 0 && listen(fd, 128) == 0;
    int errnum = errno;
    freeaddrinfo(list);
    if (ok)
        return fd;
    if (fd >= 0)
        close(fd);
    mgc_error_errno(err, errnum, "listen on %s port %u", host, port);
    return MGC_SOCKET_NONE;
}

bool mgc_net_local_port(mgc_socket socket, unsigned *ret_port, struct mgc_error *err)
{
    struct sockaddr_storage addr;
    socklen_t len = sizeof(addr);
    if (getsockname((int)socket, (struct sockaddr *)&addr, &len) != 0)
        return mgc_error_errno(err, errno, "own port of a socket");
    if (addr.ss_family == AF_INET)
        *ret_port = ntohs(((struct sockaddr_in *)&addr)->sin_port);
    else if (addr.ss_family == AF_INET6)
        *ret_port = ntohs(((struct sockaddr_in6 *)&addr)->sin6_port);
    else
        return mgc_error_set(err, MGC_E_FAILED, "own port of a socket: not an IP socket");
    return true;
}

static bool accept_again(int errnum)
{
    /* accept(2): errors of the connection that was waiting, not of the listener */
    return errnum == EAGAIN || errnum == EINTR || errnum == ECONNABORTED || errnum == EPROTO ||
           errnum == ENETDOWN || errnum == EHOSTUNREACH || errnum == ENETUNREACH;
}

mgc_socket mgc_net_accept(
    mgc_socket listener, int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    for (;;) {
        if (!mgc_plat_wait_fd((int)listener, POLLIN, deadline_ns, stop_fd, "accept", err))
            return MGC_SOCKET_NONE;
        int fd = accept4((int)listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            return fd;
        if (!accept_again(errno)) {
            mgc_error_errno(err, errno, "accept");
            return MGC_SOCKET_NONE;
        }
    }
}

bool mgc_plat_send_some(mgc_socket socket, const void *data, size_t len, size_t *ret_sent,
    int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    char what[96], peer[80];
    for (;;) {
        ssize_t sent = send((int)socket, data, len, MSG_NOSIGNAL);
        if (sent > 0) {
            *ret_sent = (size_t)sent;
            return true;
        }
        int errnum = errno;
        snprintf(what, sizeof(what), "send to %s", peer_text((int)socket, peer, sizeof(peer)));
        if (errnum != EAGAIN && errnum != EINTR)
            return mgc_error_errno(err, errnum, "%s", what);
        if (!mgc_plat_wait_fd((int)socket, POLLOUT, deadline_ns, stop_fd, what, err))
            return false;
    }
}

bool mgc_net_recv_some(mgc_socket socket, void *data, size_t size, size_t *ret_len,
    int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    char what[96], peer[80];
    for (;;) {
        ssize_t got = recv((int)socket, data, size, 0);
        if (got >= 0) {
            *ret_len = (size_t)got;
            return true;
        }
        int errnum = errno;
        snprintf(what, sizeof(what), "receive from %s", peer_text((int)socket, peer, sizeof(peer)));
        if (errnum != EAGAIN && errnum != EINTR)
            return mgc_error_errno(err, errnum, "%s", what);
        if (!mgc_plat_wait_fd((int)socket, POLLIN, deadline_ns, stop_fd, what, err))
            return false;
    }
}

bool mgc_net_wait_readable(const mgc_socket *sockets, bool *ret_ready, size_t count,
    int64_t deadline_ns, struct mgc_error *err)
{
    struct pollfd fds[MGC_NET_WAIT_MAX];
    assert(count <= MGC_NET_WAIT_MAX);
    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){.fd = (int)sockets[i], .events = POLLIN};
    for (;;) {
        int ready = poll(fds, count, mgc_deadline_poll_ms(deadline_ns));
        if (ready < 0 && errno != EINTR)
            return mgc_error_errno(err, errno, "wait for %zu sockets: poll", count);
        if (ready > 0)
            break;
        if (mgc_deadline_past(deadline_ns))
            return mgc_error_set(
                err, MGC_E_TIMEOUT, "wait for %zu sockets: nothing before the deadline", count);
    }
    for (size_t i = 0; i < count; i++)
        ret_ready[i] = fds[i].revents != 0;
    return true;
}

bool mgc_net_nodelay(mgc_socket socket, struct mgc_error *err)
{
    int on = 1;
    if (setsockopt((int)socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
        return mgc_error_errno(err, errno, "set TCP_NODELAY");
    return true;
}

void mgc_net_shutdown_send(mgc_socket socket)
{
    shutdown((int)socket, SHUT_WR);
}

void mgc_net_close(mgc_socket socket)
{
    if (socket != MGC_SOCKET_NONE)
        close((int)socket);
}
