#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "common/bus/server_internal.h"

bool mgc_protocol_pick(int64_t our_min, int64_t our_max, int64_t their_min, int64_t their_max,
    int64_t *ret_protocol, struct mgc_error *err)
{
    int64_t low = our_min > their_min ? our_min : their_min;
    int64_t high = our_max < their_max ? our_max : their_max;
    if (low > high)
        return mgc_error_set(err, MGC_E_VERSION,
            "no common protocol version: coordinator speaks %" PRId64 " to %" PRId64
            ", worker %" PRId64 " to %" PRId64,
            our_min, our_max, their_min, their_max);
    *ret_protocol = high;
    return true;
}

static bool judge(const struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_msg *msg, int64_t *ret_protocol, struct mgc_error *err)
{
    const struct mgc_msg_hello *hello = &msg->hello;
    if (!mgc_protocol_pick(server->protocol_min, server->protocol_max, hello->protocol_min,
            hello->protocol_max, ret_protocol, err)) /* first: another version, other rules */
        return mgc_error_set(err, MGC_E_VERSION, "%s (builds '%s' and '%s'): update the older one",
            err ? err->text : "", server->build, hello->build);
    if (msg->epoch == 0)
        return mgc_error_set(err, MGC_E_PROTOCOL, "hello message: key 1 (epoch) is missing");
    if (strcmp(hello->role, key->role) != 0)
        return mgc_error_set(err, MGC_E_DENIED,
            "the key of '%s' is enrolled for role '%s', but its program says '%s'", key->name,
            key->role, hello->role);
    return true;
}

static void refuse(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, uint64_t epoch, const struct mgc_error *why)
{
    char who[MGC_NAME_SIZE + 16];
    snprintf(who, sizeof(who), "worker '%s'", key->name);
    mgc_server_say(server, route, epoch, MGC_MSG_REFUSE, why);
    mgc_server_refused(server, who, why);
}

static void welcome(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, uint64_t epoch, int64_t protocol)
{
    struct mgc_msg msg = {.kind = MGC_MSG_WELCOME, .epoch = epoch};
    struct mgc_buf frame = {0};
    msg.welcome = (struct mgc_msg_welcome){.protocol = protocol,
        .name = (char *)key->name,
        .run_id = server->run_id,
        .build = server->build,
        .heartbeat_ms = server->heartbeat_ms,
        .silence_ms = server->silence_ms,
        .coordinator = *server->coordinator ? server->coordinator : NULL};
    if (mgc_msg_encode(&msg, &frame, NULL))
        mgc_server_put(server, route, frame.data, frame.len, NULL, 0);
    mgc_buf_destroy(&frame);
}

static void clean_text(char *text)
{
    if (text)
        mgc_text_one_line(text);
}

/* What a worker says of itself stands in tables and on terminals from here on. */
static void clean(const struct mgc_msg_hello *hello)
{
    clean_text(hello->host);
    clean_text(hello->os);
    clean_text(hello->build);
    clean_text(hello->boot_id);
    for (size_t i = 0; i < hello->facts.count; i++) {
        clean_text(hello->facts.items[i].name);
        if (hello->facts.items[i].value.type == MGC_VALUE_STRING)
            clean_text(hello->facts.items[i].value.string);
    }
}

/* The worker began anew: whoever held its name before is out. A program that was restarted never
 * hears of it; two that share a key do, and REFUSE slows them down. */
static void replace(struct mgc_peer *old)
{
    struct mgc_error why = {0};
    mgc_error_set(&why, MGC_E_BUSY, "a worker with the same key said hello");
    mgc_session_say(&old->session.config, MGC_MSG_REFUSE, why.code, why.text);
    mgc_error_set(&why, MGC_E_STALE,
        "worker '%s' came back with a new session: it was started again, or its connection was"
        " lost",
        old->name);
    mgc_peer_lose(old, &why);
}

bool mgc_server_hello_is_foreign(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, const struct mgc_msg *msg)
{
    struct mgc_error why = {0};
    int64_t protocol;
    const struct mgc_msg_hello *hello = &msg->hello;
    if (msg->kind != MGC_MSG_HELLO || hello->protocol_min < 1 || hello->protocol_max < 1 ||
        mgc_protocol_pick(server->protocol_min, server->protocol_max, hello->protocol_min,
            hello->protocol_max, &protocol, &why))
        return false;
    mgc_error_set(
        &why, why.code, "%s (here build '%s'): update the older one", why.text, server->build);
    refuse(server, key, route, msg->epoch, &why);
    return true;
}

void mgc_server_hello(struct mgc_bus_server *server, const struct mgc_worker_key *key,
    const struct mgc_route *route, const struct mgc_msg *msg)
{
    struct mgc_error why = {0};
    int64_t protocol = 0;
    struct mgc_peer *old = mgc_server_find(server, key->name);
    if (old && old->session.config.epoch == msg->epoch)
        return; /* said twice on the way; it has its welcome */
    if (!judge(server, key, msg, &protocol, &why)) {
        refuse(server, key, route, msg->epoch, &why);
        return;
    }
    clean(&msg->hello);
    struct mgc_worker_key self = *key; /* the callback below may change the ring */
    if (old)
        replace(old);
    welcome(server, &self, route, msg->epoch, protocol);
    if (!mgc_peer_new(server, &self, route, msg->epoch, &why)) {
        refuse(server, &self, route, msg->epoch, &why);
        return;
    }
    if (server->ops.joined)
        server->ops.joined(server->user, self.name, msg->epoch, &msg->hello);
}
