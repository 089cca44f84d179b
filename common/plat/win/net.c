#include "common/plat/net.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/internal.h"
#include "common/plat/resolve.h"
#include "common/plat/win/error.h"
#include "common/plat/win/wait.h"

static bool net_error(struct mgc_error *err, const char *what)
{
    return mgc_win_error(err, (uint32_t)WSAGetLastError(), "%s", what);
}

/* "192.168.1.5:5555" for an error sentence; a peer that is gone has no name any more. */
static const char *peer_text(SOCKET socket, char *buf, size_t size)
{
    struct sockaddr_storage addr;
    int len = sizeof(addr);
    char host[64], port[8];
    if (getpeername(socket, (struct sockaddr *)&addr, &len) != 0 ||
        getnameinfo((struct sockaddr *)&addr, len, host, sizeof(host), port, sizeof(port),
            NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        snprintf(buf, size, "peer");
    else
        snprintf(buf, size, "%s:%s", host, port);
    return buf;
}

bool mgc_net_init(struct mgc_error *err)
{
    return mgc_win_sockets(err);
}

/* Non-blocking, and not inherited by children. */
static SOCKET make_socket(int family)
{
    u_long on = 1;
    SOCKET made = WSASocketW(family, SOCK_STREAM, IPPROTO_TCP, NULL, 0,
        WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (made != INVALID_SOCKET && ioctlsocket(made, (long)FIONBIO, &on) != 0) {
        closesocket(made);
        made = INVALID_SOCKET;
    }
    return made;
}

static int64_t share_of(int64_t deadline_ns, int addresses_left)
{
    if (deadline_ns == MGC_NEVER || addresses_left <= 1)
        return deadline_ns;
    int64_t now_ns = mgc_mono_ns();
    return now_ns + (deadline_ns - now_ns) / addresses_left;
}

/* 0, or the Winsock error of a connect that has ended; false when the wait was broken off. */
static bool connect_result(SOCKET socket, const struct addrinfo *addr, const char *what,
    int64_t deadline_ns, int stop_fd, int *ret_error, struct mgc_error *err)
{
    int len = sizeof(*ret_error);
    *ret_error = 0;
    if (connect(socket, addr->ai_addr, (int)addr->ai_addrlen) == 0)
        return true;
    *ret_error = WSAGetLastError();
    if (*ret_error != WSAEWOULDBLOCK)
        return true;
    if (!mgc_win_wait_connect(socket, deadline_ns, stop_fd, what, err))
        return false;
    getsockopt(socket, SOL_SOCKET, SO_ERROR, (char *)ret_error, &len);
    return true;
}

static SOCKET connect_one(const struct addrinfo *addr, const char *what, int64_t deadline_ns,
    int stop_fd, struct mgc_error *err)
{
    int error;
    SOCKET made = make_socket(addr->ai_family);
    if (made == INVALID_SOCKET) {
        net_error(err, what);
        return INVALID_SOCKET;
    }
    if (connect_result(made, addr, what, deadline_ns, stop_fd, &error, err)) {
        if (error == 0)
            return made;
        mgc_win_error(err, (uint32_t)error, "%s", what);
    }
    closesocket(made);
    return INVALID_SOCKET;
}

mgc_socket mgc_net_connect(
    const char *host, unsigned port, int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    char what[300];
    struct addrinfo *list;
    snprintf(what, sizeof(what), "connect to %.255s port %u", host, port);
    if (!mgc_win_sockets(err) ||
        !mgc_plat_resolve(host, port, false, deadline_ns, stop_fd, &list, err))
        return MGC_SOCKET_NONE;
    int left = 0;
    for (struct addrinfo *addr = list; addr; addr = addr->ai_next)
        left++;
    SOCKET made = INVALID_SOCKET;
    struct mgc_error last = {0};
    for (struct addrinfo *addr = list; addr && made == INVALID_SOCKET;
         addr = addr->ai_next, left--) {
        made = connect_one(addr, what, share_of(deadline_ns, left), stop_fd, &last);
        if (last.code == MGC_E_CANCELLED)
            break;
    }
    freeaddrinfo(list);
    if (made == INVALID_SOCKET && err)
        *err = last;
    return made == INVALID_SOCKET ? MGC_SOCKET_NONE : (mgc_socket)made;
}

/* Not SO_REUSEADDR, which lets strangers share a port on Windows: there a restarted program gets
 * its port back anyway. */
static bool listen_on(SOCKET socket, const struct addrinfo *addr)
{
    BOOL on = TRUE;
    return socket != INVALID_SOCKET &&
           setsockopt(socket, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&on, sizeof(on)) ==
               0 &&
           bind(socket, addr->ai_addr, (int)addr->ai_addrlen) == 0 && listen(socket, 128) == 0;
}

mgc_socket mgc_net_listen(const char *host, unsigned port, struct mgc_error *err)
{
    struct addrinfo *list;
    if (!mgc_win_sockets(err) ||
        !mgc_plat_resolve(host, port, true, mgc_deadline_in_ms(10000), -1, &list, err))
        return MGC_SOCKET_NONE;
    SOCKET made = make_socket(list->ai_family);
    bool ok = listen_on(made, list);
    if (!ok)
        mgc_win_error(err, (uint32_t)WSAGetLastError(), "listen on %s port %u", host, port);
    freeaddrinfo(list);
    if (ok)
        return (mgc_socket)made;
    if (made != INVALID_SOCKET)
        closesocket(made);
    return MGC_SOCKET_NONE;
}

bool mgc_net_local_port(mgc_socket socket, unsigned *ret_port, struct mgc_error *err)
{
    struct sockaddr_storage addr;
    int len = sizeof(addr);
    if (getsockname((SOCKET)socket, (struct sockaddr *)&addr, &len) != 0)
        return net_error(err, "own port of a socket");
    if (addr.ss_family == AF_INET)
        *ret_port = ntohs(((struct sockaddr_in *)&addr)->sin_port);
    else if (addr.ss_family == AF_INET6)
        *ret_port = ntohs(((struct sockaddr_in6 *)&addr)->sin6_port);
    else
        return mgc_error_set(err, MGC_E_FAILED, "own port of a socket: not an IP socket");
    return true;
}

/* What accept gives is not what make_socket gives: it has to be told again. */
static bool adopt(SOCKET accepted)
{
    u_long on = 1;
    return SetHandleInformation((HANDLE)accepted, HANDLE_FLAG_INHERIT, 0) &&
           ioctlsocket(accepted, (long)FIONBIO, &on) == 0;
}

mgc_socket mgc_net_accept(
    mgc_socket listener, int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    for (;;) {
        if (!mgc_plat_wait_readable(listener, deadline_ns, stop_fd, "accept", err))
            return MGC_SOCKET_NONE;
        SOCKET accepted = accept((SOCKET)listener, NULL, NULL);
        if (accepted != INVALID_SOCKET && adopt(accepted))
            return (mgc_socket)accepted;
        int error = WSAGetLastError();
        if (accepted != INVALID_SOCKET)
            closesocket(accepted);
        /* WSAECONNRESET: the peer that was waiting is gone, the listener is well. */
        if (error != WSAEWOULDBLOCK && error != WSAECONNRESET) {
            mgc_win_error(err, (uint32_t)error, "accept");
            return MGC_SOCKET_NONE;
        }
    }
}

/* After a call that failed: wait until it may be tried again, or tell why not. */
static bool wait_again(SOCKET socket, short events, const char *verb, int64_t deadline_ns,
    int stop_fd, struct mgc_error *err)
{
    char what[112], peer[80];
    int error = WSAGetLastError();
    snprintf(what, sizeof(what), "%s %s", verb, peer_text(socket, peer, sizeof(peer)));
    if (error != WSAEWOULDBLOCK)
        return mgc_win_error(err, (uint32_t)error, "%s", what);
    return mgc_win_wait_socket(socket, events, deadline_ns, stop_fd, what, err);
}

/* send and recv take an int. */
static int capped(size_t len)
{
    return len < INT32_MAX ? (int)len : INT32_MAX;
}

bool mgc_plat_send_some(mgc_socket socket, const void *data, size_t len, size_t *ret_sent,
    int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    for (;;) {
        int sent = send((SOCKET)socket, data, capped(len), 0);
        if (sent > 0) {
            *ret_sent = (size_t)sent;
            return true;
        }
        if (!wait_again((SOCKET)socket, POLLWRNORM, "send to", deadline_ns, stop_fd, err))
            return false;
    }
}

bool mgc_net_recv_some(mgc_socket socket, void *data, size_t size, size_t *ret_len,
    int64_t deadline_ns, int stop_fd, struct mgc_error *err)
{
    for (;;) {
        int got = recv((SOCKET)socket, data, capped(size), 0);
        if (got >= 0) {
            *ret_len = (size_t)got;
            return true;
        }
        if (!wait_again((SOCKET)socket, POLLRDNORM, "receive from", deadline_ns, stop_fd, err))
            return false;
    }
}

bool mgc_net_wait_readable(const mgc_socket *sockets, bool *ret_ready, size_t count,
    int64_t deadline_ns, struct mgc_error *err)
{
    WSAPOLLFD fds[MGC_NET_WAIT_MAX];
    assert(count <= MGC_NET_WAIT_MAX);
    for (size_t i = 0; i < count; i++)
        fds[i] = (WSAPOLLFD){.fd = (SOCKET)sockets[i], .events = POLLRDNORM};
    int ready = mgc_win_poll(fds, count, deadline_ns);
    if (ready < 0)
        return mgc_win_error(err, (uint32_t)WSAGetLastError(), "wait for %zu sockets: poll", count);
    if (ready == 0)
        return mgc_error_set(
            err, MGC_E_TIMEOUT, "wait for %zu sockets: nothing before the deadline", count);
    for (size_t i = 0; i < count; i++)
        ret_ready[i] = fds[i].revents != 0;
    return true;
}

bool mgc_net_nodelay(mgc_socket socket, struct mgc_error *err)
{
    BOOL on = TRUE;
    if (setsockopt((SOCKET)socket, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof(on)) != 0)
        return net_error(err, "set TCP_NODELAY");
    return true;
}

void mgc_net_shutdown_send(mgc_socket socket)
{
    shutdown((SOCKET)socket, SD_SEND);
}

void mgc_net_close(mgc_socket socket)
{
    if (socket != MGC_SOCKET_NONE)
        closesocket((SOCKET)socket);
}
