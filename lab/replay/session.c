/* A session process: applies records from the data connection and answers on the control one. */
#include "lab/replay/server.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/replay/fault.h"
#include "lab/replay/metrics.h"
#include "lab/replay/pipestats.h"
#include "lab/replay/renderer.h"

enum { READ_SIZE = 256 << 10, ANSWER_MS = 60000, SIGNAL_FRAME = 3 };

/* A question that waits until the stream has come to its position. */
struct question {
    enum mgr_msg_kind kind; /* 0: none */
    uint64_t position;
};

struct session {
    struct mgr_server *server;
    struct mgr_channel *control;
    mgc_socket data;
    struct mgr_renderer renderer;
    struct mgc_buf in; /* bytes of the data connection not yet applied */
    uint64_t applied;  /* position of the stream */
    struct question question, bye;
    struct mgr_pipestats last_stats;
    int64_t frame_wall_ns, frame_cpu_ns;
    uint64_t frame_records, frame_bytes, frame_reads;
    bool done, forwarding;
};

static struct mgr_log *log_of(struct session *session)
{
    return &session->server->log;
}

static bool answer(struct session *session, const struct mgr_msg *msg, struct mgc_error *err)
{
    return mgr_channel_send(session->control, msg, mgc_deadline_in_ms(ANSWER_MS), err);
}

/* Lines go to the client as well; a client that is gone is noticed by the loop, not here. */
static void forward(void *user, enum mgr_level level, const char *line)
{
    struct session *session = user;
    (void)level;
    if (!session->forwarding)
        return;
    struct mgr_msg msg = {
        .kind = MGR_MSG_LOG, .data = (const uint8_t *)line, .data_len = strlen(line)};
    session->forwarding = answer(session, &msg, NULL);
}

static struct mgr_pipestats stats_of(const struct session *session)
{
    const struct mgr_renderer *renderer = &session->renderer;
    return (struct mgr_pipestats){
        .frames = renderer->frames,
        .draws = renderer->draws,
        .records = renderer->records,
        .buffer_bytes = renderer->buffer_bytes,
        .texture_bytes = renderer->texture_bytes,
        .max_record = renderer->max_record_bytes,
    };
}

static void log_stats(struct session *session)
{
    struct mgr_pipestats now = stats_of(session);
    char line[MGR_PIPESTATS_LINE_MAX];
    mgr_pipestats_line(&now, &session->last_stats, line);
    mgr_log_line(log_of(session), MGR_INFO, "%s", line);
    session->last_stats = now;
}

/* Lines of the frame that just ended, as far as they were asked for. */
static void log_frame(struct session *session)
{
    const struct mgr_env *env = &session->server->env;
    unsigned long long frame = session->renderer.frames;
    int64_t wall_ns = mgc_mono_ns(), cpu_ns = mgr_thread_cpu_ns();
    double wall_ms = (double)(wall_ns - session->frame_wall_ns) / 1e6;
    double apply_ms = (double)(cpu_ns - session->frame_cpu_ns) / 1e6;
    if (env->link_metrics)
        mgr_log_line(log_of(session), MGR_INFO,
            "P65ServerMetrics frame=%llu valid=%d wall_ns=%lld apply_thread_cpu_ns=%lld", frame,
            frame > 1, (long long)(wall_ns - session->frame_wall_ns),
            (long long)(cpu_ns - session->frame_cpu_ns));
    if (env->server_frame_stats)
        mgr_log_line(log_of(session), MGR_INFO,
            "P65ServerFrame frame=%llu records=%llu apply_ms=%.1f wall_ms=%.1f outside_ms=%.1f | "
            "read: %llu B in %llu recv(%llu reads) recv_ms=%.1f total_ms=%.1f (%.0f%% blocked, "
            "%.1f MB/s)",
            frame, (unsigned long long)(session->renderer.records - session->frame_records),
            apply_ms, wall_ms, wall_ms - apply_ms, (unsigned long long)session->frame_bytes,
            (unsigned long long)session->frame_reads, (unsigned long long)session->frame_reads,
            wall_ms - apply_ms, wall_ms, wall_ms > 0 ? (wall_ms - apply_ms) / wall_ms * 100 : 0,
            wall_ms > 0 ? (double)session->frame_bytes / wall_ms / 1000 : 0);
    if (env->pipe_stats && frame % (uint64_t)env->stats_period == 0)
        log_stats(session);
    session->frame_wall_ns = wall_ns;
    session->frame_cpu_ns = cpu_ns;
    session->frame_records = session->renderer.records;
    session->frame_bytes = session->frame_reads = 0;
}

static bool end_frame(
    struct session *session, const struct mgr_record *record, struct mgc_error *err)
{
    struct mgr_msg credit = {
        .kind = MGR_MSG_CREDIT, .frame = record->frame, .position = session->applied};
    if (!answer(session, &credit, err))
        return false;
    log_frame(session);
    int64_t sig;
    if (session->renderer.frames == SIGNAL_FRAME &&
        mgr_fault_number("server-session-signal", SIGKILL, &sig))
        raise((int)sig);
    return true;
}

static bool send_pixels(struct session *session, struct mgc_error *err)
{
    const struct mgr_image *picture = &session->renderer.picture;
    struct mgr_msg msg = {.kind = MGR_MSG_PIXELS,
        .width = (uint16_t)picture->width,
        .height = (uint16_t)picture->height,
        .data = (const uint8_t *)picture->pixels,
        .data_len = (size_t)picture->width * (size_t)picture->height * 4};
    return answer(session, &msg, err);
}

/* Answer what has become answerable: a question's position was applied. */
static bool settle(struct session *session, struct mgc_error *err)
{
    struct question *question = &session->question;
    if (question->kind && session->applied >= question->position) {
        struct mgr_msg msg = {.kind = MGR_MSG_SYNCED, .position = session->applied};
        bool ok =
            question->kind == MGR_MSG_SYNC ? answer(session, &msg, err) : send_pixels(session, err);
        question->kind = 0;
        if (!ok)
            return false;
    }
    session->done = session->bye.kind && session->applied >= session->bye.position;
    return true;
}

static bool apply_all(struct session *session, struct mgc_error *err)
{
    size_t used = 0;
    for (;;) {
        struct mgr_record record;
        size_t size;
        enum mgr_decode outcome =
            mgr_record_decode(session->in.data + used, session->in.len - used, &record, &size, err);
        if (outcome == MGR_DECODE_BAD)
            return false;
        if (outcome == MGR_DECODE_MORE)
            break;
        if (size > session->renderer.max_record_bytes)
            session->renderer.max_record_bytes = (uint32_t)size;
        if (!mgr_renderer_apply(&session->renderer, &record, err))
            return false;
        used += size;
        session->applied += size;
        if (record.kind == MGR_PRESENT && !end_frame(session, &record, err))
            return false;
    }
    mgc_buf_consume(&session->in, used);
    return true;
}

static bool read_records(struct session *session, struct mgc_error *err)
{
    struct mgc_buf *in = &session->in;
    size_t got;
    if (!mgc_buf_reserve(in, READ_SIZE))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for records");
    if (!mgc_net_recv_some(session->data, in->data + in->len, READ_SIZE, &got,
            mgc_deadline_in_ms(ANSWER_MS), -1, err))
        return false;
    if (got == 0)
        return mgc_error_set(err, MGC_E_LOST, "the client closed the data connection");
    in->len += got;
    in->data[in->len] = '\0';
    session->frame_bytes += got;
    session->frame_reads++;
    return apply_all(session, err);
}

static bool take_message(struct session *session, const struct mgr_msg *msg, struct mgc_error *err)
{
    struct question asked = {msg->kind, msg->position};
    switch (msg->kind) {
    case MGR_MSG_SYNC:
    case MGR_MSG_READBACK:
        if (session->question.kind)
            return mgc_error_set(err, MGC_E_PROTOCOL, "a second question before the answer");
        session->question = asked;
        return true;
    case MGR_MSG_BYE:
        session->bye = asked;
        return true;
    default:
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "unexpected session message of kind %d", (int)msg->kind);
    }
}

static bool take_messages(struct session *session, struct mgc_error *err)
{
    for (;;) {
        struct mgr_msg msg;
        switch (mgr_channel_peek(session->control, &msg, err)) {
        case MGR_PEEK_NOTHING:
            return true;
        case MGR_PEEK_BAD:
            return false;
        case MGR_PEEK_MESSAGE:
            if (!take_message(session, &msg, err))
                return false;
        }
    }
}

/* Until BYE is reached. Waits without deadline: the client decides how long a session lasts, and
 * keepalive ends it when the client's host is gone. */
static bool loop(struct session *session, struct mgc_error *err)
{
    /* The supervisor may have read past HELLO. */
    if (!take_messages(session, err) || !settle(session, err))
        return false;
    while (!session->done) {
        struct pollfd fds[2] = {
            {.fd = (int)session->data, .events = POLLIN},
            {.fd = (int)session->control->socket, .events = POLLIN},
        };
        if (poll(fds, 2, -1) < 0)
            continue; /* EINTR is the only way for these arguments */
        if (fds[1].revents && (!mgr_channel_fill(session->control, mgc_deadline_in_ms(0), err) ||
                                  !take_messages(session, err)))
            return false;
        if (fds[0].revents && !read_records(session, err))
            return false;
        if (!settle(session, err))
            return false;
    }
    return true;
}

static bool start(struct session *session, struct mgc_error *err)
{
    struct mgr_server *server = session->server;
    char line[512];
    mgr_log_thread(&server->log, "mgl-srv-apply");
    server->log.tap_user = session;
    server->log.tap = forward;
    mgr_env_ipc_line(&server->env, line, sizeof(line));
    mgr_log_line(&server->log, MGR_INFO, "%s", line);
    mgr_log_line(
        &server->log, MGR_INFO, "Config: Active backend type set to %s", server->hello.backend);
    mgr_log_line(&server->log, MGR_INFO,
        "MG_Remote server: pid=%d transport=spawn role=server ready control=tcp data=stream",
        (int)getpid());
    if (mgr_fault("server-wrong-pixels"))
        session->renderer.spoil = 0x00ffffff;
    struct mgr_msg ready = {.kind = MGR_MSG_READY, .pid = (uint32_t)getpid()};
    session->frame_wall_ns = mgc_mono_ns();
    session->frame_cpu_ns = mgr_thread_cpu_ns();
    return answer(session, &ready, err);
}

/* The exit code of a session that ended in an orderly way. */
static int complete(struct session *session, struct mgc_error *err)
{
    int64_t planted;
    if (session->server->env.pipe_stats)
        log_stats(session);
    mgr_log_line(log_of(session), MGR_INFO, "MG_Remote server: session over, %llu frames",
        (unsigned long long)session->renderer.frames);
    struct mgr_msg bye = {.kind = MGR_MSG_BYE, .position = session->applied};
    if (!answer(session, &bye, err))
        return MGR_EXIT_LOOP;
    return mgr_fault_number("server-bad-exit", MGR_EXIT_LOOP, &planted) ? (int)planted & 0xff : 0;
}

int mgr_session_run(struct mgr_server *server, struct mgr_channel *control, mgc_socket data)
{
    struct mgc_error err = {0};
    struct session *session = calloc(1, sizeof(*session));
    int code = MGR_EXIT_BACKEND;
    if (!session)
        goto out;
    session->server = server;
    session->control = control;
    session->data = data;
    session->forwarding = server->hello.flags & MGR_HELLO_LOG_FORWARD;
    if (!mgr_renderer_init(&session->renderer, server->hello.width, server->hello.height, &err)) {
        mgr_log_line(&server->log, MGR_ERROR, "MG_Remote server: %s", err.text);
        goto out;
    }
    code = MGR_EXIT_LOOP;
    if (start(session, &err) && loop(session, &err)) {
        code = complete(session, &err);
    } else {
        session->forwarding = false; /* the connection is in an unknown state */
        mgr_log_line(&server->log, MGR_ERROR, "MG_Remote server: session broke off: %s", err.text);
    }

out:
    if (session) {
        server->log.tap = NULL;
        mgr_renderer_destroy(&session->renderer);
        mgc_buf_destroy(&session->in);
    }
    free(session);
    mgr_channel_destroy(control);
    mgc_net_close(data);
    return code;
}
