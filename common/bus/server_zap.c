#include <string.h>

#include "common/bus/loop_internal.h"
#include "common/bus/server_internal.h"
#include "common/bus/zap.h"

/* libzmq looks for the handler of a context under this name (RFC 27). */
static const char endpoint[] = "inproc://zeromq.zap.01";

static void answer(void *zap, struct mgc_frames *request, const struct mgc_zap_answer *verdict)
{
    bool has_id = request->count > 1;
    struct mgc_part parts[] = {
        {"1.0", 3},
        {has_id ? mgc_frames_data(request, 1) : "", has_id ? mgc_frames_len(request, 1) : 0},
        {verdict->status, 3}, {verdict->text, strlen(verdict->text)},
        {verdict->user_id, strlen(verdict->user_id)}, {"", 0}, /* no metadata */
    };
    mgc_frames_send(zap, parts, sizeof(parts) / sizeof(parts[0]));
}

static void on_request(void *user)
{
    struct mgc_bus_server *server = user;
    struct mgc_frames request;
    while (mgc_frames_receive(server->zap, &request)) {
        struct mgc_zap_frame frames[MGC_FRAMES_MAX];
        for (size_t i = 0; i < request.count; i++)
            frames[i] =
                (struct mgc_zap_frame){mgc_frames_data(&request, i), mgc_frames_len(&request, i)};
        struct mgc_zap_answer verdict =
            mgc_zap_decide(server->keys, frames, request.too_many ? 0 : request.count);
        answer(server->zap, &request, &verdict);
        mgc_frames_destroy(&request);
        if (verdict.why.code != MGC_OK)
            mgc_server_refused(server, verdict.who, &verdict.why);
    }
}

bool mgc_server_zap_start(struct mgc_bus_server *server, struct mgc_error *err)
{
    server->zap = zmq_socket(server->context, ZMQ_REP);
    if (!server->zap || zmq_bind(server->zap, endpoint) != 0)
        return mgc_error_set(
            err, MGC_E_UNSUPPORTED, "start the key check: %s", zmq_strerror(zmq_errno()));
    return mgc_loop_add_socket(server->loop, server->zap, on_request, server, err);
}

void mgc_server_zap_stop(struct mgc_bus_server *server)
{
    if (!server->zap)
        return;
    mgc_loop_remove_socket(server->loop, server->zap);
    mgc_socket_close(server->zap, 0);
    server->zap = NULL;
}
