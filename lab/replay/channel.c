#include "lab/replay/channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "common/base/clock.h"

enum { READ_SIZE = 64 << 10 };

void mgr_channel_init(struct mgr_channel *channel, mgc_socket socket)
{
    *channel = (struct mgr_channel){.socket = socket};
}

void mgr_channel_destroy(struct mgr_channel *channel)
{
    if (!channel)
        return;
    mgc_net_close(channel->socket);
    mgc_buf_destroy(&channel->in);
    *channel = (struct mgr_channel){.socket = MGC_SOCKET_NONE};
}

bool mgr_channel_send(struct mgr_channel *channel, const struct mgr_msg *msg, int64_t deadline_ns,
    struct mgc_error *err)
{
    struct mgc_buf out = {0};
    mgr_msg_encode(&out, msg);
    bool ok = mgc_buf_ok(&out)
                  ? mgc_net_send_all(channel->socket, out.data, out.len, deadline_ns, -1, err)
                  : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a session message");
    mgc_buf_destroy(&out);
    return ok;
}

enum mgr_peek mgr_channel_peek(
    struct mgr_channel *channel, struct mgr_msg *ret_msg, struct mgc_error *err)
{
    mgc_buf_consume(&channel->in, channel->handed_on);
    channel->handed_on = 0;
    switch (mgr_msg_decode(channel->in.data, channel->in.len, ret_msg, &channel->handed_on, err)) {
    case MGR_DECODE_OK:
        return MGR_PEEK_MESSAGE;
    case MGR_DECODE_MORE:
        return MGR_PEEK_NOTHING;
    case MGR_DECODE_BAD:
        break;
    }
    return MGR_PEEK_BAD;
}

bool mgr_channel_fill(struct mgr_channel *channel, int64_t deadline_ns, struct mgc_error *err)
{
    struct mgc_buf *in = &channel->in;
    if (!mgc_buf_reserve(in, READ_SIZE))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for session messages");
    size_t got;
    if (!mgc_net_recv_some(
            channel->socket, in->data + in->len, READ_SIZE, &got, deadline_ns, -1, err))
        return false;
    if (got == 0)
        return mgc_error_set(err, MGC_E_LOST, "the peer closed the control connection");
    in->len += got;
    in->data[in->len] = '\0';
    return true;
}

bool mgr_channel_poll(struct pollfd *fds, unsigned count, int64_t spin_us, int64_t deadline_ns,
    uint64_t *waits, uint64_t *parks)
{
    if (poll(fds, count, 0) > 0)
        return true;
    ++*waits;
    int64_t end_ns = mgc_mono_ns() + spin_us * MGC_NS_PER_US;
    while (spin_us && mgc_mono_ns() < end_ns) {
        if (poll(fds, count, 0) > 0)
            return true;
    }
    ++*parks;
    return poll(fds, count, mgc_deadline_poll_ms(deadline_ns)) > 0;
}

bool mgr_channel_receive(struct mgr_channel *channel, struct mgr_msg *ret_msg, int64_t deadline_ns,
    struct mgc_error *err)
{
    for (;;) {
        switch (mgr_channel_peek(channel, ret_msg, err)) {
        case MGR_PEEK_MESSAGE:
            return true;
        case MGR_PEEK_BAD:
            return false;
        case MGR_PEEK_NOTHING:
            break;
        }
        struct pollfd fd = {.fd = (int)channel->socket, .events = POLLIN};
        mgr_channel_poll(&fd, 1, channel->spin_us, deadline_ns, &channel->waits, &channel->parks);
        if (!mgr_channel_fill(channel, deadline_ns, err))
            return false;
    }
}

static bool set(mgc_socket socket, int level, int option, int value)
{
    return setsockopt((int)socket, level, option, &value, sizeof(value)) == 0;
}

bool mgr_channel_tune(mgc_socket socket, struct mgc_error *err)
{
    if (!mgc_net_nodelay(socket, err))
        return false;
    if (!set(socket, SOL_SOCKET, SO_KEEPALIVE, 1) || !set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 2) ||
        !set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1) || !set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3) ||
        !set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 5000))
        return mgc_error_errno(err, errno, "set keepalive options");
    return true;
}
