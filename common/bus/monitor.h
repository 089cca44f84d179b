/* What libzmq tells about a connection. Internal to bus/. */
#ifndef MGC_BUS_MONITOR_H
#define MGC_BUS_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/bus/frames.h"

enum mgc_link_event {
    MGC_LINK_OTHER,
    MGC_LINK_CONNECTED,    /* TCP only */
    MGC_LINK_READY,        /* keys accepted on both sides */
    MGC_LINK_KEY_REFUSED,  /* the coordinator said no to our key: it is final */
    MGC_LINK_NO_HANDSHAKE, /* the other side ended the handshake, or is no coordinator with the key
                              we know */
    MGC_LINK_DOWN,         /* connect failed, or the connection broke */
};

/* Events of a client's socket, received from the returned PAIR socket. Close with
 * mgc_monitor_close before the watched socket. NULL on failure. */
void *mgc_monitor_open(void *context, void *socket, uint64_t number, struct mgc_error *err);
void mgc_monitor_close(void *socket, void *monitor); /* takes NULL as monitor */

/* Next event; false when there is none. err gets a sentence for events that end an attempt. */
bool mgc_monitor_next(void *monitor, enum mgc_link_event *ret_event, struct mgc_error *err);

/* Meaning of an event number and value of zmq_socket_monitor(3). Pure. */
enum mgc_link_event mgc_monitor_judge(unsigned event, unsigned value, struct mgc_error *err);

#endif
