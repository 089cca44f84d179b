#include "common/plat/resolve.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/internal.h"
#include "common/plat/stop.h"

/* Shared by the asking thread and the looking-up thread; the last of the two frees it. */
struct lookup {
    char host[256];
    char port[8];
    struct addrinfo hints;
    pthread_mutex_t lock; /* guards what follows */
    int owners;
    int result; /* of getaddrinfo */
    struct addrinfo *list;
    struct mgc_stop done; /* raised once result and list are set */
};

static void lookup_release(struct lookup *lookup)
{
    pthread_mutex_lock(&lookup->lock);
    bool last = --lookup->owners == 0;
    pthread_mutex_unlock(&lookup->lock);
    if (!last)
        return;
    if (lookup->list)
        freeaddrinfo(lookup->list);
    mgc_stop_destroy(&lookup->done);
    pthread_mutex_destroy(&lookup->lock);
    free(lookup);
}

static void *lookup_main(void *arg)
{
    struct lookup *lookup = arg;
    struct addrinfo *list = NULL;
    int result = getaddrinfo(lookup->host, lookup->port, &lookup->hints, &list);
    pthread_mutex_lock(&lookup->lock);
    lookup->result = result;
    lookup->list = result == 0 ? list : NULL;
    pthread_mutex_unlock(&lookup->lock);
    mgc_stop_raise(&lookup->done);
    lookup_release(lookup);
    return NULL;
}

static int start_thread(struct lookup *lookup)
{
    pthread_t thread;
#ifdef _WIN32
    int errnum = pthread_create(&thread, NULL, lookup_main, lookup);
#else
    sigset_t all, before; /* signals belong to the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int errnum = pthread_create(&thread, NULL, lookup_main, lookup);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
    if (errnum == 0)
        pthread_detach(thread);
    return errnum;
}

static struct lookup *lookup_start(
    const char *host, const char *port, const struct addrinfo *hints, struct mgc_error *err)
{
    struct lookup *lookup = calloc(1, sizeof(*lookup));
    if (!lookup) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "look up '%s': out of memory", host);
        return NULL;
    }
    snprintf(lookup->host, sizeof(lookup->host), "%s", host);
    snprintf(lookup->port, sizeof(lookup->port), "%s", port);
    lookup->hints = *hints;
    lookup->owners = 2;
    pthread_mutex_init(&lookup->lock, NULL);
    int errnum = 0;
    if (mgc_stop_init(&lookup->done, err)) {
        errnum = start_thread(lookup);
        if (errnum == 0)
            return lookup;
        mgc_error_errno(err, errnum, "look up '%s': start a thread", host);
        mgc_stop_destroy(&lookup->done);
    }
    pthread_mutex_destroy(&lookup->lock);
    free(lookup);
    return NULL;
}

static bool name_error(const char *host, int result, struct mgc_error *err)
{
    bool absent = result == EAI_NONAME;
#if defined(EAI_NODATA)
    absent = absent || result == EAI_NODATA;
#endif
    return mgc_error_set(err, absent ? MGC_E_NOT_FOUND : MGC_E_UNREACHABLE, "look up '%s': %s",
        host, gai_strerror(result));
}

static bool lookup_name(const char *host, const char *port, const struct addrinfo *hints,
    int64_t deadline_ns, int stop_fd, struct addrinfo **ret_list, struct mgc_error *err)
{
    char what[300];
    snprintf(what, sizeof(what), "look up '%s'", host);
    struct lookup *lookup = lookup_start(host, port, hints, err);
    if (!lookup)
        return false;
    bool ok = mgc_plat_wait_readable(lookup->done.read_fd, deadline_ns, stop_fd, what, err);
    if (ok) {
        pthread_mutex_lock(&lookup->lock);
        ok = lookup->result == 0 || name_error(host, lookup->result, err);
        if (ok)
            *ret_list = lookup->list;
        lookup->list = NULL;
        pthread_mutex_unlock(&lookup->lock);
    }
    lookup_release(lookup);
    return ok;
}

bool mgc_plat_resolve(const char *host, unsigned port, bool passive, int64_t deadline_ns,
    int stop_fd, struct addrinfo **ret_list, struct mgc_error *err)
{
    if (port > 65535 || strlen(host) > 255)
        return mgc_error_set(err, MGC_E_USAGE,
            "address '%.255s' port %u: expected a host name of at most 255 characters and a port "
            "up to 65535",
            host, port);
    char port_text[8];
    snprintf(port_text, sizeof(port_text), "%u", port);
    struct addrinfo hints = {
        .ai_socktype = SOCK_STREAM,
        .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | (passive ? AI_PASSIVE : 0),
    };
    if (getaddrinfo(host, port_text, &hints, ret_list) == 0)
        return true;
    hints.ai_flags &= ~AI_NUMERICHOST;
    return lookup_name(host, port_text, &hints, deadline_ns, stop_fd, ret_list, err);
}
