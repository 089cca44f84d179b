#include "worker-wsl/netbench/conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/net.h"

/* Marks that no system names by itself. A receive buffer so small is named without a scale, and is
 * plenty for the messages that steer. */
enum { MARK_MSS = 1203, MARK_RCVBUF = 16384, MARK_WSCALE = 0, READ_SIZE = 65536 };

bool mgc_netbench_failed(const struct mgc_netbench_request *request, struct mgc_error *err)
{
    return mgc_error_prefix(err, "link test with %s:%u", request->address, request->port);
}

static int64_t answer_by(const struct mgc_netbench_session *session)
{
    const struct mgc_netbench_request *request = session->request;
    return mgc_deadline_min(request->deadline_ns, mgc_deadline_in_ms(request->timeout_ms));
}

/* --- connect ---------------------------------------------------------------------------------- */

static bool wait_for(const struct mgc_netbench_session *session, int fd, short events,
    int64_t deadline_ns, struct mgc_error *err)
{
    struct pollfd fds[2] = {{fd, events, 0}, {session->request->stop_fd, POLLIN, 0}};
    for (;;) {
        int ready = poll(fds, 2, mgc_deadline_poll_ms(deadline_ns));
        if (ready < 0 && errno != EINTR)
            return mgc_error_errno(err, errno, "poll");
        if (ready > 0 && fds[1].revents)
            return mgc_error_set(err, MGC_E_CANCELLED, "asked to stop");
        if (ready > 0)
            return true;
        if (mgc_deadline_past(deadline_ns))
            return mgc_error_set(err, MGC_E_TIMEOUT, "no answer within %lld ms",
                (long long)session->request->timeout_ms);
    }
}

static bool connected(const struct mgc_netbench_session *session, int fd, struct mgc_error *err)
{
    struct sockaddr_in peer = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)session->request->port)};
    int errnum = 0;
    socklen_t len = sizeof(errnum);
    if (inet_pton(AF_INET, session->request->address, &peer.sin_addr) != 1)
        return mgc_error_set(err, MGC_E_USAGE, "expected an IPv4 address such as 192.168.1.5");
    if (connect(fd, (struct sockaddr *)&peer, sizeof(peer)) == 0)
        return true;
    if (errno != EINPROGRESS)
        return mgc_error_errno(err, errno, "connect");
    if (!wait_for(session, fd, POLLOUT, answer_by(session), err))
        return false;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &errnum, &len);
    return errnum == 0 || mgc_error_errno(err, errnum, "connect");
}

static int open_socket(unsigned stream, struct mgc_error *err)
{
    int mss = MARK_MSS, size = MARK_RCVBUF, on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0;
    if (ok && stream == 0) /* before it connects: the handshake names them */
        ok = setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss)) == 0 &&
             setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)) == 0 &&
             setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0;
    if (ok)
        return fd;
    mgc_error_errno(err, errno, "socket");
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool send_hello(
    const struct mgc_netbench_session *session, int fd, unsigned stream, struct mgc_error *err)
{
    struct mgc_buf out = {0};
    const struct mgc_device_msg msg = {.type = MGC_DEVICE_SINK_HELLO,
        .id = 1,
        .sink_hello = {
            {session->request->token, MGC_DEVICE_TOKEN_SIZE}, session->id, (uint16_t)stream}};
    bool ok = mgc_device_put_preamble(&out) && mgc_device_put_message(&out, &msg);
    ok = ok ? mgc_net_send_all(
                  fd, out.data, out.len, answer_by(session), session->request->stop_fd, err)
            : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a message");
    mgc_buf_destroy(&out);
    return ok;
}

/* The sink's first message, and not a byte more. */
static bool hear_seen(const struct mgc_netbench_session *session, int fd,
    struct mgc_device_stream *input, struct mgc_device_msg *ret_msg, struct mgc_error *err)
{
    int64_t deadline_ns = answer_by(session);
    char byte;
    size_t len;
    enum mgc_device_next next = MGC_DEVICE_MORE;
    while (next == MGC_DEVICE_MORE) {
        if (!mgc_net_recv_some(fd, &byte, 1, &len, deadline_ns, session->request->stop_fd, err))
            return false;
        if (len == 0)
            return mgc_error_set(err, MGC_E_LOST, "the sink turned us away without a word");
        if (!mgc_device_stream_feed(input, &byte, 1, err))
            return false;
        next = mgc_device_stream_next(input, ret_msg, err);
    }
    if (next == MGC_DEVICE_BROKEN)
        return false;
    if (ret_msg->type == MGC_DEVICE_FAILED)
        return mgc_error_set(err, ret_msg->failed.code == MGC_E_BUSY ? MGC_E_BUSY : MGC_E_DENIED,
            "refused: %s", ret_msg->failed.text);
    return ret_msg->type == MGC_DEVICE_SINK_SEEN ||
           mgc_error_set(err, MGC_E_PROTOCOL, "%s came instead of sink-seen",
               mgc_device_type_name(ret_msg->type));
}

static int begin(const struct mgc_netbench_session *session, unsigned stream,
    struct mgc_device_stream *input, struct mgc_device_msg *ret_msg, struct mgc_error *err)
{
    int fd = open_socket(stream, err);
    if (fd < 0)
        return -1;
    if (connected(session, fd, err) && send_hello(session, fd, stream, err) &&
        hear_seen(session, fd, input, ret_msg, err))
        return fd;
    close(fd);
    return -1;
}

int mgc_netbench_connect(
    struct mgc_netbench_session *session, unsigned stream, struct mgc_error *err)
{
    struct mgc_device_stream input = {0};
    struct mgc_device_msg msg;
    int fd = begin(session, stream, &input, &msg, err);
    mgc_device_stream_destroy(&input);
    if (fd < 0)
        mgc_error_prefix(err, "stream %u", stream);
    return fd;
}

/* --- session ---------------------------------------------------------------------------------- */

static void note_marks(
    struct mgc_netbench_session *session, const struct mgc_device_sink_seen *seen)
{
    struct mgc_netbench_marks *marks = &session->marks;
    struct sockaddr_in own = {0};
    struct in_addr address = {htonl(seen->address)};
    socklen_t len = sizeof(own);
    *marks = (struct mgc_netbench_marks){.mss = MARK_MSS,
        .wscale = MARK_WSCALE,
        .seen_port = seen->port,
        .seen_mss = seen->mss,
        .seen_wscale = seen->wscale,
        .seen_timestamps = seen->timestamps};
    inet_ntop(AF_INET, &address, marks->seen_address, sizeof(marks->seen_address));
    if (getsockname(session->fd, (struct sockaddr *)&own, &len) == 0) {
        inet_ntop(AF_INET, &own.sin_addr, marks->own_address, sizeof(marks->own_address));
        marks->own_port = ntohs(own.sin_port);
    }
}

bool mgc_netbench_open(struct mgc_netbench_session *session,
    const struct mgc_netbench_request *request, struct mgc_error *err)
{
    struct mgc_device_msg msg;
    *session = (struct mgc_netbench_session){.request = request, .fd = -1, .last_id = 1};
    session->samples = calloc(MGC_NETBENCH_SAMPLES_MAX, sizeof(*session->samples));
    if (!session->samples ||
        getrandom(&session->id, sizeof(session->id), 0) != (ssize_t)sizeof(session->id)) {
        mgc_netbench_close(session);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a session");
    }
    session->fd = begin(session, 0, &session->input, &msg, err);
    if (session->fd < 0) {
        mgc_netbench_close(session);
        return false;
    }
    note_marks(session, &msg.sink_seen);
    return true;
}

void mgc_netbench_close(struct mgc_netbench_session *session)
{
    if (session->fd >= 0)
        close(session->fd);
    session->fd = -1;
    free(session->samples);
    session->samples = NULL;
    mgc_device_stream_destroy(&session->input);
    mgc_buf_destroy(&session->output);
}

/* --- messages --------------------------------------------------------------------------------- */

uint32_t mgc_netbench_say(struct mgc_netbench_session *session, struct mgc_device_msg *msg)
{
    msg->id = ++session->last_id;
    mgc_device_put_message(&session->output, msg); /* a failed buffer shows when it is flushed */
    return msg->id;
}

bool mgc_netbench_flush(struct mgc_netbench_session *session, struct mgc_error *err)
{
    if (session->output.failed)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a message");
    if (session->output.len == 0)
        return true;
    ssize_t len =
        send(session->fd, session->output.data, session->output.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (len < 0 && errno != EAGAIN && errno != EINTR) {
        mgc_error_errno(err, errno, "send");
        err->code = MGC_E_LOST;
        return false;
    }
    if (len > 0)
        mgc_buf_consume(&session->output, (size_t)len);
    return true;
}

bool mgc_netbench_probe(struct mgc_netbench_session *session, struct mgc_error *err)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_CLOCK, .clock = {mgc_mono_ns()}};
    session->probe_id = mgc_netbench_say(session, &msg);
    return mgc_netbench_flush(session, err);
}

static void take_probe(struct mgc_netbench_session *session, const struct mgc_device_msg *msg)
{
    if (session->sample_count < MGC_NETBENCH_SAMPLES_MAX)
        session->samples[session->sample_count++] = mgc_mono_ns() - msg->clock_reply.t1_ns;
    session->probe_id = 0;
}

bool mgc_netbench_take(
    struct mgc_netbench_session *session, mgc_netbench_on *on, void *ctx, struct mgc_error *err)
{
    char data[READ_SIZE];
    struct mgc_device_msg msg;
    enum mgc_device_next next;
    ssize_t len = recv(session->fd, data, sizeof(data), MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (len <= 0) {
        mgc_error_errno(err, len < 0 ? errno : ECONNRESET, "the sink is gone");
        err->code = MGC_E_LOST;
        return false;
    }
    if (!mgc_device_stream_feed(&session->input, data, (size_t)len, err))
        return false;
    while ((next = mgc_device_stream_next(&session->input, &msg, err)) == MGC_DEVICE_MESSAGE) {
        if (msg.type == MGC_DEVICE_CLOCK_REPLY && msg.id == session->probe_id)
            take_probe(session, &msg);
        else if (!on(ctx, &msg, err))
            return false;
    }
    return next == MGC_DEVICE_MORE;
}
