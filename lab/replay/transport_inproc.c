/* Two threads and a ring: the arm inproc. */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/replay/ring_client.h"
#include "lab/replay/ring_serve.h"
#include "lab/replay/thread.h"

enum { JOIN_MS = 5000 };

struct inproc {
    struct mgr_ring_client client; /* first: ring_client.h */
    int client_fd, server_fd;      /* eventfds that wake client and apply thread */
    struct mgr_thread thread;
    /* The apply thread's. */
    struct mgr_ring server_ring; /* a view of the client's mapping */
    struct mgr_bell server_bell;
    struct mgr_apply apply;
    struct mgr_log log; /* the client's file, the apply thread's name */
    bool complete;      /* set when the thread has ended */
};

static void apply_main(void *arg)
{
    struct inproc *inproc = arg;
    struct mgc_error err = {0};
    inproc->complete =
        mgr_ring_serve(&inproc->server_ring, &inproc->server_bell, &inproc->apply, &err);
    if (inproc->complete)
        mgr_apply_end(&inproc->apply);
    else
        mgr_log_line(&inproc->log, MGR_ERROR, "MG_Remote server: session broke off: %s", err.text);
}

static void destroy(struct inproc *inproc)
{
    mgr_apply_destroy(&inproc->apply);
    mgr_ring_close(&inproc->client.ring);
    if (inproc->client_fd >= 0)
        close(inproc->client_fd);
    if (inproc->server_fd >= 0)
        close(inproc->server_fd);
    free(inproc);
}

static bool make_ring(struct inproc *inproc, const struct mgr_env *env, struct mgc_error *err)
{
    inproc->client_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    inproc->server_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (inproc->client_fd < 0 || inproc->server_fd < 0)
        return mgc_error_set(err, MGC_E_FAILED, "no event counters for a ring");
    struct mgr_ring_client *client = &inproc->client;
    if (!mgr_ring_create(&client->ring, env->ring_mb, env->stage_mb, err))
        return false;
    client->bell = (struct mgr_bell){.ring_fd = inproc->server_fd,
        .wait_fd = inproc->client_fd,
        .peer_fd = -1,
        .spin_us = env->spin_us};
    mgr_ring_bell_client(&client->ring, &client->bell);
    inproc->server_ring = client->ring;
    inproc->server_bell = (struct mgr_bell){.ring_fd = inproc->client_fd,
        .wait_fd = inproc->server_fd,
        .peer_fd = -1,
        .spin_us = env->spin_us};
    mgr_ring_bell_server(&inproc->server_ring, &inproc->server_bell);
    return true;
}

static void *inproc_open(const struct mgr_terms *terms, struct mgc_error *err)
{
    struct inproc *inproc = calloc(1, sizeof(*inproc));
    if (!inproc) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a session");
        return NULL;
    }
    inproc->client.env = terms->env;
    inproc->client_fd = inproc->server_fd = -1;
    inproc->log = *terms->log; /* the same file: a line is one write */
    mgr_log_thread(&inproc->log, MGR_APPLY_THREAD);
    inproc->apply = (struct mgr_apply){.env = terms->env, .log = &inproc->log};
    inproc->thread =
        (struct mgr_thread){.name = MGR_APPLY_THREAD, .main = apply_main, .arg = inproc};
    if (!make_ring(inproc, terms->env, err) ||
        !mgr_apply_init(&inproc->apply, terms->width, terms->height, err) ||
        !mgr_thread_start(&inproc->thread, err)) {
        destroy(inproc);
        return NULL;
    }
    return inproc;
}

static void inproc_stats(void *state, struct mgr_pipestats *stats, struct mgr_moved *ret_moved)
{
    struct inproc *inproc = state;
    mgr_ring_client_stats(state, stats, ret_moved);
    stats->server_waits = atomic_load(&inproc->server_bell.waits);
    stats->server_parks = atomic_load(&inproc->server_bell.parks);
}

/* An apply thread that hangs keeps what it uses; the process is about to end. */
static bool inproc_close(void *state, bool complete, struct mgc_error *err)
{
    struct inproc *inproc = state;
    bool ok = mgr_ring_client_bye(&inproc->client, complete, err);
    if (!mgr_thread_join_until(&inproc->thread, mgc_deadline_in_ms(JOIN_MS)))
        return mgc_error_set(err, MGC_E_TIMEOUT, "the apply thread does not end");
    destroy(inproc);
    return ok || !complete;
}

const struct mgr_transport_ops mgr_transport_inproc = {
    .name = "inproc",
    .topology = "inproc",
    .split = true,
    .one_process = true,
    .open = inproc_open,
    .run_ahead = mgr_ring_client_run_ahead,
    .send = mgr_ring_client_send,
    .await_presents = mgr_ring_client_await,
    .presented = mgr_ring_client_presented,
    .sync = mgr_ring_client_sync,
    .read_pixels = mgr_ring_client_read,
    .stats = inproc_stats,
    .close = inproc_close,
};
