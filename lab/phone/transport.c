#include "lab/phone/transport.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"

enum {
    READ_CHUNK = 256 * 1024,
    IN_MAX = MGL_PACKET_HEAD + MGL_PACKET_PAYLOAD_MAX + READ_CHUNK,
    STREAMS_MAX = 256,
    SERVICE_NAME_MAX = 64 * 1024,
    PACE_CHUNK = 128 * 1024,
    PACE_SLACK_NS = 4 * 1000 * 1000,
};

static bool checks_sums(const struct mgl_conn *conn)
{
    return conn->version < MGL_ADB_VERSION_SKIP_CHECKSUM;
}

static void conn_close(struct mgl_conn *conn)
{
    while (conn->streams)
        mgl_stream_drop(conn->streams);
    struct mgl_conn **at = &conn->transport->conns;
    while (*at != conn)
        at = &(*at)->next;
    *at = conn->next;
    int fd = conn->watch.fd;
    mgl_timer_stop(&conn->pace);
    mgl_watch_remove(&conn->watch);
    close(fd);
    mgc_buf_destroy(&conn->in);
    mgc_buf_destroy(&conn->out);
    free(conn);
}

static void conn_flush(struct mgl_conn *conn);

static void pace_fired(struct mgl_timer *timer)
{
    conn_flush(timer->arg);
}

/* Bytes that may go now. A line with a rate is busy until free_ns; a little more may be handed to
 * the socket before, or the timer's grain would cost throughput. */
static size_t paced_room(struct mgl_conn *conn)
{
    if (conn->transport->to_host_rate == 0)
        return SIZE_MAX;
    int64_t wait_ns = conn->free_ns - mgc_mono_ns();
    if (wait_ns <= PACE_SLACK_NS)
        return PACE_CHUNK;
    conn->pace.fired = pace_fired;
    conn->pace.arg = conn;
    return mgl_timer_start(conn->transport->loop, &conn->pace, wait_ns - PACE_SLACK_NS / 2)
               ? 0
               : PACE_CHUNK;
}

static void paced_sent(struct mgl_conn *conn, size_t len)
{
    int64_t rate = conn->transport->to_host_rate, now_ns = mgc_mono_ns();
    if (rate == 0)
        return;
    if (conn->free_ns < now_ns)
        conn->free_ns = now_ns;
    conn->free_ns += (int64_t)len * MGC_NS_PER_S / rate;
}

/* May be reached from deep inside a service, so it only marks what it finds broken; the socket
 * then reports an error to the loop, which closes it. */
static void conn_flush(struct mgl_conn *conn)
{
    size_t room;
    while (conn->out.len > 0 && (room = paced_room(conn)) > 0) {
        size_t len = conn->out.len < room ? conn->out.len : room;
        ssize_t put = send(conn->watch.fd, conn->out.data, len, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            if (errno != EAGAIN)
                shutdown(conn->watch.fd, SHUT_RDWR);
            break;
        }
        mgc_buf_consume(&conn->out, (size_t)put);
        paced_sent(conn, (size_t)put);
    }
    bool blocked = conn->out.len > 0 && !conn->pace.watch.loop;
    mgl_watch_set(&conn->watch, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void mgl_conn_send(struct mgl_conn *conn, const struct mgl_packet *packet)
{
    mgl_packet_encode(&conn->out, packet, checks_sums(conn));
    conn_flush(conn);
}

/* Our CNXN carries a checksum: the host may still be at the oldest version. */
static void on_connect(struct mgl_conn *conn, const struct mgl_packet *packet)
{
    while (conn->streams)
        mgl_stream_drop(conn->streams);
    struct mgl_packet reply = {
        .command = MGL_ADB_CNXN,
        .arg0 = MGL_ADB_VERSION_SKIP_CHECKSUM,
        .arg1 = MGL_PACKET_PAYLOAD_MAX,
        .payload = (const uint8_t *)conn->transport->banner,
        .payload_len = strlen(conn->transport->banner),
    };
    conn->version = MGL_ADB_VERSION_MIN;
    mgl_conn_send(conn, &reply);
    conn->version =
        packet->arg0 < MGL_ADB_VERSION_SKIP_CHECKSUM ? packet->arg0 : MGL_ADB_VERSION_SKIP_CHECKSUM;
    conn->max_payload =
        packet->arg1 < MGL_PACKET_PAYLOAD_MAX ? packet->arg1 : MGL_PACKET_PAYLOAD_MAX;
    if (conn->max_payload == 0)
        conn->broken = true;
}

static struct mgl_stream *find_stream(struct mgl_conn *conn, uint32_t local_id)
{
    struct mgl_stream *stream = conn->streams;
    while (stream && stream->local_id != local_id)
        stream = stream->next;
    return stream;
}

static size_t count_streams(const struct mgl_conn *conn)
{
    size_t count = 0;
    for (const struct mgl_stream *stream = conn->streams; stream; stream = stream->next)
        count++;
    return count;
}

static void send_close(struct mgl_conn *conn, uint32_t local_id, uint32_t host_id)
{
    struct mgl_packet packet = {.command = MGL_ADB_CLSE, .arg0 = local_id, .arg1 = host_id};
    mgl_conn_send(conn, &packet);
}

static void on_open(struct mgl_conn *conn, const struct mgl_packet *packet)
{
    size_t len = strnlen((const char *)packet->payload, packet->payload_len);
    char *name = len <= SERVICE_NAME_MAX ? strndup((const char *)packet->payload, len) : NULL;
    struct mgl_stream *stream =
        name && count_streams(conn) < STREAMS_MAX ? calloc(1, sizeof(*stream)) : NULL;
    if (!stream) {
        free(name);
        send_close(conn, 0, packet->arg0);
        return;
    }
    stream->conn = conn;
    stream->local_id = ++conn->last_id;
    stream->host_id = packet->arg0;
    stream->next = conn->streams;
    conn->streams = stream;
    conn->transport->open(stream, name, conn->transport->open_arg);
    free(name);
}

/* OKAY and WRTE for a stream that has ended crossed our CLSE on the way; they are no mistake. */
static void on_packet(struct mgl_conn *conn, const struct mgl_packet *packet)
{
    if (packet->command == MGL_ADB_CNXN) {
        on_connect(conn, packet);
        return;
    }
    if (conn->version == 0) {
        conn->broken = true;
        return;
    }
    if (packet->command == MGL_ADB_OPEN) {
        on_open(conn, packet);
        return;
    }
    struct mgl_stream *stream = find_stream(conn, packet->arg1);
    if (!stream)
        return;
    if (packet->command == MGL_ADB_OKAY) {
        mgl_stream_on_okay(stream);
    } else if (packet->command == MGL_ADB_WRTE) {
        if (stream->ops)
            stream->ops->data(stream, packet->payload, packet->payload_len);
    } else if (packet->command == MGL_ADB_CLSE) {
        send_close(conn, stream->local_id, stream->host_id);
        mgl_stream_drop(stream);
    }
}

/* Handle every whole packet in `in`. */
static void conn_parse(struct mgl_conn *conn)
{
    size_t used = 0;
    while (!conn->broken) {
        struct mgl_packet packet;
        struct mgc_error err;
        long taken = mgl_packet_decode((const uint8_t *)conn->in.data + used, conn->in.len - used,
            checks_sums(conn), &packet, &err);
        if (taken < 0) {
            mgc_warn("adb connection: %s, closing it", err.text);
            conn->broken = true;
        }
        if (taken <= 0)
            break;
        used += (size_t)taken;
        on_packet(conn, &packet);
    }
    mgc_buf_consume(&conn->in, used);
}

static bool conn_read(struct mgl_conn *conn)
{
    if (!mgc_buf_reserve(&conn->in, READ_CHUNK))
        return false;
    ssize_t got = recv(conn->watch.fd, conn->in.data + conn->in.len, READ_CHUNK, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    conn->in.len += (size_t)got;
    conn_parse(conn);
    return !conn->broken;
}

static void conn_ready(struct mgl_watch *watch, uint32_t events)
{
    struct mgl_conn *conn = watch->arg;
    if (events & EPOLLOUT)
        conn_flush(conn);
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) && !conn_read(conn))
        conn_close(conn);
}

static void accept_ready(struct mgl_watch *watch, uint32_t events)
{
    struct mgl_transport *transport = watch->arg;
    int fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    struct mgl_conn *conn = calloc(1, sizeof(*conn));
    if (!conn) {
        close(fd);
        return;
    }
    conn->transport = transport;
    mgc_buf_init(&conn->in, IN_MAX);
    conn->watch.ready = conn_ready;
    conn->watch.arg = conn;
    conn->next = transport->conns;
    transport->conns = conn;
    mgl_watch_add(transport->loop, &conn->watch, fd, EPOLLIN);
}

bool mgl_transport_start(
    struct mgl_transport *transport, struct mgl_loop *loop, int listener, struct mgc_error *err)
{
    transport->loop = loop;
    transport->watch.ready = accept_ready;
    transport->watch.arg = transport;
    if (!mgl_watch_add(loop, &transport->watch, listener, EPOLLIN))
        return mgc_error_errno(err, errno, "watch the adb listener");
    return true;
}

void mgl_transport_stop(struct mgl_transport *transport)
{
    while (transport->conns)
        conn_close(transport->conns);
    if (!transport->watch.loop)
        return;
    int fd = transport->watch.fd;
    mgl_watch_remove(&transport->watch);
    close(fd);
}
