#include "common/bus/probe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/bus/address.h"
#include "common/plat/net.h"
#include "common/plat/stop.h"

struct mgc_probe {
    struct mgc_loop *loop; /* borrowed */
    void (*done)(void *user, const struct mgc_error *err);
    void *user;
    struct mgc_address address;
    int64_t deadline_ns;
    struct mgc_stop finished; /* raised by the thread */
    struct mgc_stop cancel;   /* raised by us */
    pthread_t thread;
    bool thread_started;
    bool accepted;        /* the thread's answer: read after `finished` */
    struct mgc_error why; /* likewise */
};

static void *connect_once(void *arg)
{
    struct mgc_probe *probe = arg;
    mgc_socket socket = mgc_net_connect(probe->address.host, probe->address.port,
        probe->deadline_ns, probe->cancel.read_fd, &probe->why);
    probe->accepted = socket != MGC_SOCKET_NONE;
    mgc_net_close(socket);
    mgc_stop_raise(&probe->finished);
    return NULL;
}

static void join(struct mgc_probe *probe)
{
    if (!probe->thread_started)
        return;
    pthread_join(probe->thread, NULL);
    probe->thread_started = false;
}

static void on_finished(void *user)
{
    struct mgc_probe *probe = user;
    mgc_loop_remove_fd(probe->loop, probe->finished.read_fd);
    join(probe);
    probe->done(probe->user, probe->accepted ? NULL : &probe->why); /* frees the probe */
}

static bool start(struct mgc_probe *probe, const char *address, struct mgc_error *err)
{
    if (!mgc_address_parse(address, &probe->address, err) ||
        !mgc_stop_init(&probe->finished, err) || !mgc_stop_init(&probe->cancel, err) ||
        !mgc_loop_add_fd(probe->loop, probe->finished.read_fd, on_finished, probe, err))
        return false;
    int errnum = pthread_create(&probe->thread, NULL, connect_once, probe);
    if (errnum)
        return mgc_error_errno(err, errnum, "start a thread to probe '%s'", address);
    probe->thread_started = true;
    return true;
}

struct mgc_probe *mgc_probe_start(struct mgc_loop *loop, const char *address, int64_t timeout_ms,
    void (*done)(void *user, const struct mgc_error *err), void *user, struct mgc_error *err)
{
    struct mgc_probe *probe = calloc(1, sizeof(*probe));
    if (!probe) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to probe '%s'", address);
        return NULL;
    }
    probe->loop = loop;
    probe->done = done;
    probe->user = user;
    probe->deadline_ns = mgc_deadline_in_ms(timeout_ms);
    probe->finished = (struct mgc_stop)MGC_STOP_INIT;
    probe->cancel = (struct mgc_stop)MGC_STOP_INIT;
    if (start(probe, address, err))
        return probe;
    mgc_probe_free(probe);
    return NULL;
}

void mgc_probe_free(struct mgc_probe *probe)
{
    if (!probe)
        return;
    if (probe->thread_started) {
        mgc_stop_raise(&probe->cancel);
        join(probe);
    }
    if (probe->finished.read_fd >= 0)
        mgc_loop_remove_fd(probe->loop, probe->finished.read_fd);
    mgc_stop_destroy(&probe->finished);
    mgc_stop_destroy(&probe->cancel);
    free(probe);
}
