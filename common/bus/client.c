#include "common/bus/client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/bus/client_internal.h"
#include "common/bus/loop_internal.h"
#include "common/bus/monitor.h"

enum {
    RETRY_MIN_MS = 1000,
    RETRY_MAX_MS = 10000, /* a run (worker_timeout) and `mgcoord hosts` wait longer than that */
    DIAL_MS = 5000,
    GOODBYE_MS = 200, /* for the last message to leave */
};

/* --- sockets and timers --- */

void mgc_client_close_socket(struct mgc_bus_client *client, int linger_ms)
{
    if (client->monitor) {
        mgc_loop_remove_socket(client->loop, client->monitor);
        mgc_monitor_close(client->socket, client->monitor);
        client->monitor = NULL;
    }
    if (client->socket) {
        mgc_loop_remove_socket(client->loop, client->socket);
        mgc_socket_close(client->socket, linger_ms);
        client->socket = NULL;
    }
    mgc_session_destroy(&client->session);
}

static void on_timer(void *user);

void mgc_client_set_timer(struct mgc_bus_client *client, int64_t due_ns)
{
    mgc_loop_remove_timer(client->loop, client->timer);
    client->timer =
        due_ns == MGC_NEVER ? 0 : mgc_loop_add_timer(client->loop, due_ns, on_timer, client);
    client->timer_ns = due_ns;
}

/* --- the moves --- */

/* Up to a quarter more or less, so that workers do not come in step after an outage. */
static int64_t with_jitter(int64_t ms)
{
    uint32_t random;
    mgc_random_bytes(&random, sizeof(random));
    return ms * 3 / 4 + (int64_t)(random % (uint32_t)(ms / 2 + 1));
}

static void wait_for_next_round(struct mgc_bus_client *client)
{
    client->state = MGC_CLIENT_WAITING;
    client->tried = 0;
    mgc_client_set_timer(client, mgc_deadline_in_ms(with_jitter(client->backoff_ms)));
    client->backoff_ms *= 2;
    if (client->backoff_ms > client->retry_max_ms)
        client->backoff_ms = client->retry_max_ms;
}

static void tell_not_joined(struct mgc_bus_client *client, const struct mgc_error *why)
{
    struct mgc_error *told = &client->told[client->address];
    if (told->code == why->code && strcmp(told->text, why->text) == 0)
        return;
    *told = *why;
    if (client->ops.not_joined)
        client->ops.not_joined(client->user, client->enrolment->addresses[client->address], why);
}

void mgc_client_failed(struct mgc_bus_client *client, const struct mgc_error *why)
{
    mgc_client_close_socket(client, 0);
    tell_not_joined(client, why);
    client->address = (client->address + 1) % client->enrolment->address_count;
    if (++client->tried >= client->enrolment->address_count)
        wait_for_next_round(client);
    else
        mgc_client_dial(client);
}

void mgc_client_refused(struct mgc_bus_client *client, const struct mgc_error *why)
{
    mgc_client_close_socket(client, 0);
    tell_not_joined(client, why);
    client->backoff_ms = client->retry_max_ms;
    wait_for_next_round(client);
}

/* A plain connect tells exactly what is wrong; this tells what to do about it. */
static void advise(struct mgc_error *why)
{
    struct mgc_error told = *why;
    const char *advice = "";
    if (why->code == MGC_E_REFUSED)
        advice = "; nobody listens there: no run is on, or the site's `bind` is another address "
                 "(the worker goes on trying)";
    else if (why->code == MGC_E_UNREACHABLE)
        advice = "; check this machine's network and the address in the enrolment file";
    else if (why->code == MGC_E_TIMEOUT)
        advice = "; no answer at all: check the address, that the machine is on, and firewalls in "
                 "between";
    mgc_error_set(why, told.code, "%s%s", told.text, advice);
}

static void on_probed(void *user, const struct mgc_error *err)
{
    struct mgc_bus_client *client = user;
    bool accepted = err == NULL;
    struct mgc_error why = {0};
    if (err) {
        why = *err; /* it dies with the probe */
        advise(&why);
    }
    mgc_probe_free(client->probe);
    client->probe = NULL;
    if (!accepted || !mgc_client_greet(client, &why))
        mgc_client_failed(client, &why);
}

void mgc_client_dial(struct mgc_bus_client *client)
{
    struct mgc_error why = {0};
    client->state = MGC_CLIENT_PROBING;
    mgc_client_set_timer(client, MGC_NEVER); /* the probe has its own deadline */
    client->probe = mgc_probe_start(client->loop, client->enrolment->addresses[client->address],
        client->dial_ms, on_probed, client, &why);
    if (client->probe)
        return;
    tell_not_joined(client, &why);
    wait_for_next_round(client); /* not to the next address: nothing about it was learnt */
}

void mgc_client_end(struct mgc_bus_client *client, const struct mgc_error *why)
{
    bool short_lived = mgc_mono_ns() - client->joined_ns < client->retry_min_ms * MGC_NS_PER_MS;
    if (why->code == MGC_E_DENIED || why->code == MGC_E_BUSY)
        client->backoff_ms = client->retry_max_ms; /* asking again at once would not help */
    else if (!short_lived)
        client->backoff_ms = 0;        /* dial at once */
    else if (why->code != MGC_E_STALE) /* rejoin after rejoin is the loop that must slow down */
        client->backoff_ms = client->retry_min_ms;
    mgc_client_close_socket(client, 0);
    client->state = MGC_CLIENT_FENCED;
    mgc_client_set_timer(client, MGC_NEVER);
    if (client->ops.lost)
        client->ops.lost(client->user, why); /* may call resume */
}

bool mgc_bus_client_pause(struct mgc_bus_client *client)
{
    if (client->state != MGC_CLIENT_WAITING && client->state != MGC_CLIENT_PROBING)
        return false;
    client->paused_due_ns = client->state == MGC_CLIENT_WAITING ? client->timer_ns : mgc_mono_ns();
    mgc_probe_free(client->probe);
    client->probe = NULL;
    client->state = MGC_CLIENT_FENCED;
    mgc_client_set_timer(client, MGC_NEVER);
    return true;
}

void mgc_bus_client_resume(struct mgc_bus_client *client)
{
    if (client->state != MGC_CLIENT_FENCED)
        return;
    if (client->paused_due_ns) {
        client->state = MGC_CLIENT_WAITING;
        mgc_client_set_timer(client, client->paused_due_ns);
        client->paused_due_ns = 0;
        return;
    }
    int64_t wait_ms = client->backoff_ms;
    wait_for_next_round(client);
    if (wait_ms == 0) {
        mgc_client_set_timer(client, mgc_mono_ns());
        client->backoff_ms = client->retry_min_ms;
    }
}

static void on_timer(void *user)
{
    struct mgc_bus_client *client = user;
    struct mgc_error why = {0};
    client->timer = 0;
    switch (client->state) {
    case MGC_CLIENT_WAITING:
        mgc_client_dial(client);
        return;
    case MGC_CLIENT_GREETING:
        mgc_error_set(&why, MGC_E_TIMEOUT,
            "something accepts connections there, but did not answer hello within %" PRId64 " ms",
            client->dial_ms);
        mgc_client_failed(client, &why);
        return;
    case MGC_CLIENT_JOINED:
        if (mgc_session_tick(&client->session, mgc_mono_ns(), &why))
            mgc_client_arm(client);
        else
            mgc_client_end(client, &why);
        return;
    case MGC_CLIENT_PROBING:
    case MGC_CLIENT_FENCED:
        return;
    }
}

/* --- what the owner asks --- */

static int64_t or_default(int64_t value, int64_t fallback)
{
    return value ? value : fallback;
}

struct mgc_bus_client *mgc_bus_client_new(struct mgc_loop *loop,
    const struct mgc_bus_client_config *config, const struct mgc_bus_client_ops *ops, void *user,
    struct mgc_error *err)
{
    if (config->enrolment->address_count == 0) {
        mgc_error_set(err, MGC_E_CONFIG, "the enrolment names no address of a coordinator");
        return NULL;
    }
    struct mgc_bus_client *client = calloc(1, sizeof(*client));
    void *context = zmq_ctx_new();
    if (!client || !context) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the connection to the coordinator");
        free(client);
        if (context)
            zmq_ctx_term(context);
        return NULL;
    }
    client->loop = loop;
    client->ops = *ops;
    client->user = user;
    client->context = context;
    client->enrolment = config->enrolment;
    client->hello = config->hello;
    client->retry_min_ms = or_default(config->retry_min_ms, RETRY_MIN_MS);
    client->retry_max_ms = or_default(config->retry_max_ms, RETRY_MAX_MS);
    client->dial_ms = or_default(config->dial_ms, DIAL_MS);
    if (client->retry_max_ms < client->retry_min_ms)
        client->retry_min_ms = client->retry_max_ms;
    client->backoff_ms = client->retry_min_ms;
    client->state = MGC_CLIENT_WAITING;
    mgc_client_set_timer(
        client, mgc_mono_ns()); /* from the loop, so that no callback comes early */
    return client;
}

void mgc_bus_client_free(struct mgc_bus_client *client)
{
    if (!client)
        return;
    bool joined = client->state == MGC_CLIENT_JOINED;
    if (joined)
        mgc_session_say(
            &client->session.config, MGC_MSG_BYE, MGC_E_CANCELLED, "the worker is stopping");
    mgc_probe_free(client->probe);
    mgc_client_close_socket(client, joined ? GOODBYE_MS : 0);
    mgc_client_set_timer(client, MGC_NEVER);
    zmq_ctx_term(client->context);
    free(client);
}

bool mgc_bus_client_joined(const struct mgc_bus_client *client)
{
    return client->state == MGC_CLIENT_JOINED;
}

bool mgc_bus_client_send(struct mgc_bus_client *client, struct mgc_msg *msg, struct mgc_error *err)
{
    if (client->state != MGC_CLIENT_JOINED)
        return mgc_error_set(err, MGC_E_LOST, "no session with the coordinator");
    if (!mgc_session_send(&client->session, msg, mgc_mono_ns(), err))
        return false;
    mgc_client_arm(client);
    return true;
}
