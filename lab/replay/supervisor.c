/* The listener: first messages, refusals, one session process, and its reaping. */
#include "lab/replay/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "lab/replay/fault.h"

enum {
    PENDING_MAX = 8, /* connections whose first message is not there yet */
    FIRST_MESSAGE_MS = 10000,
    DATA_MS = 10000, /* from WELCOME to the data connection */
    REAP_MS = 50,    /* patience with a session that is ending while the next client knocks */
    SEND_MS = 2000,
    STRAY_MS = 30000,
    ACCEPT_PAUSE_MS = 200,
    ACCEPT_FAILURES_MAX = 50,
};

struct pending {
    struct mgr_channel channel;
    int64_t deadline_ns; /* 0: free */
};

struct supervisor {
    struct mgr_server *server;
    struct mgc_stop *stop;
    struct pending pending[PENDING_MAX];
    int accept_failures;      /* in a row */
    int64_t accept_paused_ns; /* mono; not listened to before; 0: it is */
};

static void drop(struct pending *pending)
{
    mgr_channel_destroy(&pending->channel);
    pending->deadline_ns = 0;
}

/* Take the ended session's status; the line is what harnesses wait for. */
static void reap(struct mgr_server *server)
{
    int status;
    if (!server->session || waitpid(server->session, &status, WNOHANG) != server->session)
        return;
    char ending[40];
    if (WIFEXITED(status))
        snprintf(ending, sizeof(ending), "exit=%d", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        snprintf(ending, sizeof(ending), "signal=%d", WTERMSIG(status));
    else
        snprintf(ending, sizeof(ending), "status=0x%x", (unsigned)status);
    server->sessions_faulted += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    mgr_log_line(&server->log, MGR_INFO,
        "MG_Remote server: session pid=%d reaped %s sessionsFaulted=%u", (int)server->session,
        ending, server->sessions_faulted);
    close(server->session_fd);
    server->session = 0;
    server->session_fd = -1;
}

/* A client that comes right after another may find the child still ending. */
static bool busy(struct mgr_server *server)
{
    if (server->session) {
        struct pollfd fd = {.fd = server->session_fd, .events = POLLIN};
        poll(&fd, 1, REAP_MS);
        reap(server);
    }
    return server->session || server->nonce;
}

static void refuse(struct mgr_server *server, struct pending *pending, const char *code,
    const char *detail, uint32_t expected, uint32_t actual)
{
    struct mgr_msg msg = {.kind = MGR_MSG_REFUSE, .expected = expected, .actual = actual};
    snprintf(msg.code, sizeof(msg.code), "%s", code);
    snprintf(msg.detail, sizeof(msg.detail), "%s", detail);
    mgr_log_line(&server->log, MGR_WARN, "MG_Remote server: Refuse{%s} %s", code, detail);
    mgr_channel_send(&pending->channel, &msg, mgc_deadline_in_ms(SEND_MS), NULL);
    mgc_net_shutdown_send(pending->channel.socket);
    drop(pending);
}

/* In constant time for tokens of equal length; an empty own token accepts every client. */
static bool token_fits(const char *own, const char *given)
{
    size_t len = strlen(own);
    if (len != strlen(given))
        return len == 0;
    unsigned char differ = 0;
    for (size_t i = 0; i < len; i++)
        differ |= (unsigned char)(own[i] ^ given[i]);
    return differ == 0;
}

static void welcome(struct mgr_server *server, struct pending *pending, const struct mgr_msg *hello)
{
    struct mgr_msg msg = {.kind = MGR_MSG_WELCOME,
        .version = MGR_PROTO_VERSION,
        .flags = MGR_CAP_RUN_AHEAD_APPLY,
        .nonce = mgc_random_id(),
        .ring_mb = (uint16_t)server->env.ring_mb,
        .stage_mb = (uint16_t)server->env.stage_mb};
    snprintf(msg.backend, sizeof(msg.backend), "%s", hello->backend);
    snprintf(msg.build, sizeof(msg.build), "%s", MGR_SERVER_BUILD);
    server->hello = *hello;
    if (!mgr_channel_send(&pending->channel, &msg, mgc_deadline_in_ms(SEND_MS), NULL)) {
        drop(pending);
        return;
    }
    server->nonce = msg.nonce;
    server->waiting = pending->channel;
    server->data_by_ns = mgc_deadline_in_ms(DATA_MS);
    *pending = (struct pending){.channel.socket = MGC_SOCKET_NONE};
}

static void take_hello(
    struct mgr_server *server, struct pending *pending, const struct mgr_msg *hello)
{
    const char *pinned = server->env.backend;
    if (mgr_fault("server-busy") || busy(server))
        refuse(server, pending, "Busy", "one session is already active", 0, 0);
    else if (hello->version != MGR_PROTO_VERSION)
        refuse(server, pending, "ProtocolMismatch", "another session protocol version",
            MGR_PROTO_VERSION, hello->version);
    else if (!token_fits(server->env.token, hello->token))
        refuse(server, pending, "Authentication", "the token does not match", 0, 0);
    else if (pinned[0] && strcmp(pinned, hello->backend) != 0)
        refuse(server, pending, "Backend", "this server is pinned to another backend", 0, 0);
    else if ((hello->flags & MGR_HELLO_SAME_BUILD) && strcmp(hello->build, MGR_SERVER_BUILD) != 0)
        refuse(
            server, pending, "BuildFingerprint", "client and server are of different builds", 0, 0);
    else
        welcome(server, pending, hello);
}

/* The child: lets go of what is the supervisor's and runs the session. */
static void become_session(struct supervisor *super, mgc_socket data)
{
    struct mgr_server *server = super->server;
    mgc_net_close(server->listener);
    for (int i = 0; i < PENDING_MAX; i++) {
        if (super->pending[i].channel.socket != data)
            mgc_net_close(super->pending[i].channel.socket);
    }
    int code = mgr_session_run(server, &server->waiting, data);
    mgr_log_close(&server->log);
    _exit(code);
}

static void take_data(struct supervisor *super, struct pending *pending)
{
    struct mgr_server *server = super->server;
    pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(MGR_EXIT_LOOP); /* the supervisor died before PDEATHSIG was set */
        become_session(super, pending->channel.socket);
    }
    if (pid < 0)
        mgr_log_line(&server->log, MGR_ERROR, "MG_Remote server: fork: %s", strerror(errno));
    else
        server->session_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    server->session = pid > 0 ? pid : 0;
    server->nonce = 0;
    mgr_channel_destroy(&server->waiting);
    drop(pending);
}

/* A first message is there: who is it? */
static void take_first(struct supervisor *super, struct pending *pending, const struct mgr_msg *msg)
{
    struct mgr_server *server = super->server;
    if (msg->kind == MGR_MSG_HELLO) {
        take_hello(server, pending, msg);
    } else if (msg->kind == MGR_MSG_DATA && server->nonce && msg->nonce == server->nonce) {
        take_data(super, pending);
    } else {
        mgr_log_line(&server->log, MGR_WARN,
            "MG_Remote server: a connection began with message kind %d and was dropped",
            (int)msg->kind);
        drop(pending);
    }
}

/* Something to read on a pending connection. A probe that just connects and closes is no event. */
static void read_first(struct supervisor *super, struct pending *pending)
{
    struct mgr_msg msg;
    struct mgc_error err = {0};
    if (!mgr_channel_fill(&pending->channel, mgc_deadline_in_ms(0), &err)) {
        drop(pending);
        return;
    }
    switch (mgr_channel_peek(&pending->channel, &msg, &err)) {
    case MGR_PEEK_MESSAGE:
        take_first(super, pending, &msg);
        return;
    case MGR_PEEK_BAD:
        mgr_log_line(&super->server->log, MGR_WARN,
            "MG_Remote server: a connection was dropped: %s", err.text);
        drop(pending);
        return;
    case MGR_PEEK_NOTHING:
        return;
    }
}

/* The oldest pending connection gives way when all places are taken. */
static struct pending *free_place(struct supervisor *super)
{
    struct pending *place = &super->pending[0];
    for (int i = 0; i < PENDING_MAX; i++) {
        if (!super->pending[i].deadline_ns)
            return &super->pending[i];
        if (super->pending[i].deadline_ns < place->deadline_ns)
            place = &super->pending[i];
    }
    drop(place);
    return place;
}

static bool accept_one(struct supervisor *super, struct mgc_error *err)
{
    mgc_socket socket = mgc_net_accept(super->server->listener, mgc_deadline_in_ms(0), -1, err);
    if (socket == MGC_SOCKET_NONE)
        return err->code == MGC_E_TIMEOUT; /* the client went away again */
    super->accept_failures = 0;
    if (!mgr_channel_tune(socket, NULL)) {
        mgc_net_close(socket);
        return true;
    }
    struct pending *place = free_place(super);
    mgr_channel_init(&place->channel, socket);
    place->deadline_ns = mgc_deadline_in_ms(FIRST_MESSAGE_MS);
    return true;
}

/* Descriptors or memory that ran out come back; the connection that waits keeps the listener
 * readable, so it is not looked at for a while. False: it does not get better. */
static bool pause_accept(struct supervisor *super, const struct mgc_error *why)
{
    struct mgr_log *log = &super->server->log;
    if (super->accept_failures++ == 0)
        mgr_log_line(log, MGR_ERROR, "MG_Remote server: %s; trying again", why->text);
    super->accept_paused_ns = mgc_deadline_in_ms(ACCEPT_PAUSE_MS);
    if (super->accept_failures < ACCEPT_FAILURES_MAX)
        return true;
    mgr_log_line(log, MGR_ERROR, "MG_Remote server: %s, %d times in a row", why->text,
        super->accept_failures);
    return false;
}

static int64_t next_deadline(const struct supervisor *super)
{
    int64_t next_ns = super->server->nonce ? super->server->data_by_ns : MGC_NEVER;
    if (super->accept_paused_ns)
        next_ns = mgc_deadline_min(next_ns, super->accept_paused_ns);
    for (int i = 0; i < PENDING_MAX; i++) {
        if (super->pending[i].deadline_ns)
            next_ns = mgc_deadline_min(next_ns, super->pending[i].deadline_ns);
    }
    return next_ns;
}

static void expire(struct supervisor *super)
{
    struct mgr_server *server = super->server;
    if (super->accept_paused_ns && mgc_deadline_past(super->accept_paused_ns))
        super->accept_paused_ns = 0;
    for (int i = 0; i < PENDING_MAX; i++) {
        if (super->pending[i].deadline_ns && mgc_deadline_past(super->pending[i].deadline_ns))
            drop(&super->pending[i]);
    }
    if (server->nonce && mgc_deadline_past(server->data_by_ns)) {
        mgr_log_line(&server->log, MGR_WARN,
            "MG_Remote server: no data connection within %d ms, the client is dropped", DATA_MS);
        server->nonce = 0;
        mgr_channel_destroy(&server->waiting);
    }
}

/* One wait: stop, session's end, the listener, pending connections. False: the listener broke. */
static bool turn(struct supervisor *super)
{
    struct mgr_server *server = super->server;
    struct mgc_error err = {0};
    struct pollfd fds[3 + PENDING_MAX] = {
        {.fd = super->stop->read_fd, .events = POLLIN},
        {.fd = server->session_fd, .events = POLLIN},
        {.fd = super->accept_paused_ns ? -1 : (int)server->listener, .events = POLLIN},
    };
    for (int i = 0; i < PENDING_MAX; i++) {
        fds[3 + i].fd = super->pending[i].deadline_ns ? (int)super->pending[i].channel.socket : -1;
        fds[3 + i].events = POLLIN;
    }
    if (poll(fds, 3 + PENDING_MAX, mgc_deadline_poll_ms(next_deadline(super))) < 0)
        return true;
    if (fds[1].revents)
        reap(server);
    for (int i = 0; i < PENDING_MAX; i++) {
        if (fds[3 + i].revents)
            read_first(super, &super->pending[i]);
    }
    expire(super);
    return !fds[2].revents || accept_one(super, &err) || pause_accept(super, &err);
}

/* The fault server-stray-session: somebody else's session is there before ours. */
static void begin_stray_session(struct mgr_server *server)
{
    int64_t hold_ms;
    if (!mgr_fault_number("server-stray-session", STRAY_MS, &hold_ms))
        return;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        mgc_sleep_ms(hold_ms);
        _exit(0);
    }
    server->session = pid > 0 ? pid : 0;
    server->session_fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

static void end_session(struct mgr_server *server)
{
    if (!server->session)
        return;
    struct pollfd fd = {.fd = server->session_fd, .events = POLLIN};
    kill(server->session, SIGKILL);
    poll(&fd, 1, -1);
    reap(server);
}

int mgr_server_run(struct mgr_server *server, struct mgc_stop *stop)
{
    struct supervisor super = {.server = server, .stop = stop};
    for (int i = 0; i < PENDING_MAX; i++)
        super.pending[i].channel.socket = MGC_SOCKET_NONE;
    server->session_fd = -1;
    server->waiting.socket = MGC_SOCKET_NONE;
    begin_stray_session(server);
    bool ok = true;
    while (ok && !mgc_stop_raised(stop))
        ok = turn(&super);
    for (int i = 0; i < PENDING_MAX; i++)
        drop(&super.pending[i]);
    mgr_channel_destroy(&server->waiting);
    end_session(server);
    return ok ? 0 : MGR_EXIT_ACCEPT;
}
