/* A session process: applies records from the data connection and answers on the control one. */
#include "lab/replay/server.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/replay/apply.h"
#include "lab/replay/fault.h"
#include "lab/replay/thread.h"

enum { READ_SIZE = 256 << 10, ANSWER_MS = 60000 };

/* A question that waits until the stream has come to its position. */
struct question {
    enum mgr_msg_kind kind; /* 0: none */
    uint64_t position;
};

struct session {
    struct mgr_server *server;
    struct mgr_channel *control;
    mgc_socket data;
    struct mgr_apply apply;
    struct mgc_buf in; /* bytes of the data connection not yet applied */
    uint64_t applied;  /* position of the stream */
    struct question question, bye;
    bool done, forwarding;
    int code; /* exit code of the process */
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

static bool end_frame(
    struct session *session, const struct mgr_record *record, struct mgc_error *err)
{
    struct mgr_msg credit = {
        .kind = MGR_MSG_CREDIT, .frame = record->frame, .position = session->applied};
    if (!answer(session, &credit, err))
        return false;
    mgr_apply_frame(&session->apply);
    return true;
}

static bool send_pixels(struct session *session, struct mgc_error *err)
{
    const struct mgr_image *picture = &session->apply.renderer.picture;
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
        if (!mgr_apply_record(&session->apply, &record, size, err))
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
    session->apply.frame_bytes += got;
    session->apply.frame_reads++;
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
        if (!mgr_channel_poll(fds, 2, session->server->env.spin_us, MGC_NEVER,
                &session->apply.waits.server_waits, &session->apply.waits.server_parks))
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
    mgr_log_thread(&server->log, MGR_APPLY_THREAD);
    server->log.tap_user = session;
    server->log.tap = forward;
    mgr_apply_log_ready(&session->apply, server->hello.backend, "tcp", "stream");
    struct mgr_msg ready = {.kind = MGR_MSG_READY, .pid = (uint32_t)getpid()};
    mgr_apply_begin(&session->apply);
    return answer(session, &ready, err);
}

/* The exit code of a session that ended in an orderly way. */
static int complete(struct session *session, struct mgc_error *err)
{
    int64_t planted;
    mgr_apply_end(&session->apply);
    struct mgr_msg bye = {.kind = MGR_MSG_BYE, .position = session->applied};
    if (!answer(session, &bye, err))
        return MGR_EXIT_LOOP;
    return mgr_fault_number("server-bad-exit", MGR_EXIT_LOOP, &planted) ? (int)planted & 0xff : 0;
}

static void apply_main(void *arg)
{
    struct session *session = arg;
    struct mgc_error err = {0};
    session->code = MGR_EXIT_LOOP;
    if (start(session, &err) && loop(session, &err)) {
        session->code = complete(session, &err);
        return;
    }
    session->forwarding = false; /* the connection is in an unknown state */
    mgr_log_line(log_of(session), MGR_ERROR, "MG_Remote server: session broke off: %s", err.text);
}

int mgr_session_run(struct mgr_server *server, struct mgr_channel *control, mgc_socket data)
{
    struct mgc_error err = {0};
    int code = MGR_EXIT_BACKEND;
    struct session *session = calloc(1, sizeof(*session));
    if (session) {
        session->server = server;
        session->control = control;
        session->data = data;
        session->forwarding = server->hello.flags & MGR_HELLO_LOG_FORWARD;
        session->apply =
            (struct mgr_apply){.env = &server->env, .log = &server->log, .own_process = true};
        if (mgr_apply_init(&session->apply, server->hello.width, server->hello.height, &err) &&
            mgr_thread_run(MGR_APPLY_THREAD, apply_main, session, &err))
            code = session->code;
        else
            mgr_log_line(&server->log, MGR_ERROR, "MG_Remote server: %s", err.text);
        server->log.tap = NULL;
        mgr_apply_destroy(&session->apply);
        mgc_buf_destroy(&session->in);
    }
    free(session);
    mgr_channel_destroy(control);
    mgc_net_close(data);
    return code;
}
