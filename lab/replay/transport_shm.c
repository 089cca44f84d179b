/* Shared memory and a second process: the arm shm (MOBILEGL_TRANSPORT=spawn, control=fork). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/replay/channel.h"
#include "lab/replay/fault.h"
#include "lab/replay/fdpass.h"
#include "lab/replay/ring_client.h"
#include "lab/replay/spawn.h"

enum { END_MS = 10000, BREAK_OFF_MS = 1000 };

struct shm {
    struct mgr_ring_client client; /* first: ring_client.h */
    struct mgr_log *log;           /* borrowed */
    struct mgr_spawn spawn;
    struct mgr_channel control;
    int fds[MGR_SPAWN_FDS]; /* owned; -1: none */
};

static void destroy(struct shm *shm)
{
    mgr_channel_destroy(&shm->control);
    mgr_ring_close(&shm->client.ring);
    for (int i = 0; i < MGR_SPAWN_FDS; i++) {
        if (shm->fds[i] >= 0)
            close(shm->fds[i]);
    }
    free(shm);
}

static bool connect_server(struct shm *shm, int64_t deadline_ns, struct mgc_error *err)
{
    int socket = mgr_spawn_accept(&shm->spawn, deadline_ns, err);
    if (socket < 0)
        return false;
    mgr_channel_init(&shm->control, socket);
    struct mgr_ring_client *client = &shm->client;
    if (!mgr_fdpass_receive(socket, shm->fds, MGR_SPAWN_FDS, deadline_ns, err) ||
        !mgr_ring_map(&client->ring, shm->fds[MGR_SPAWN_RING], err))
        return false;
    client->bell = (struct mgr_bell){.ring_fd = shm->fds[MGR_SPAWN_SERVER_BELL],
        .wait_fd = shm->fds[MGR_SPAWN_CLIENT_BELL],
        .peer_fd = socket,
        .spin_us = client->env->spin_us};
    mgr_ring_bell_client(&client->ring, &client->bell);
    return true;
}

static bool handshake(
    struct shm *shm, const struct mgr_terms *terms, int64_t deadline_ns, struct mgc_error *err)
{
    struct mgr_msg hello = {.kind = MGR_MSG_HELLO,
        .version = MGR_PROTO_VERSION,
        .credit = (uint16_t)terms->env->present_credit,
        .width = (uint16_t)terms->width,
        .height = (uint16_t)terms->height};
    struct mgr_msg msg;
    snprintf(hello.backend, sizeof(hello.backend), "%s", terms->backend);
    snprintf(hello.build, sizeof(hello.build), "%s", terms->build);
    if (!mgr_channel_send(&shm->control, &hello, deadline_ns, err) ||
        !mgr_channel_receive(&shm->control, &msg, deadline_ns, err))
        return false;
    if (msg.kind == MGR_MSG_READY)
        return true;
    if (msg.kind != MGR_MSG_REFUSE)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "session message of kind %d instead of READY", (int)msg.kind);
    mgr_log_line(shm->log, MGR_ERROR, "MGPipe: peer Refuse{%s} %s expected=%u actual=%u", msg.code,
        msg.detail, msg.expected, msg.actual);
    return mgc_error_set(err, MGC_E_DENIED, "peer Refuse{%s} %s", msg.code, msg.detail);
}

static void *shm_open_session(const struct mgr_terms *terms, struct mgc_error *err)
{
    struct shm *shm = calloc(1, sizeof(*shm));
    if (!shm) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a session");
        return NULL;
    }
    int64_t deadline_ns = mgc_deadline_in_ms(terms->env->cold_start_ms);
    shm->client.env = terms->env;
    shm->client.shared = true;
    shm->log = terms->log;
    shm->control.socket = MGC_SOCKET_NONE;
    for (int i = 0; i < MGR_SPAWN_FDS; i++)
        shm->fds[i] = -1;
    if (!mgr_spawn_start(&shm->spawn, terms->env->server_path, terms->log_base, err) ||
        !connect_server(shm, deadline_ns, err) || !handshake(shm, terms, deadline_ns, err)) {
        mgr_spawn_end(&shm->spawn, mgc_deadline_in_ms(0));
        destroy(shm);
        return NULL;
    }
    if (!mgr_fault("client-no-link-marker"))
        mgr_log_line(terms->log, MGR_INFO,
            "MG_Remote client: spawn ARMED - the server role runs in pid %d, reached at \"%s\"",
            (int)shm->spawn.pid, shm->spawn.name);
    return shm;
}

static bool shm_close(void *state, bool complete, struct mgc_error *err)
{
    struct shm *shm = state;
    bool ok = mgr_ring_client_bye(&shm->client, complete, err) || !complete;
    if (!complete) /* hang up: a server that still waits for us ends */
        mgr_channel_destroy(&shm->control);
    if (!mgr_spawn_end(&shm->spawn, mgc_deadline_in_ms(ok && complete ? END_MS : BREAK_OFF_MS)))
        mgr_log_line(shm->log, MGR_WARN, "MG_Remote client: the forked server ended with %s",
            shm->spawn.ending);
    destroy(shm);
    return ok;
}

const struct mgr_transport_ops mgr_transport_shm = {
    .name = "shm",
    .topology = "spawn",
    .split = true,
    .open = shm_open_session,
    .run_ahead = mgr_ring_client_run_ahead,
    .send = mgr_ring_client_send,
    .await_presents = mgr_ring_client_await,
    .presented = mgr_ring_client_presented,
    .sync = mgr_ring_client_sync,
    .read_pixels = mgr_ring_client_read,
    .stats = mgr_ring_client_stats,
    .close = shm_close,
};
