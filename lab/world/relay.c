#include "lab/world/relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netfilter_ipv4.h> /* only after netinet/in.h */

#include "common/base/log.h"

enum { BUFFER_SIZE = 128 * 1024, CONNECTIONS_MAX = 512, EVENTS_MAX = 64 };

/* Bytes that came in at one side and have not left at the other. */
struct flow {
    size_t from, to; /* data[from..to) is waiting */
    bool eof;        /* no more will come in */
    bool shut;       /* the end was passed on */
    char data[BUFFER_SIZE];
};

enum { CLIENT, UPSTREAM };

struct side {
    int fd;
    unsigned events; /* registered with epoll; 0: not registered */
    struct flow in;  /* read here, written to the other side */
    struct connection *owner;
};

struct connection {
    struct side sides[2];
    bool connecting;
    bool dead; /* freed at the end of the turn: later events of it may be in the same batch */
    struct connection *next_dead;
};

struct relay {
    int epoll_fd;
    int listen_fd;
    bool listening; /* registered; not so while the table is full */
    int count;
    struct connection *dead;
};

static struct side *other(struct side *side)
{
    struct connection *owner = side->owner;
    return &owner->sides[side == &owner->sides[CLIENT] ? UPSTREAM : CLIENT];
}

static void set_listening(struct relay *relay, bool on)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (on == relay->listening)
        return;
    relay->listening = on;
    epoll_ctl(relay->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, relay->listen_fd, &event);
}

/* With SO_LINGER at 0 a close sends a reset, which is how the client learns of any failure. */
static void end(struct relay *relay, struct connection *connection, bool reset)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (connection->dead)
        return;
    for (int i = 0; i < 2; i++) {
        if (reset)
            setsockopt(connection->sides[i].fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(connection->sides[i].fd);
    }
    connection->dead = true;
    connection->next_dead = relay->dead;
    relay->dead = connection;
    relay->count--;
    set_listening(relay, true);
}

/* Ask only for what can be used: input while there is room, output while something waits. */
static void want(struct relay *relay, struct side *side)
{
    struct flow *in = &side->in, *out = &other(side)->in;
    unsigned events = 0;
    if (side->owner->connecting)
        events = side == &side->owner->sides[UPSTREAM] ? EPOLLOUT : 0;
    else
        events =
            (!in->eof && in->from == in->to ? EPOLLIN : 0) | (out->from < out->to ? EPOLLOUT : 0);
    if (events == side->events)
        return;
    struct epoll_event event = {.events = events, .data.ptr = side};
    int op = side->events == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    epoll_ctl(relay->epoll_fd, op, side->fd, &event);
    side->events = events;
}

/* False: the connection is broken. */
static bool drain(struct side *from)
{
    struct flow *flow = &from->in;
    struct side *to = other(from);
    while (flow->from < flow->to) {
        ssize_t n = send(to->fd, flow->data + flow->from, flow->to - flow->from, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        flow->from += (size_t)n;
    }
    if (flow->eof && !flow->shut) {
        shutdown(to->fd, SHUT_WR);
        flow->shut = true;
    }
    return true;
}

static bool fill(struct side *side)
{
    struct flow *flow = &side->in;
    if (flow->eof || flow->from < flow->to)
        return true;
    ssize_t n = recv(side->fd, flow->data, sizeof flow->data, 0);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    flow->from = 0;
    flow->to = (size_t)n;
    flow->eof = n == 0;
    return drain(side);
}

static bool finish_connect(struct connection *connection)
{
    int error = 0;
    socklen_t len = sizeof error;
    connection->connecting = false;
    getsockopt(connection->sides[UPSTREAM].fd, SOL_SOCKET, SO_ERROR, &error, &len);
    if (error != 0)
        mgc_info("upstream: %s, resetting the client", strerror(error));
    return error == 0;
}

static void on_side(struct relay *relay, struct side *side, unsigned events)
{
    struct connection *connection = side->owner;
    bool ok = true;
    if (connection->dead)
        return;
    if (connection->connecting && side == &connection->sides[UPSTREAM])
        ok = finish_connect(connection);
    else if (connection->connecting || (events & EPOLLERR) != 0)
        ok = false; /* a client that left before we got through */
    if (ok && (events & EPOLLOUT) != 0)
        ok = drain(other(side));
    if (ok && (events & (EPOLLIN | EPOLLHUP)) != 0)
        ok = fill(side);
    bool done = connection->sides[CLIENT].in.shut && connection->sides[UPSTREAM].in.shut;
    if (!ok || done) {
        end(relay, connection, !ok);
        return;
    }
    want(relay, &connection->sides[CLIENT]);
    want(relay, &connection->sides[UPSTREAM]);
}

/* False when the client meant us: joining it to ourselves would go round for ever. */
static bool wanted_address(int client, struct sockaddr_in *ret_address)
{
    struct sockaddr_in own;
    socklen_t len = sizeof *ret_address, own_len = sizeof own;
    return getsockopt(client, SOL_IP, SO_ORIGINAL_DST, ret_address, &len) == 0 &&
           getsockname(client, (struct sockaddr *)&own, &own_len) == 0 &&
           (own.sin_addr.s_addr != ret_address->sin_addr.s_addr ||
               own.sin_port != ret_address->sin_port);
}

static int connect_upstream(int client)
{
    struct sockaddr_in address;
    int one = 1;
    if (!wanted_address(client, &address))
        return -1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS)
        return fd;
    mgc_info("upstream: %s, resetting the client", strerror(errno));
    close(fd);
    return -1;
}

static void refuse(int client)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(client);
}

static void join(struct relay *relay, int client)
{
    struct connection *connection = calloc(1, sizeof *connection);
    int upstream = connection != NULL ? connect_upstream(client) : -1;
    if (upstream < 0) {
        free(connection);
        refuse(client);
        return;
    }
    connection->connecting = true;
    connection->sides[CLIENT] = (struct side){.fd = client, .owner = connection};
    connection->sides[UPSTREAM] = (struct side){.fd = upstream, .owner = connection};
    want(relay, &connection->sides[UPSTREAM]);
    if (++relay->count == CONNECTIONS_MAX)
        set_listening(relay, false);
}

static void accept_all(struct relay *relay)
{
    while (relay->count < CONNECTIONS_MAX) {
        int client = accept4(relay->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0)
            return;
        join(relay, client);
    }
}

static void bury(struct relay *relay)
{
    while (relay->dead != NULL) {
        struct connection *connection = relay->dead;
        relay->dead = connection->next_dead;
        free(connection);
    }
}

bool mgc_lab_relay_serve(int listen_fd, struct mgc_error *err)
{
    struct relay relay = {.epoll_fd = epoll_create1(EPOLL_CLOEXEC), .listen_fd = listen_fd};
    struct epoll_event events[EVENTS_MAX];
    if (relay.epoll_fd < 0)
        return mgc_error_errno(err, errno, "epoll");
    set_listening(&relay, true);
    for (;;) {
        int count = epoll_wait(relay.epoll_fd, events, EVENTS_MAX, -1);
        if (count < 0 && errno != EINTR) {
            close(relay.epoll_fd);
            return mgc_error_errno(err, errno, "epoll_wait");
        }
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == NULL)
                accept_all(&relay);
            else
                on_side(&relay, events[i].data.ptr, events[i].events);
        }
        bury(&relay);
    }
}
