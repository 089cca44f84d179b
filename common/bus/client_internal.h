/* The client's parts: states and moves (client.c), one attempt on one address (client_dial.c), the
 * live session (client_session.c). Internal to bus/.
 */
#ifndef MGC_BUS_CLIENT_INTERNAL_H
#define MGC_BUS_CLIENT_INTERNAL_H

#include "common/bus/client.h"
#include "common/bus/frames.h"
#include "common/bus/probe.h"
#include "common/bus/session.h"

/* The states of client.h, with DIALLING in its two steps and the fence after a session. */
enum mgc_client_state {
    MGC_CLIENT_WAITING,
    MGC_CLIENT_PROBING,  /* DIALLING: does anything accept TCP there? */
    MGC_CLIENT_GREETING, /* DIALLING: hello is on its way */
    MGC_CLIENT_JOINED,
    MGC_CLIENT_FENCED, /* session over or paused, resume not yet called */
};

struct mgc_bus_client {
    struct mgc_loop *loop; /* borrowed */
    struct mgc_bus_client_ops ops;
    void *user;
    const struct mgc_enrolment *enrolment; /* borrowed */
    const struct mgc_msg_hello *hello;     /* borrowed */
    int64_t retry_min_ms, retry_max_ms, dial_ms;

    enum mgc_client_state state;
    uint64_t timer; /* the state's deadline */
    int64_t timer_ns;
    int64_t paused_due_ns;                  /* when the wait would have ended; 0: not paused */
    int64_t backoff_ms;                     /* of the next wait */
    size_t address;                         /* being dialled; while joined: the one that answered */
    size_t tried;                           /* addresses of this round that failed */
    struct mgc_error told[MGC_ADDRESS_MAX]; /* last reason given to not_joined */

    void *context; /* owned, as the rest */
    struct mgc_probe *probe;
    void *socket;
    void *monitor;
    uint64_t sockets_made;
    uint64_t epoch;
    struct mgc_session session;
    int64_t joined_ns;
};

/* client.c: the moves */
void mgc_client_dial(struct mgc_bus_client *client); /* address number client->address */
void mgc_client_failed(struct mgc_bus_client *client, const struct mgc_error *why);
/* The coordinator itself said no: other addresses lead to the same one. */
void mgc_client_refused(struct mgc_bus_client *client, const struct mgc_error *why);
void mgc_client_end(struct mgc_bus_client *client, const struct mgc_error *why);
void mgc_client_set_timer(struct mgc_bus_client *client, int64_t due_ns);
void mgc_client_close_socket(struct mgc_bus_client *client, int linger_ms);

/* client_dial.c: open a fresh socket and say hello on it */
bool mgc_client_greet(struct mgc_bus_client *client, struct mgc_error *err);

/* client_session.c */
void mgc_client_on_socket(void *user);
void mgc_client_on_monitor(void *user);
void mgc_client_arm(struct mgc_bus_client *client); /* timer for what the session needs next */

#endif
