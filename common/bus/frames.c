#include "common/bus/frames.h"

#include <string.h>

#include "common/wire/msg.h"

static bool more_follows(zmq_msg_t *part)
{
    return zmq_msg_more(part) != 0;
}

static bool receive_part(void *socket, zmq_msg_t *part)
{
    zmq_msg_init(part);
    int got;
    do
        got = zmq_msg_recv(part, socket, ZMQ_DONTWAIT);
    while (got < 0 && zmq_errno() == EINTR);
    if (got >= 0)
        return true;
    zmq_msg_close(part);
    return false;
}

bool mgc_frames_receive(void *socket, struct mgc_frames *ret_frames)
{
    ret_frames->count = 0;
    ret_frames->too_many = false;
    zmq_msg_t part;
    bool more;
    if (!receive_part(socket, &part))
        return false;
    do { /* the other parts of a message are there once its first one is */
        more = more_follows(&part);
        if (ret_frames->count < MGC_FRAMES_MAX) {
            zmq_msg_init(&ret_frames->parts[ret_frames->count]);
            zmq_msg_move(&ret_frames->parts[ret_frames->count++], &part);
        } else {
            ret_frames->too_many = true;
        }
        zmq_msg_close(&part);
    } while (more && receive_part(socket, &part));
    return true;
}

void mgc_frames_destroy(struct mgc_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        zmq_msg_close(&frames->parts[i]);
    frames->count = 0;
}

const void *mgc_frames_data(struct mgc_frames *frames, size_t index)
{
    return zmq_msg_data(&frames->parts[index]);
}

size_t mgc_frames_len(struct mgc_frames *frames, size_t index)
{
    return zmq_msg_size(&frames->parts[index]);
}

bool mgc_frames_send(void *socket, const struct mgc_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int flags = ZMQ_DONTWAIT | (i + 1 < count ? ZMQ_SNDMORE : 0);
        int sent;
        do
            sent = zmq_send(socket, parts[i].data, parts[i].len, flags);
        while (sent < 0 && zmq_errno() == EINTR);
        if (sent < 0)
            return false; /* only possible for the first part: limits count whole messages */
    }
    return true;
}

bool mgc_socket_set_int(void *socket, int option, int value, struct mgc_error *err)
{
    if (zmq_setsockopt(socket, option, &value, sizeof(value)) == 0)
        return true;
    return mgc_error_set(err, MGC_E_UNSUPPORTED, "socket option %d = %d: %s", option, value,
        zmq_strerror(zmq_errno()));
}

bool mgc_socket_set_text(void *socket, int option, const char *value, struct mgc_error *err)
{
    if (zmq_setsockopt(socket, option, value, strlen(value)) == 0)
        return true;
    /* not quoting the value: it may be a secret key */
    return mgc_error_set(
        err, MGC_E_UNSUPPORTED, "socket option %d: %s", option, zmq_strerror(zmq_errno()));
}

bool mgc_socket_prepare(void *socket, struct mgc_error *err)
{
    int64_t max = MGC_WIRE_BODY_MAX + 64; /* CURVE adds 33 bytes to each frame */
    if (zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &max, sizeof(max)) != 0)
        return mgc_error_set(err, MGC_E_UNSUPPORTED, "limit frames to %lld bytes", (long long)max);
    return mgc_socket_set_int(socket, ZMQ_LINGER, 0, err) &&
           mgc_socket_set_int(socket, ZMQ_SNDHWM, MGC_SEND_QUEUE, err) &&
           mgc_socket_set_int(socket, ZMQ_RCVHWM, MGC_RECEIVE_QUEUE, err);
}

void mgc_socket_close(void *socket, int linger_ms)
{
    if (!socket)
        return;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms));
    zmq_close(socket);
}
