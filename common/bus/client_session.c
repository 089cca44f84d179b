#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/bus/client_internal.h"
#include "common/bus/monitor.h"

enum { BATCH = 256 }; /* messages in one round of the loop */

void mgc_client_arm(struct mgc_bus_client *client)
{
    int64_t due_ns = mgc_session_due(&client->session);
    if (!client->timer || due_ns < client->timer_ns)
        mgc_client_set_timer(client, due_ns);
}

static bool put(void *user, const void *header, size_t len, const void *body, size_t body_len)
{
    struct mgc_bus_client *client = user;
    struct mgc_part parts[] = {{header, len}, {body, body_len}};
    return mgc_frames_send(client->socket, parts, body ? 2 : 1);
}

static void join(struct mgc_bus_client *client, const struct mgc_msg *msg)
{
    struct mgc_error why = {0};
    int64_t now_ns = mgc_mono_ns();
    struct mgc_session_config config = {.side = MGC_SIDE_WORKER,
        .epoch = client->epoch,
        .heartbeat_ms = msg->welcome.heartbeat_ms,
        .silence_ms = msg->welcome.silence_ms,
        .send = put,
        .user = client};
    if (!mgc_session_start(&client->session, &config, now_ns, &why)) {
        mgc_client_failed(client, &why);
        return;
    }
    client->state = MGC_CLIENT_JOINED;
    client->joined_ns = now_ns;
    client->tried = 0;
    for (size_t i = 0; i < MGC_ADDRESS_MAX; i++)
        mgc_error_clear(&client->told[i]);
    mgc_client_set_timer(client, mgc_session_due(&client->session));
    if (client->ops.joined)
        client->ops.joined(client->user, &msg->welcome, client->epoch);
}

static void take_answer(struct mgc_bus_client *client, const struct mgc_msg *msg)
{
    struct mgc_error why = {0};
    if (msg->kind == MGC_MSG_WELCOME) {
        join(client, msg);
    } else if (msg->kind == MGC_MSG_REFUSE) {
        mgc_error_set(&why, msg->text.code == MGC_OK ? MGC_E_DENIED : msg->text.code,
            "the coordinator refused this worker: %s", msg->text.text);
        mgc_client_refused(client, &why);
    } else if (msg->kind == MGC_MSG_BYE || msg->kind == MGC_MSG_ERROR) {
        mgc_error_set(&why, MGC_E_LOST, "the coordinator answered hello with %s: %s",
            mgc_msg_kind_name(msg->kind), msg->text.text);
        mgc_client_failed(client, &why);
    }
}

static void take_in_session(struct mgc_bus_client *client, const struct mgc_msg *msg)
{
    struct mgc_error why = {0};
    switch (mgc_session_take(&client->session, msg, mgc_mono_ns(), &why)) {
    case MGC_SESSION_DELIVER:
        if (client->ops.message)
            client->ops.message(client->user, msg);
        return;
    case MGC_SESSION_DONE:
        mgc_client_arm(client);
        return;
    case MGC_SESSION_ENDED:
        mgc_client_end(client, &why);
        return;
    case MGC_SESSION_BAD:
        mgc_debug("bus: %s", why.text);
        mgc_session_skip(&client->session, msg, mgc_mono_ns(), &why);
        return;
    }
}

static void take_malformed(
    struct mgc_bus_client *client, const struct mgc_msg *envelope, const struct mgc_error *why)
{
    mgc_debug("bus: from the coordinator: %s", why->text);
    if (client->state == MGC_CLIENT_JOINED && envelope->epoch == client->epoch)
        mgc_session_skip(&client->session, envelope, mgc_mono_ns(), why);
}

static void take_frames(struct mgc_bus_client *client, struct mgc_frames *frames)
{
    struct mgc_msg msg;
    struct mgc_error why = {0};
    if (!mgc_msg_decode(mgc_frames_data(frames, 0), mgc_frames_len(frames, 0), &msg, &why)) {
        take_malformed(client, &msg, &why);
        return;
    }
    if (frames->count != 1) { /* nothing that goes to a worker has a body */
        mgc_error_set(&why, MGC_E_PROTOCOL, "%s message with a body", mgc_msg_kind_name(msg.kind));
        take_malformed(client, &msg, &why);
    } else if (msg.epoch == client->epoch) {
        if (client->state == MGC_CLIENT_JOINED)
            take_in_session(client, &msg);
        else
            take_answer(client, &msg);
    }
    mgc_msg_destroy(&msg);
}

void mgc_client_on_socket(void *user)
{
    struct mgc_bus_client *client = user;
    struct mgc_frames frames;
    void *socket = client->socket;
    /* What a message causes may close the socket. */
    for (int i = 0; i < BATCH && client->socket == socket && mgc_frames_receive(socket, &frames);
         i++) {
        take_frames(client, &frames);
        mgc_frames_destroy(&frames);
    }
}

/* True while the socket that the events are about is still ours. */
static bool take_event(
    struct mgc_bus_client *client, enum mgc_link_event event, const struct mgc_error *why)
{
    bool greeting = client->state == MGC_CLIENT_GREETING;
    bool fatal = event == MGC_LINK_KEY_REFUSED;
    bool down = event == MGC_LINK_NO_HANDSHAKE || event == MGC_LINK_DOWN;
    if (greeting && (fatal || down))
        mgc_client_failed(client, why);
    else if (!greeting && fatal) /* reconnected, and the key has been revoked meanwhile */
        mgc_client_end(client, why);
    else
        return true;
    return false;
}

void mgc_client_on_monitor(void *user)
{
    struct mgc_bus_client *client = user;
    enum mgc_link_event event;
    struct mgc_error why = {0};
    /* An answer that already lies there counts before the end of the connection that brought it. */
    void *monitor = client->monitor;
    mgc_client_on_socket(client);
    while (client->monitor == monitor && mgc_monitor_next(monitor, &event, &why)) {
        if (!take_event(client, event, &why))
            return;
    }
}
