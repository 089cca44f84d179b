/* Multipart messages on bus sockets, without blocking. Internal to bus/. */
#ifndef MGC_BUS_FRAMES_H
#define MGC_BUS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <zmq.h>

#include "common/base/error.h"
#include "common/bus/keys.h"

enum { MGC_FRAMES_MAX = 8 }; /* a ZAP request has 7 besides its routing frames */

struct mgc_frames {
    zmq_msg_t parts[MGC_FRAMES_MAX];
    size_t count;
    bool too_many; /* there were more; they are dropped */
};

/* Next whole message; false when there is none. Destroy after true. */
bool mgc_frames_receive(void *socket, struct mgc_frames *ret_frames);
void mgc_frames_destroy(struct mgc_frames *frames);

const void *mgc_frames_data(struct mgc_frames *frames, size_t index);
size_t mgc_frames_len(struct mgc_frames *frames, size_t index);

struct mgc_part {
    const void *data;
    size_t len;
};
/* All parts or none; false when the peer is gone or its queue is full. */
bool mgc_frames_send(void *socket, const struct mgc_part *parts, size_t count);

/* The most frames that wait on a socket. Received ones are few, so that a peer that floods is held
 * back by TCP (a worker keeps more: client_dial.c says why); sent ones more than an outbox holds,
 * so that reliable messages always fit once. */
enum { MGC_RECEIVE_QUEUE = 256, MGC_SEND_QUEUE = 5000 };

/* Options that both ends share: queue bounds, size cap, no lingering. */
bool mgc_socket_prepare(void *socket, struct mgc_error *err);
bool mgc_socket_set_int(void *socket, int option, int value, struct mgc_error *err);
bool mgc_socket_set_text(void *socket, int option, const char *value, struct mgc_error *err);
/* Close, giving what is queued up to linger_ms to leave. */
void mgc_socket_close(void *socket, int linger_ms);

#endif
