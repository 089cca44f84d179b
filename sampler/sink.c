/* SINK, the job: who comes to the door, and when everything ends. A client has to say the token
 * within seconds, in a message of known size; until then nothing else of it is read. */
#include "sampler/sink.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/device/errnum.h"

enum { GREETING_MS = 5000, BACKLOG = MGC_SINK_STREAMS_MAX + 8, TOLD_MAX = 200 };

static struct mgd_sink *of(struct mgd_job *job)
{
    return (struct mgd_sink *)job;
}

void mgd_sink_close(struct mgd_sink_conn *conn)
{
    if (conn->fd >= 0)
        close(conn->fd);
    *conn = (struct mgd_sink_conn){.fd = -1};
}

/* The first ones only: whoever knocks without end must not fill the host's stream. All count. */
void mgd_sink_tell(
    struct mgd_sink *sink, enum mgc_device_sink_what what, const struct mgd_sink_conn *conn)
{
    bool in = what == MGC_DEVICE_SINK_BEGAN || what == MGC_DEVICE_SINK_ENDED;
    if (what == MGC_DEVICE_SINK_BEGAN)
        sink->sessions++;
    if (!in)
        sink->refused++;
    if (!in && sink->told++ >= TOLD_MAX)
        return;
    mgd_send(sink->job.session,
        &(struct mgc_device_msg){.type = MGC_DEVICE_SINK_TOLD,
            .id = sink->job.id,
            .sink_told = {(uint16_t)what, conn->address, conn->port, mgc_mono_ns()}});
}

/* --- the door --------------------------------------------------------------------------------- */

static void send_refusal(const struct mgd_sink_conn *conn, enum mgc_code code, const char *text)
{
    struct mgc_buf out = {0};
    const struct mgc_device_msg msg = {
        .type = MGC_DEVICE_FAILED, .id = 1, .failed = {(uint16_t)code, 0, text}};
    if (mgc_device_put_preamble(&out) && mgc_device_put_message(&out, &msg) &&
        send(conn->fd, out.data, out.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        conn = NULL; /* it has gone; so be it */
    mgc_buf_destroy(&out);
}

static void turn_away(
    struct mgd_sink *sink, struct mgd_sink_conn *conn, enum mgc_device_sink_what what)
{
    if (what == MGC_DEVICE_SINK_STRANGER)
        send_refusal(conn, MGC_E_DENIED, "the token is not this sink's");
    else if (what == MGC_DEVICE_SINK_BUSY)
        send_refusal(conn, MGC_E_BUSY, "another client's session goes on");
    mgd_sink_tell(sink, what, conn);
    mgd_sink_close(conn);
}

static void judge_greeting(struct mgd_sink *sink, struct mgd_sink_conn *conn)
{
    struct mgc_device_stream stream = {0};
    struct mgc_device_msg msg;
    struct mgc_error err;
    bool hello = mgc_device_stream_feed(&stream, conn->hello, conn->got, &err) &&
                 mgc_device_stream_next(&stream, &msg, &err) == MGC_DEVICE_MESSAGE &&
                 msg.type == MGC_DEVICE_SINK_HELLO &&
                 msg.sink_hello.token.size == MGC_DEVICE_TOKEN_SIZE;
    if (!hello)
        turn_away(sink, conn, MGC_DEVICE_SINK_GARBAGE);
    else if (!mgc_sink_token_equal(msg.sink_hello.token.data, sink->token))
        turn_away(sink, conn, MGC_DEVICE_SINK_STRANGER);
    else if (!mgd_sink_enter(sink, conn, &msg.sink_hello))
        turn_away(sink, conn, MGC_DEVICE_SINK_BUSY);
    mgc_device_stream_destroy(&stream);
}

static void greeting_ready(struct mgd_sink *sink, struct mgd_sink_conn *conn)
{
    ssize_t len =
        recv(conn->fd, conn->hello + conn->got, sizeof(conn->hello) - conn->got, MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (len <= 0) {
        turn_away(sink, conn, MGC_DEVICE_SINK_GARBAGE);
        return;
    }
    conn->got += (size_t)len;
    if (conn->got == sizeof(conn->hello))
        judge_greeting(sink, conn);
}

static void accept_one(struct mgd_sink *sink)
{
    struct sockaddr_in peer = {0};
    socklen_t len = sizeof(peer);
    struct mgd_sink_conn *conn = sink->conns, turned = {.fd = -1};
    while (conn < sink->conns + MGD_SINK_CONNS && conn->fd >= 0)
        conn++;
    if (conn == sink->conns + MGD_SINK_CONNS)
        conn = &turned;
    int fd = accept4(sink->listener, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return; /* it has gone again */
    *conn = (struct mgd_sink_conn){.fd = fd,
        .role = MGD_SINK_GREETING,
        .address = ntohl(peer.sin_addr.s_addr),
        .port = ntohs(peer.sin_port),
        .deadline_ns = mgc_deadline_in_ms(GREETING_MS)};
    if (conn == &turned)
        turn_away(sink, conn, MGC_DEVICE_SINK_GARBAGE);
}

/* --- the job ---------------------------------------------------------------------------------- */

static short events_of(const struct mgd_sink *sink, const struct mgd_sink_conn *conn)
{
    if (conn->role == MGD_SINK_STREAM)
        return mgd_sink_stream_events(sink, conn);
    return conn->role == MGD_SINK_CONTROL && sink->output.len ? POLLIN | POLLOUT : POLLIN;
}

static size_t fds(struct mgd_job *job, struct pollfd *fds, size_t room)
{
    struct mgd_sink *sink = of(job);
    size_t used = 0;
    sink->polled_count = 0;
    if (room <= MGD_SINK_CONNS)
        return 0; /* never: there is room for far more jobs than anybody starts */
    fds[used++] = (struct pollfd){sink->listener, POLLIN, 0};
    for (size_t i = 0; i < MGD_SINK_CONNS; i++) {
        struct mgd_sink_conn *conn = &sink->conns[i];
        if (conn->fd < 0)
            continue;
        sink->polled[sink->polled_count++] = conn;
        fds[used++] = (struct pollfd){conn->fd, events_of(sink, conn), 0};
    }
    return used;
}

static void ready(struct mgd_job *job, const struct pollfd *fds, size_t count)
{
    struct mgd_sink *sink = of(job);
    for (size_t i = 0; i + 1 < count && i < sink->polled_count; i++) {
        struct mgd_sink_conn *conn = sink->polled[i];
        short revents = fds[i + 1].revents;
        if (!revents || conn->fd != fds[i + 1].fd)
            continue; /* closed meanwhile, with its session */
        if (conn->role == MGD_SINK_GREETING)
            greeting_ready(sink, conn);
        else if (conn->role == MGD_SINK_CONTROL)
            mgd_sink_client_ready(sink, revents);
        else
            mgd_sink_stream_ready(sink, conn, revents);
    }
    if (fds[0].revents)
        accept_one(sink);
    mgd_sink_flush(sink);
}

static int64_t due_ns(const struct mgd_job *job)
{
    const struct mgd_sink *sink = (const struct mgd_sink *)job;
    int64_t due = mgc_deadline_min(sink->end_ns, mgd_sink_run_due_ns(sink));
    for (size_t i = 0; i < MGD_SINK_CONNS; i++)
        if (sink->conns[i].fd >= 0 && sink->conns[i].role == MGD_SINK_GREETING)
            due = mgc_deadline_min(due, sink->conns[i].deadline_ns);
    return due;
}

static void say_end(struct mgd_job *job)
{
    struct mgd_sink *sink = of(job);
    mgd_sink_leave(sink);
    mgd_send(job->session,
        &(struct mgc_device_msg){.type = MGC_DEVICE_SINK_END,
            .id = job->id,
            .sink_end = {sink->sessions, sink->refused, sink->received_bytes, sink->sent_bytes}});
}

static void tick(struct mgd_job *job)
{
    struct mgd_sink *sink = of(job);
    for (size_t i = 0; i < MGD_SINK_CONNS; i++) {
        struct mgd_sink_conn *conn = &sink->conns[i];
        if (conn->fd >= 0 && conn->role == MGD_SINK_GREETING &&
            mgc_deadline_past(conn->deadline_ns))
            turn_away(sink, conn, MGC_DEVICE_SINK_GARBAGE);
    }
    mgd_sink_run_tick(sink);
    mgd_sink_flush(sink);
    if (mgc_deadline_past(sink->end_ns)) {
        say_end(job);
        mgd_job_done(job);
    }
}

static void destroy(struct mgd_job *job)
{
    struct mgd_sink *sink = of(job);
    for (size_t i = 0; i < MGD_SINK_CONNS; i++)
        mgd_sink_close(&sink->conns[i]);
    if (sink->listener >= 0)
        close(sink->listener);
    mgc_sink_series_destroy(&sink->run.series);
    mgc_device_stream_destroy(&sink->input);
    mgc_buf_destroy(&sink->output);
    memset(sink->token, 0, sizeof(sink->token));
    free(sink);
}

static const struct mgd_job_ops ops = {.fds = fds,
    .ready = ready,
    .due_ns = due_ns,
    .tick = tick,
    .cancel = say_end,
    .destroy = destroy};

/* --- begin ------------------------------------------------------------------------------------ */

/* 0, or an errno. */
static int listen_on(struct mgd_sink *sink, uint32_t port, uint32_t *ret_port)
{
    struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_addr = {htonl(INADDR_ANY)}, .sin_port = htons((uint16_t)port)};
    socklen_t len = sizeof(own);
    int on = 1;
    sink->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (sink->listener < 0 ||
        setsockopt(sink->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(sink->listener, (struct sockaddr *)&own, len) != 0 ||
        listen(sink->listener, BACKLOG) != 0 ||
        getsockname(sink->listener, (struct sockaddr *)&own, &len) != 0)
        return errno;
    *ret_port = ntohs(own.sin_port);
    return 0;
}

static struct mgd_sink *make(const struct mgc_device_msg *msg)
{
    struct mgd_sink *sink = calloc(1, sizeof(*sink));
    if (!sink)
        return NULL;
    sink->job.ops = &ops;
    sink->job.id = msg->id;
    sink->listener = -1;
    sink->end_ns = mgc_deadline_in_ms(msg->sink.lifetime_ms);
    memcpy(sink->token, msg->sink.token.data, sizeof(sink->token));
    for (size_t i = 0; i < MGD_SINK_CONNS; i++)
        sink->conns[i].fd = -1;
    return sink;
}

void mgd_start_sink(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    uint32_t port = 0;
    if (msg->sink.token.size != MGC_DEVICE_TOKEN_SIZE || msg->sink.port > UINT16_MAX ||
        msg->sink.lifetime_ms == 0) {
        mgd_failed(session, msg->id, MGC_E_USAGE, 0,
            "a sink needs a port, a lifetime and a token of %d bytes", MGC_DEVICE_TOKEN_SIZE);
        return;
    }
    struct mgd_sink *sink = make(msg);
    if (!sink) {
        mgd_failed(session, msg->id, MGC_E_NO_MEMORY, 0, "no memory for a sink");
        return;
    }
    int errnum = listen_on(sink, msg->sink.port, &port);
    if (errnum) {
        mgd_failed(session, msg->id, mgc_device_errnum_code(errnum), errnum, "listen on port %u",
            msg->sink.port);
        destroy(&sink->job);
        return;
    }
    mgd_job_add(session, &sink->job);
    mgd_send(session, &(struct mgc_device_msg){
                          .type = MGC_DEVICE_SINK_READY, .id = msg->id, .sink_ready = {port}});
    mgd_send(session, &(struct mgc_device_msg){.type = MGC_DEVICE_BEGUN, .id = msg->id});
}
