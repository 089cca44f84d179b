/* SINK, the one client that is in. It may stay as long as the sink does; it is out when its first
 * connection ends, or says something that is no message. */
#include "sampler/sink.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "common/base/clock.h"
#include "common/plat/tcp.h"

enum { OUTPUT_MAX = 1024 * 1024 };

/* --- in and out ------------------------------------------------------------------------------- */

static bool send_seen(const struct mgd_sink_conn *conn)
{
    struct mgc_tcp_facts facts;
    struct mgc_buf out = {0};
    mgc_tcp_facts(conn->fd, &facts);
    const struct mgc_device_msg msg = {.type = MGC_DEVICE_SINK_SEEN,
        .id = 1,
        .sink_seen = {
            conn->address, conn->port, facts.mss, facts.wscale, facts.timestamps, mgc_mono_ns()}};
    bool ok = mgc_device_put_preamble(&out) && mgc_device_put_message(&out, &msg) &&
              send(conn->fd, out.data, out.len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)out.len;
    mgc_buf_destroy(&out);
    return ok;
}

static void admit(struct mgd_sink *sink, struct mgd_sink_conn *conn, int64_t session)
{
    int on = 1;
    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    conn->role = MGD_SINK_CONTROL;
    sink->client = conn;
    sink->session = session;
    mgc_device_stream_destroy(&sink->input);
    mgc_buf_destroy(&sink->output);
    sink->input = (struct mgc_device_stream){.begun = true}; /* with its hello */
    mgc_buf_init(&sink->output, OUTPUT_MAX);
    mgd_sink_tell(sink, MGC_DEVICE_SINK_BEGAN, conn);
}

bool mgd_sink_enter(
    struct mgd_sink *sink, struct mgd_sink_conn *conn, const struct mgc_device_sink_hello *hello)
{
    bool control = hello->stream == 0;
    if (control ? sink->client != NULL : !sink->client || sink->session != hello->session)
        return false;
    if (control)
        admit(sink, conn, hello->session);
    conn->stream = hello->stream;
    if (!control) {
        conn->role = MGD_SINK_STREAM;
        mgc_tcp_limit_unsent(conn->fd, MGC_SINK_UNSENT);
    }
    if (!send_seen(conn)) {
        if (control)
            mgd_sink_leave(sink);
        else
            mgd_sink_close(conn);
    }
    return true;
}

void mgd_sink_leave(struct mgd_sink *sink)
{
    if (!sink->client)
        return;
    mgd_sink_flush(sink); /* its last words, as far as they go */
    if (!sink->client)
        return;
    mgd_sink_run_fail(sink, NULL);
    mgd_sink_tell(sink, MGC_DEVICE_SINK_ENDED, sink->client);
    sink->client = NULL;
    for (size_t i = 0; i < MGD_SINK_CONNS; i++)
        if (sink->conns[i].fd >= 0 && sink->conns[i].role != MGD_SINK_GREETING)
            mgd_sink_close(&sink->conns[i]);
}

/* --- words ------------------------------------------------------------------------------------ */

void mgd_sink_say(struct mgd_sink *sink, const struct mgc_device_msg *msg)
{
    if (sink->client)
        mgc_device_put_message(&sink->output, msg); /* past its cap: seen when it is flushed */
}

void mgd_sink_say_failed(struct mgd_sink *sink, uint32_t id, const struct mgc_error *why)
{
    mgd_sink_say(sink,
        &(struct mgc_device_msg){
            .type = MGC_DEVICE_FAILED, .id = id, .failed = {(uint16_t)why->code, 0, why->text}});
}

void mgd_sink_flush(struct mgd_sink *sink)
{
    if (!sink->client || (sink->output.len == 0 && !sink->output.failed))
        return;
    ssize_t len =
        send(sink->client->fd, sink->output.data, sink->output.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    bool wait = len < 0 && (errno == EAGAIN || errno == EINTR);
    if (len > 0)
        mgc_buf_consume(&sink->output, (size_t)len);
    if (sink->output.failed || (len < 0 && !wait)) {
        mgc_buf_clear(&sink->output);
        mgd_sink_leave(sink);
    }
}

static void take(struct mgd_sink *sink, const struct mgc_device_msg *msg)
{
    struct mgc_error why;
    if (msg->type == MGC_DEVICE_CLOCK) {
        mgd_sink_say(sink, &(struct mgc_device_msg){.type = MGC_DEVICE_CLOCK_REPLY,
                               .id = msg->id,
                               .clock_reply = {msg->clock.t1_ns, sink->read_ns, mgc_mono_ns()}});
    } else if (msg->type == MGC_DEVICE_SINK_RUN) {
        mgd_sink_run_begin(sink, msg);
    } else if (msg->type == MGC_DEVICE_SINK_STOP) {
        mgd_sink_run_stop(sink);
    } else {
        mgc_error_set(
            &why, MGC_E_PROTOCOL, "%s is no request to a sink", mgc_device_type_name(msg->type));
        mgd_sink_say_failed(sink, msg->id, &why);
    }
}

void mgd_sink_client_ready(struct mgd_sink *sink, short revents)
{
    static char data[4096];
    struct mgc_device_msg msg;
    enum mgc_device_next next = MGC_DEVICE_BROKEN;
    if (revents & POLLOUT)
        mgd_sink_flush(sink);
    if (!sink->client || !(revents & ~POLLOUT))
        return;
    ssize_t len = recv(sink->client->fd, data, sizeof(data), MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    sink->read_ns = mgc_mono_ns();
    if (len > 0 && mgc_device_stream_feed(&sink->input, data, (size_t)len, NULL))
        while ((next = mgc_device_stream_next(&sink->input, &msg, NULL)) == MGC_DEVICE_MESSAGE)
            take(sink, &msg);
    if (next == MGC_DEVICE_BROKEN)
        mgd_sink_leave(sink);
}
