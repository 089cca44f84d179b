#include "bench/echo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/clock.h"

enum { FRAME = 64, NAME = 4, WAIT_MS = 30 * 1000, QUEUE = 16 };

/* Keys of the RFC 32 sort, made once by the router's process before it forks. */
struct keys {
    char router_public[41], router_secret[41], dealer_public[41], dealer_secret[41];
};

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bare echo: %s: %s\n", what, zmq_strerror(zmq_errno()));
    _exit(1);
}

static void dealer_work(void *user, size_t member, int command, int answer)
{
    const struct keys *keys = user;
    char endpoint[64], name[NAME + 1], frame[FRAME] = {0};
    int64_t port;
    if (!mgc_crew_read(command, &port))
        return;
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    snprintf(name, sizeof(name), "%04u", (unsigned)member % 10000);
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", (int)port);
    need(zmq_setsockopt(socket, ZMQ_ROUTING_ID, name, NAME) == 0 &&
             zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, keys->router_public, 41) == 0 &&
             zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys->dealer_public, 41) == 0 &&
             zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->dealer_secret, 41) == 0 &&
             zmq_connect(socket, endpoint) == 0,
        "connect");
    need(zmq_send(socket, frame, FRAME, 0) == FRAME, "greet");
    while (zmq_recv(socket, frame, FRAME, 0) == FRAME) /* until the parent's death ends us */
        need(zmq_send(socket, frame, FRAME, 0) == FRAME, "echo");
}

static int64_t bind_router(void *socket, const struct keys *keys)
{
    int on = 1, wait = WAIT_MS;
    char endpoint[128];
    size_t len = sizeof(endpoint);
    need(zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &on, sizeof(on)) == 0 &&
             zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->router_secret, 41) == 0 &&
             zmq_setsockopt(socket, ZMQ_RCVTIMEO, &wait, sizeof(wait)) == 0 &&
             zmq_bind(socket, "tcp://127.0.0.1:*") == 0 &&
             zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &len) == 0,
        "bind");
    return strtol(strrchr(endpoint, ':') + 1, NULL, 10);
}

static void receive(void *socket)
{
    char name[NAME], frame[FRAME];
    need(zmq_recv(socket, name, NAME, 0) == NAME && zmq_recv(socket, frame, FRAME, 0) == FRAME,
        "receive");
}

static int64_t round_trip(void *socket, size_t dealer)
{
    char name[NAME + 1], frame[FRAME] = {0};
    snprintf(name, sizeof(name), "%04u", (unsigned)dealer % 10000);
    int64_t begin_ns = mgc_mono_ns();
    need(zmq_send(socket, name, NAME, ZMQ_SNDMORE) == NAME &&
             zmq_send(socket, frame, FRAME, 0) == FRAME,
        "send");
    receive(socket);
    return mgc_mono_ns() - begin_ns;
}

void mgc_echo_control(void *user, size_t member, int command, int answer)
{
    size_t count = (size_t)(intptr_t)user, next = 0;
    struct keys keys;
    struct mgc_crew dealers;
    int64_t trips;
    need(zmq_curve_keypair(keys.router_public, keys.router_secret) == 0 &&
             zmq_curve_keypair(keys.dealer_public, keys.dealer_secret) == 0,
        "keys");
    need(mgc_crew_start(&dealers, count, dealer_work, &keys, NULL), "fork");
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_ROUTER);
    int64_t port = bind_router(socket, &keys);
    for (size_t i = 0; i < count; i++)
        need(mgc_crew_tell(&dealers, i, port, NULL), "tell the port");
    for (size_t i = 0; i < count; i++)
        receive(socket);
    while (mgc_crew_read(command, &trips)) {
        while (trips-- > 0)
            mgc_crew_answer(answer, round_trip(socket, next++ % count));
    }
}
