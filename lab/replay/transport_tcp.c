/* The arm tcp, on one device or across hosts: records over one TCP connection, session messages
 * over another. */
#include "lab/replay/transport.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "lab/replay/channel.h"
#include "lab/replay/fault.h"

struct tcp {
    const struct mgr_env *env; /* borrowed */
    struct mgr_log *log;       /* borrowed */
    struct mgr_log server_log; /* the server's lines, forwarded */
    struct mgr_channel control;
    mgc_socket data;
    uint64_t sent; /* position of the stream */
    uint32_t in_flight, server_pid;
    bool caps_run_ahead;
};

static int64_t budget(const struct tcp *tcp)
{
    return mgc_deadline_in_ms(tcp->env->cold_start_ms);
}

/* ETIMEDOUT of the kernel (user timeout, keepalive) is a dead link; only our own deadline is a
 * silent server. */
static bool classify(int64_t deadline_ns, struct mgc_error *err)
{
    if (err && err->code == MGC_E_TIMEOUT && !mgc_deadline_past(deadline_ns))
        err->code = MGC_E_LOST;
    return false;
}

static bool refused(struct tcp *tcp, const struct mgr_msg *msg, struct mgc_error *err)
{
    mgr_log_line(tcp->log, MGR_ERROR, "MGPipe: peer Refuse{%s} %s expected=%u actual=%u", msg->code,
        msg->detail, msg->expected, msg->actual);
    bool busy = strcmp(msg->code, "Busy") == 0;
    return mgc_error_set(
        err, busy ? MGC_E_BUSY : MGC_E_DENIED, "peer Refuse{%s} %s", msg->code, msg->detail);
}

/* Messages that may come at any time. False: an unexpected one. */
static bool take(struct tcp *tcp, const struct mgr_msg *msg, struct mgc_error *err)
{
    switch (msg->kind) {
    case MGR_MSG_LOG:
        mgr_log_raw(&tcp->server_log, (const char *)msg->data, msg->data_len);
        return true;
    case MGR_MSG_CREDIT:
        if (tcp->in_flight == 0)
            return mgc_error_set(err, MGC_E_PROTOCOL, "a present credit too many");
        tcp->in_flight--;
        return true;
    case MGR_MSG_REFUSE:
        return refused(tcp, msg, err);
    default:
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "unexpected session message of kind %d", (int)msg->kind);
    }
}

/* Receive until a message of that kind is there; others are taken on the way. */
static bool await_kind(
    struct tcp *tcp, enum mgr_msg_kind kind, struct mgr_msg *ret_msg, struct mgc_error *err)
{
    int64_t deadline_ns = budget(tcp);
    for (;;) {
        if (!mgr_channel_receive(&tcp->control, ret_msg, deadline_ns, err))
            return classify(deadline_ns, err);
        if (ret_msg->kind == kind)
            return true;
        if (!take(tcp, ret_msg, err))
            return false;
    }
}

/* Take what has arrived, without waiting, so that the server never blocks on a full socket. */
static bool drain(struct tcp *tcp, struct mgc_error *err)
{
    for (;;) {
        struct mgr_msg msg;
        switch (mgr_channel_peek(&tcp->control, &msg, err)) {
        case MGR_PEEK_MESSAGE:
            if (!take(tcp, &msg, err))
                return false;
            continue;
        case MGR_PEEK_BAD:
            return false;
        case MGR_PEEK_NOTHING:
            break;
        }
        struct pollfd fd = {.fd = (int)tcp->control.socket, .events = POLLIN};
        if (poll(&fd, 1, 0) <= 0)
            return true;
        if (!mgr_channel_fill(&tcp->control, budget(tcp), err))
            return false;
    }
}

static bool dial(const char *host, unsigned port, int64_t deadline_ns, mgc_socket *ret_socket,
    struct mgc_error *err)
{
    *ret_socket = mgc_net_connect(host, port, deadline_ns, -1, err);
    return *ret_socket != MGC_SOCKET_NONE && mgr_channel_tune(*ret_socket, err);
}

static bool say_hello(struct tcp *tcp, const struct mgr_terms *terms, struct mgc_error *err)
{
    const struct mgr_env *env = tcp->env;
    struct mgr_msg hello = {.kind = MGR_MSG_HELLO, .version = MGR_PROTO_VERSION};
    hello.flags = (uint16_t)((env->run_ahead ? MGR_HELLO_RUN_AHEAD : 0) |
                             (env->log_forward ? MGR_HELLO_LOG_FORWARD : 0) |
                             (env->require_same_build ? MGR_HELLO_SAME_BUILD : 0));
    hello.credit = (uint16_t)env->present_credit;
    hello.width = (uint16_t)terms->width;
    hello.height = (uint16_t)terms->height;
    snprintf(hello.backend, sizeof(hello.backend), "%s", terms->backend);
    snprintf(hello.token, sizeof(hello.token), "%s", env->token);
    snprintf(hello.build, sizeof(hello.build), "%s", terms->build);
    return mgr_channel_send(&tcp->control, &hello, budget(tcp), err);
}

/* From two addresses to a session; the order of messages is drawn in proto.h. */
static bool handshake(struct tcp *tcp, const struct mgr_terms *terms, const char *host,
    unsigned port, struct mgc_error *err)
{
    int64_t dial_by = mgc_deadline_in_ms(tcp->env->control_timeout_ms);
    mgc_socket socket;
    bool ok = dial(host, port, dial_by, &socket, err);
    mgr_channel_init(&tcp->control, socket);
    tcp->control.spin_us = tcp->env->spin_us;
    struct mgr_msg msg;
    if (!ok || !say_hello(tcp, terms, err) || !await_kind(tcp, MGR_MSG_WELCOME, &msg, err))
        return false;
    if (msg.version != MGR_PROTO_VERSION)
        return mgc_error_set(err, MGC_E_VERSION, "server speaks session version %u, not %d",
            msg.version, MGR_PROTO_VERSION);
    tcp->caps_run_ahead = msg.flags & MGR_CAP_RUN_AHEAD_APPLY;
    if (strcmp(msg.build, terms->build) != 0)
        mgr_log_line(tcp->log, MGR_WARN,
            "MG_Remote client: server build \"%s\", client build \"%s\"", msg.build, terms->build);

    struct mgr_msg data = {.kind = MGR_MSG_DATA, .version = MGR_PROTO_VERSION, .nonce = msg.nonce};
    struct mgc_buf out = {0};
    mgr_msg_encode(&out, &data);
    ok = dial(host, port, mgc_deadline_in_ms(tcp->env->control_timeout_ms), &tcp->data, err) &&
         mgc_net_send_all(tcp->data, out.data, out.len, budget(tcp), -1, err);
    mgc_buf_destroy(&out);
    if (!ok || !await_kind(tcp, MGR_MSG_READY, &msg, err))
        return false;
    tcp->server_pid = msg.pid;
    return true;
}

static void destroy(struct tcp *tcp)
{
    mgr_channel_destroy(&tcp->control);
    mgc_net_close(tcp->data);
    mgr_log_close(&tcp->server_log);
    free(tcp);
}

static void *tcp_open(const struct mgr_terms *terms, struct mgc_error *err)
{
    char host[128];
    unsigned port;
    if (!mgr_env_endpoint(terms->env->control, host, sizeof(host), &port) || port == 0) {
        mgc_error_set(err, MGC_E_USAGE, "MOBILEGL_IPC_CONTROL=%s is not tcp://host:port",
            terms->env->control);
        return NULL;
    }
    struct tcp *tcp = calloc(1, sizeof(*tcp));
    if (!tcp) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a session");
        return NULL;
    }
    tcp->env = terms->env;
    tcp->log = terms->log;
    tcp->control.socket = tcp->data = MGC_SOCKET_NONE;
    if (!mgr_log_open(&tcp->server_log, terms->log_base, ".server.log", "forwarded", err) ||
        !handshake(tcp, terms, host, port, err)) {
        destroy(tcp);
        return NULL;
    }
    if (!mgr_fault("client-no-link-marker"))
        mgr_log_line(terms->log, MGR_INFO,
            "MG_Remote client: control=tcp data=stream server=%s pid=%u dial=connect",
            terms->env->control + strlen("tcp://"), tcp->server_pid);
    return tcp;
}

static bool tcp_run_ahead(void *state)
{
    return ((struct tcp *)state)->caps_run_ahead;
}

static bool tcp_send(void *state, const void *records, size_t len, struct mgc_error *err)
{
    struct tcp *tcp = state;
    int64_t deadline_ns = budget(tcp);
    if (!drain(tcp, err))
        return classify(deadline_ns, err);
    if (!mgc_net_send_all(tcp->data, records, len, deadline_ns, -1, err))
        return classify(deadline_ns, err);
    tcp->sent += len;
    return true;
}

static bool tcp_await(void *state, uint32_t in_flight, struct mgc_error *err)
{
    struct tcp *tcp = state;
    int64_t deadline_ns = budget(tcp);
    while (tcp->in_flight > in_flight) {
        struct mgr_msg msg;
        if (!mgr_channel_receive(&tcp->control, &msg, deadline_ns, err))
            return classify(deadline_ns, err);
        if (!take(tcp, &msg, err))
            return false;
    }
    return true;
}

static void tcp_presented(void *state)
{
    ((struct tcp *)state)->in_flight++;
}

static bool tcp_sync(void *state, struct mgc_error *err)
{
    struct tcp *tcp = state;
    struct mgr_msg sync = {.kind = MGR_MSG_SYNC, .position = tcp->sent}, msg;
    if (!mgr_channel_send(&tcp->control, &sync, budget(tcp), err))
        return classify(MGC_NEVER, err);
    do {
        if (!await_kind(tcp, MGR_MSG_SYNCED, &msg, err))
            return false;
    } while (msg.position < tcp->sent);
    return true;
}

static bool tcp_read(void *state, uint32_t *pixels, size_t count, struct mgc_error *err)
{
    struct tcp *tcp = state;
    struct mgr_msg ask = {.kind = MGR_MSG_READBACK, .position = tcp->sent}, msg;
    if (!mgr_channel_send(&tcp->control, &ask, budget(tcp), err))
        return classify(MGC_NEVER, err);
    if (!await_kind(tcp, MGR_MSG_PIXELS, &msg, err))
        return false;
    if (msg.data_len != count * sizeof(*pixels))
        return mgc_error_set(err, MGC_E_PROTOCOL, "read-back of %ux%u pixels, not of %zu",
            msg.width, msg.height, count);
    memcpy(pixels, msg.data, msg.data_len);
    return true;
}

static void tcp_stats(void *state, struct mgr_pipestats *stats, struct mgr_moved *ret_moved)
{
    const struct tcp *tcp = state;
    stats->client_waits = tcp->control.waits;
    stats->client_parks = tcp->control.parks;
    *ret_moved = (struct mgr_moved){.socket = tcp->sent};
}

static bool tcp_close(void *state, bool complete, struct mgc_error *err)
{
    struct tcp *tcp = state;
    struct mgr_msg bye = {.kind = MGR_MSG_BYE, .position = tcp->sent}, msg;
    bool ok = !complete || (mgr_channel_send(&tcp->control, &bye, budget(tcp), err) &&
                               await_kind(tcp, MGR_MSG_BYE, &msg, err));
    destroy(tcp);
    return ok;
}

const struct mgr_transport_ops mgr_transport_tcp = {
    .name = "tcp",
    .topology = "spawn",
    .split = true,
    .open = tcp_open,
    .run_ahead = tcp_run_ahead,
    .send = tcp_send,
    .await_presents = tcp_await,
    .presented = tcp_presented,
    .sync = tcp_sync,
    .read_pixels = tcp_read,
    .stats = tcp_stats,
    .close = tcp_close,
};
