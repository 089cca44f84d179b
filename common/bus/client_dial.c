#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/bus/address.h"
#include "common/bus/client_internal.h"
#include "common/bus/loop_internal.h"
#include "common/bus/monitor.h"

/* While a session lives libzmq reconnects by itself: a connection that breaks for a moment does
 * not cost the session. Its own heartbeat finds a connection that is dead without a word. */
enum {
    RECONNECT_MS = 100,
    RECONNECT_MAX_MS = 1000,
    CONNECT_MS = 3000,
    LINK_HEARTBEAT_MS = 2000,
    LINK_TIMEOUT_MS = 5000,
};

/* libzmq's heartbeat (4.3.4, stream_engine_base.cpp) aborts the process on a connection that broke
 * while its receive queue was full: it writes where it has given up reading. So the queue has room
 * for all that a coordinator may have on the way: its outbox, and far more of the rest than it says
 * before a session counts as lost. */
enum { CLIENT_QUEUE = 2 * MGC_SEND_QUEUE };

static bool set_options(struct mgc_bus_client *client, struct mgc_error *err)
{
    void *socket = client->socket;
    const struct mgc_enrolment *e = client->enrolment;
    bool ipv6 = mgc_address_is_ipv6(e->addresses[client->address]);
    return mgc_socket_prepare(socket, err) &&
           mgc_socket_set_int(socket, ZMQ_RCVHWM, CLIENT_QUEUE, err) &&
           mgc_socket_set_int(socket, ZMQ_IPV6, ipv6, err) &&
           mgc_socket_set_int(socket, ZMQ_RECONNECT_IVL, RECONNECT_MS, err) &&
           mgc_socket_set_int(socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS, err) &&
           mgc_socket_set_int(socket, ZMQ_CONNECT_TIMEOUT, CONNECT_MS, err) &&
           mgc_socket_set_int(socket, ZMQ_HANDSHAKE_IVL, (int)client->dial_ms, err) &&
           mgc_socket_set_int(socket, ZMQ_HEARTBEAT_IVL, LINK_HEARTBEAT_MS, err) &&
           mgc_socket_set_int(socket, ZMQ_HEARTBEAT_TIMEOUT, LINK_TIMEOUT_MS, err) &&
           mgc_socket_set_text(socket, ZMQ_CURVE_SERVERKEY, e->coordinator_key, err) &&
           mgc_socket_set_text(socket, ZMQ_CURVE_PUBLICKEY, e->own.public_key, err) &&
           mgc_socket_set_text(socket, ZMQ_CURVE_SECRETKEY, e->own.secret_key, err);
}

static bool open_socket(struct mgc_bus_client *client, struct mgc_error *err)
{
    const char *address = client->enrolment->addresses[client->address];
    client->socket = zmq_socket(client->context, ZMQ_DEALER);
    if (!client->socket)
        return mgc_error_set(err, MGC_E_IO, "make a socket: %s", zmq_strerror(zmq_errno()));
    if (!set_options(client, err))
        return false;
    client->monitor =
        mgc_monitor_open(client->context, client->socket, ++client->sockets_made, err);
    if (!client->monitor)
        return false;
    if (zmq_connect(client->socket, address) != 0)
        return mgc_error_set(
            err, MGC_E_UNREACHABLE, "connect to '%s': %s", address, zmq_strerror(zmq_errno()));
    return mgc_loop_add_socket(client->loop, client->socket, mgc_client_on_socket, client, err) &&
           mgc_loop_add_socket(client->loop, client->monitor, mgc_client_on_monitor, client, err);
}

static bool say_hello(struct mgc_bus_client *client, struct mgc_error *err)
{
    if (client->ops.greeting)
        client->ops.greeting(client->user);
    struct mgc_msg msg = {.kind = MGC_MSG_HELLO, .epoch = client->epoch, .hello = *client->hello};
    struct mgc_buf frame = {0};
    bool ok = mgc_msg_encode(&msg, &frame, err);
    if (ok) {
        struct mgc_part part = {frame.data, frame.len};
        ok = mgc_frames_send(client->socket, &part, 1) ||
             mgc_error_set(err, MGC_E_IO, "send hello: %s", zmq_strerror(zmq_errno()));
    }
    mgc_buf_destroy(&frame);
    return ok;
}

bool mgc_client_greet(struct mgc_bus_client *client, struct mgc_error *err)
{
    client->epoch = mgc_random_id();
    if (!open_socket(client, err) || !say_hello(client, err))
        return false; /* whatever was opened is closed by the caller */
    client->state = MGC_CLIENT_GREETING;
    mgc_client_set_timer(client, mgc_deadline_in_ms(client->dial_ms));
    return true;
}
