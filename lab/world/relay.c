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

#include "common/base/clock.h"
#include "common/base/log.h"

enum { BUFFER_SIZE = 128 * 1024, CONNECTIONS_MAX = 512, EVENTS_MAX = 64, REFUSAL_MS = 500 };

/* Bytes that came in at one side and have not left at the other. */
struct flow {
    size_t from, to; /* data[from..to) is waiting */
    bool eof;        /* no more will come in */
    bool shut;       /* the end was passed on */
    char data[BUFFER_SIZE];
};

enum { CLIENT, UPSTREAM };

struct side {
    int fd;          /* -1: closed */
    unsigned events; /* registered with epoll; 0: not registered */
    struct flow in;  /* read here, written to the other side */
    struct connection *owner;
};

/* CONNECTING -> OPEN when upstream answers; -> REFUSED when it does not want us, which the client
 * learns when it uses the connection, or after REFUSAL_MS. At once would be too early: a client
 * could take the reset for the answer to its SYN. */
enum state { CONNECTING, OPEN, REFUSED, DEAD };

struct connection {
    struct side sides[2];
    enum state state;
    int64_t deadline_ns;     /* of a refused one */
    struct connection *next; /* in the list of refused ones, oldest first, or of dead ones */
};

struct relay {
    int epoll_fd;
    int listen_fd;
    bool listening; /* registered; not so while the table is full */
    int count;
    struct connection *refused, **refused_end;
    struct connection *dead; /* freed after the turn: more events of it may be in the batch */
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

static void close_side(struct side *side, bool reset)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0}; /* makes close send a reset */
    if (side->fd < 0)
        return;
    if (reset)
        setsockopt(side->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(side->fd);
    side->fd = -1;
}

static void forget_refusal(struct relay *relay, struct connection *connection)
{
    struct connection **link = &relay->refused;
    while (*link != connection)
        link = &(*link)->next;
    *link = connection->next;
    if (relay->refused_end == &connection->next)
        relay->refused_end = link;
}

static void end(struct relay *relay, struct connection *connection, bool reset)
{
    if (connection->state == DEAD)
        return;
    if (connection->state == REFUSED)
        forget_refusal(relay, connection);
    close_side(&connection->sides[CLIENT], reset);
    close_side(&connection->sides[UPSTREAM], reset);
    connection->state = DEAD;
    connection->next = relay->dead;
    relay->dead = connection;
    relay->count--;
    set_listening(relay, true);
}

/* Ask only for what can be used: input while there is room, output while something waits. */
static void want(struct relay *relay, struct side *side)
{
    struct flow *in = &side->in, *out = &other(side)->in;
    bool client = side == &side->owner->sides[CLIENT];
    unsigned events = 0;
    if (side->owner->state == CONNECTING)
        events = client ? 0 : EPOLLOUT;
    else if (side->owner->state == REFUSED)
        events = client ? EPOLLIN : 0;
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

static void refuse(struct relay *relay, struct connection *connection, int error)
{
    mgc_info("upstream: %s, the client is reset when it uses the connection", strerror(error));
    close_side(&connection->sides[UPSTREAM], false);
    connection->sides[UPSTREAM].events = 0;
    connection->state = REFUSED;
    connection->deadline_ns = mgc_deadline_in_ms(REFUSAL_MS);
    connection->next = NULL;
    *relay->refused_end = connection;
    relay->refused_end = &connection->next;
    want(relay, &connection->sides[CLIENT]);
}

static void finish_connect(struct relay *relay, struct connection *connection)
{
    int error = 0;
    socklen_t len = sizeof error;
    getsockopt(connection->sides[UPSTREAM].fd, SOL_SOCKET, SO_ERROR, &error, &len);
    if (error != 0) {
        refuse(relay, connection, error);
        return;
    }
    connection->state = OPEN;
    want(relay, &connection->sides[CLIENT]);
    want(relay, &connection->sides[UPSTREAM]);
}

static void on_open_side(struct relay *relay, struct side *side, unsigned events)
{
    struct connection *connection = side->owner;
    bool ok = (events & EPOLLERR) == 0;
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

static void on_side(struct relay *relay, struct side *side, unsigned events)
{
    switch (side->owner->state) {
    case CONNECTING:
        finish_connect(relay, side->owner);
        break;
    case OPEN:
        on_open_side(relay, side, events);
        break;
    case REFUSED: /* used, or closed by the client */
        end(relay, side->owner, true);
        break;
    case DEAD:
        break;
    }
}

static void end_old_refusals(struct relay *relay)
{
    while (relay->refused != NULL && mgc_deadline_past(relay->refused->deadline_ns))
        end(relay, relay->refused, true);
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

/* A socket on its way to the address, or -1 with errno. */
static int start_connect(const struct sockaddr_in *address)
{
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 || errno == EINPROGRESS)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static void join(struct relay *relay, int client)
{
    struct sockaddr_in address;
    int one = 1;
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
        close(client);
        return;
    }
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection->sides[CLIENT] = (struct side){.fd = client, .owner = connection};
    connection->sides[UPSTREAM] = (struct side){.fd = -1, .owner = connection};
    if (++relay->count == CONNECTIONS_MAX)
        set_listening(relay, false);
    errno = ELOOP;
    if (wanted_address(client, &address))
        connection->sides[UPSTREAM].fd = start_connect(&address);
    if (connection->sides[UPSTREAM].fd < 0)
        refuse(relay, connection, errno);
    else
        want(relay, &connection->sides[UPSTREAM]);
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
        relay->dead = connection->next;
        free(connection);
    }
}

bool mgc_lab_relay_serve(int listen_fd, struct mgc_error *err)
{
    struct relay relay = {.epoll_fd = epoll_create1(EPOLL_CLOEXEC), .listen_fd = listen_fd};
    struct epoll_event events[EVENTS_MAX];
    relay.refused_end = &relay.refused;
    if (relay.epoll_fd < 0)
        return mgc_error_errno(err, errno, "epoll");
    set_listening(&relay, true);
    for (;;) {
        int64_t until = relay.refused != NULL ? relay.refused->deadline_ns : MGC_NEVER;
        int count = epoll_wait(relay.epoll_fd, events, EVENTS_MAX, mgc_deadline_poll_ms(until));
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
        end_old_refusals(&relay);
        bury(&relay);
    }
}
