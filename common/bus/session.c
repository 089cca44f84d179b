#include "common/bus/session.h"

#include <inttypes.h>

#include "common/base/clock.h"

/* A clock estimate should be there soon after joining: pings follow one another until then. */
enum { FIRST_SAMPLES = 4, RESEND_MIN_MS = 20 };

/* Where many workers join at once those first ones wait in queues, and an instant given by such an
 * estimate is off by as much. The coordinator, who gives instants, goes on asking quickly, at times
 * that differ by session, until one answer was sharp or it has asked enough. */
enum { SHARP_US = 300, QUICK_SAMPLES = 40, QUICK_PART = 32 };
enum { SLEPT_READINGS = 5, SLEPT_SHARP_NS = 20 * 1000 };

static bool send_frame(
    const struct mgc_session_config *config, const struct mgc_msg *msg, struct mgc_error *err)
{
    struct mgc_buf frame = {0};
    bool ok = mgc_msg_encode(msg, &frame, err);
    if (ok && !config->send(config->user, frame.data, frame.len, msg->body, msg->body_len))
        ok = mgc_error_set(err, MGC_E_BUSY, "the connection cannot take a %s message now",
            mgc_msg_kind_name(msg->kind));
    mgc_buf_destroy(&frame);
    return ok;
}

void mgc_session_say(const struct mgc_session_config *config, enum mgc_msg_kind kind,
    enum mgc_code code, const char *text)
{
    struct mgc_msg msg = {.kind = kind, .epoch = config->epoch};
    msg.text = (struct mgc_msg_text){.code = code, .text = (char *)text};
    send_frame(config, &msg, NULL);
}

/* Two clocks cannot be read at once, and a process that is preempted between the readings would
 * look like a machine that slept: of some brackets the tightest. */
static int64_t slept_ns(void)
{
    int64_t slept = 0, tightest = INT64_MAX;
    for (int i = 0; i < SLEPT_READINGS && tightest > SLEPT_SHARP_NS; i++) {
        int64_t before = mgc_mono_ns(), boot = mgc_boot_ns(), after = mgc_mono_ns();
        if (after - before >= tightest)
            continue;
        tightest = after - before;
        slept = boot - before - tightest / 2;
    }
    return slept;
}

static void ping(struct mgc_session *session, int64_t now_ns)
{
    struct mgc_msg msg = {.kind = MGC_MSG_PING, .epoch = session->config.epoch};
    msg.ping =
        (struct mgc_msg_ping){.seq = ++session->ping_seq, .sent_ns = now_ns, .boot_ns = slept_ns()};
    send_frame(&session->config, &msg, NULL);
    session->ping_due_ns = now_ns + session->config.heartbeat_ms * MGC_NS_PER_MS;
}

static void ping_again_soon(struct mgc_session *session, int64_t now_ns)
{
    struct mgc_clock_offset clock = mgc_offset_estimate(&session->offsets, now_ns);
    if (session->config.side != MGC_SIDE_COORDINATOR || session->ping_seq >= QUICK_SAMPLES ||
        clock.round_trip_ns <= SHARP_US * MGC_NS_PER_US)
        return;
    /* 1 to 2 parts of a heartbeat, a different one each time */
    int64_t part_ns = session->config.heartbeat_ms * MGC_NS_PER_MS / QUICK_PART;
    uint64_t spread = (session->config.epoch >> (session->ping_seq % 32)) % 1024;
    session->ping_due_ns = now_ns + part_ns + part_ns * (int64_t)spread / 1024;
}

static void pong(struct mgc_session *session, const struct mgc_msg *asked, int64_t now_ns)
{
    struct mgc_msg msg = {.kind = MGC_MSG_PONG, .epoch = session->config.epoch};
    msg.ping = asked->ping;
    msg.ping.received_ns = now_ns;
    msg.ping.replied_ns =
        now_ns; /* what the answer takes counts as travel: half of it is bounded */
    msg.ping.boot_ns = slept_ns();
    send_frame(&session->config, &msg, NULL);
}

static void acknowledge(struct mgc_session *session)
{
    struct mgc_msg msg = {.kind = MGC_MSG_ACK, .epoch = session->config.epoch};
    msg.ack.upto = session->inbox.last;
    send_frame(&session->config, &msg, NULL);
}

bool mgc_session_start(struct mgc_session *session, const struct mgc_session_config *config,
    int64_t now_ns, struct mgc_error *err)
{
    int64_t resend_ms = config->heartbeat_ms / 2;
    *session = (struct mgc_session){.config = *config, .heard_ns = now_ns};
    session->outbox = mgc_outbox_new(resend_ms < RESEND_MIN_MS ? RESEND_MIN_MS : resend_ms);
    if (!session->outbox)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a session");
    ping(session, now_ns);
    return true;
}

void mgc_session_destroy(struct mgc_session *session)
{
    if (!session)
        return;
    mgc_outbox_free(session->outbox);
    *session = (struct mgc_session){0};
}

static bool goes_out(const struct mgc_session *session, enum mgc_msg_kind kind)
{
    return session->config.side == MGC_SIDE_WORKER ? mgc_msg_goes_to_coordinator(kind)
                                                   : mgc_msg_goes_to_worker(kind);
}

static bool comes_in(const struct mgc_session *session, enum mgc_msg_kind kind)
{
    return session->config.side == MGC_SIDE_WORKER ? mgc_msg_goes_to_worker(kind)
                                                   : mgc_msg_goes_to_coordinator(kind);
}

static bool send_reliable(
    struct mgc_session *session, struct mgc_msg *msg, int64_t now_ns, struct mgc_error *err)
{
    struct mgc_buf frame = {0};
    msg->mid = mgc_outbox_next_mid(session->outbox);
    bool ok = mgc_msg_encode(msg, &frame, err) &&
              mgc_outbox_push(session->outbox, frame.data, frame.len, now_ns, err);
    if (ok) /* if the socket does not take it, the repeat will */
        session->config.send(session->config.user, frame.data, frame.len, NULL, 0);
    mgc_buf_destroy(&frame);
    return ok;
}

bool mgc_session_send(
    struct mgc_session *session, struct mgc_msg *msg, int64_t now_ns, struct mgc_error *err)
{
    const char *name = mgc_msg_kind_name(msg->kind);
    if (!goes_out(session, msg->kind))
        return mgc_error_set(err, MGC_E_PROTOCOL, "a %s message is not for the other side", name);
    if (msg->body_len > MGC_WIRE_BODY_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL, "body of a %s message has %zu bytes, at most %d",
            name, msg->body_len, MGC_WIRE_BODY_MAX);
    msg->epoch = session->config.epoch;
    msg->mid = 0;
    if (mgc_msg_is_reliable(msg->kind))
        return send_reliable(session, msg, now_ns, err);
    return send_frame(&session->config, msg, err);
}

static void take_pong(
    struct mgc_session *session, const struct mgc_msg_ping *answer, int64_t now_ns)
{
    mgc_offset_note_boot(&session->offsets, answer->boot_ns);
    bool usable = mgc_offset_add(
        &session->offsets, answer->sent_ns, answer->received_ns, answer->replied_ns, now_ns);
    if (usable && session->ping_seq < FIRST_SAMPLES)
        ping(session, now_ns);
    else
        ping_again_soon(session, now_ns);
}

static enum mgc_session_verdict take_reliable(
    struct mgc_session *session, const struct mgc_msg *msg, struct mgc_error *err)
{
    if (msg->mid == 0) {
        mgc_error_set(err, MGC_E_PROTOCOL, "%s message: key 2 (mid) is missing",
            mgc_msg_kind_name(msg->kind));
        return MGC_SESSION_BAD;
    }
    enum mgc_inbox_verdict verdict = mgc_inbox_take(&session->inbox, msg->mid);
    acknowledge(session);
    return verdict == MGC_INBOX_DELIVER ? MGC_SESSION_DELIVER : MGC_SESSION_DONE;
}

static enum mgc_session_verdict peer_left(const struct mgc_msg *msg, struct mgc_error *err)
{
    enum mgc_code code = msg->kind == MGC_MSG_BYE ? MGC_E_LOST : msg->text.code;
    mgc_error_set(err, code == MGC_OK ? MGC_E_LOST : code,
        "the other side ended the session (%s): "
        "%s",
        mgc_msg_kind_name(msg->kind), msg->text.text);
    return MGC_SESSION_ENDED;
}

enum mgc_session_verdict mgc_session_take(
    struct mgc_session *session, const struct mgc_msg *msg, int64_t now_ns, struct mgc_error *err)
{
    session->heard_ns = now_ns;
    if (!comes_in(session, msg->kind)) {
        mgc_error_set(
            err, MGC_E_PROTOCOL, "a %s message is not for this side", mgc_msg_kind_name(msg->kind));
        return MGC_SESSION_BAD;
    }
    if (mgc_msg_is_reliable(msg->kind))
        return take_reliable(session, msg, err);
    switch (msg->kind) {
    case MGC_MSG_PING:
        mgc_offset_note_boot(&session->offsets, msg->ping.boot_ns);
        pong(session, msg, now_ns);
        return MGC_SESSION_DONE;
    case MGC_MSG_PONG:
        take_pong(session, &msg->ping, now_ns);
        return MGC_SESSION_DONE;
    case MGC_MSG_ACK:
        mgc_outbox_acked(session->outbox, msg->ack.upto, now_ns);
        return MGC_SESSION_DONE;
    case MGC_MSG_BYE:
    case MGC_MSG_REJOIN:
    case MGC_MSG_REFUSE:
        return peer_left(msg, err);
    case MGC_MSG_HELLO: /* both are for who holds no session yet */
    case MGC_MSG_WELCOME:
        return MGC_SESSION_DONE;
    default:
        return MGC_SESSION_DELIVER;
    }
}

void mgc_session_skip(struct mgc_session *session, const struct mgc_msg *envelope, int64_t now_ns,
    const struct mgc_error *why)
{
    session->heard_ns = now_ns;
    if (envelope->mid) {
        mgc_inbox_take(&session->inbox, envelope->mid);
        acknowledge(session);
    }
    if (envelope->kind != MGC_MSG_ERROR) /* never an answer to an answer */
        mgc_session_say(&session->config, MGC_MSG_ERROR, why->code, why->text);
}

int64_t mgc_session_due(const struct mgc_session *session)
{
    int64_t silence_ns = session->heard_ns + session->config.silence_ms * MGC_NS_PER_MS;
    int64_t due_ns = mgc_deadline_min(silence_ns, session->ping_due_ns);
    return mgc_deadline_min(due_ns, mgc_outbox_due(session->outbox));
}

static void repeat_frame(void *user, const void *frame, size_t len)
{
    struct mgc_session *session = user;
    session->config.send(session->config.user, frame, len, NULL, 0);
}

bool mgc_session_tick(struct mgc_session *session, int64_t now_ns, struct mgc_error *err)
{
    if (now_ns - session->heard_ns >= session->config.silence_ms * MGC_NS_PER_MS)
        return mgc_error_set(err, MGC_E_TIMEOUT, "no word from the other side for %" PRId64 " ms",
            session->config.silence_ms);
    if (now_ns >= session->ping_due_ns)
        ping(session, now_ns);
    mgc_outbox_repeat(session->outbox, now_ns, repeat_frame, session);
    return true;
}
