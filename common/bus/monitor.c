#include "common/bus/monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    WATCHED = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_CLOSED |
              ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
              ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
              ZMQ_EVENT_HANDSHAKE_FAILED_AUTH,
};

void *mgc_monitor_open(void *context, void *socket, uint64_t number, struct mgc_error *err)
{
    char endpoint[48];
    snprintf(endpoint, sizeof(endpoint), "inproc://monitor-%" PRIu64, number);
    void *monitor = zmq_socket(context, ZMQ_PAIR);
    if (monitor && zmq_socket_monitor(socket, endpoint, WATCHED) == 0 &&
        zmq_connect(monitor, endpoint) == 0)
        return monitor;
    mgc_error_set(err, MGC_E_IO, "watch a connection: %s", zmq_strerror(zmq_errno()));
    mgc_socket_close(monitor, 0);
    return NULL;
}

void mgc_monitor_close(void *socket, void *monitor)
{
    if (!monitor)
        return;
    zmq_socket_monitor(socket, NULL, 0);
    mgc_socket_close(monitor, 0);
}

enum mgc_link_event mgc_monitor_judge(unsigned event, unsigned value, struct mgc_error *err)
{
    switch (event) {
    case ZMQ_EVENT_CONNECTED:
        return MGC_LINK_CONNECTED;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        return MGC_LINK_READY;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: /* value: status code of the coordinator's key check */
        mgc_error_set(err, MGC_E_DENIED,
            "the coordinator refused this worker's key: it is unknown or revoked there (status "
            "%u); "
            "there, `mgcoord keys list` shows which are known and `mgcoord keys add` makes a new "
            "enrolment file",
            value);
        return MGC_LINK_KEY_REFUSED;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        mgc_error_set(err, MGC_E_DENIED,
            "no handshake: the coordinator refused this worker's key, or its own key changed, or "
            "no coordinator listens there; compare this enrolment file with `mgcoord keys list`, "
            "or make a new one with `mgcoord keys add`");
        return MGC_LINK_NO_HANDSHAKE;
    case ZMQ_EVENT_CONNECT_RETRIED:
    case ZMQ_EVENT_CLOSED:
    case ZMQ_EVENT_DISCONNECTED:
        mgc_error_set(err, MGC_E_LOST, "the connection was closed before the coordinator answered");
        return MGC_LINK_DOWN;
    default:
        return MGC_LINK_OTHER;
    }
}

bool mgc_monitor_next(void *monitor, enum mgc_link_event *ret_event, struct mgc_error *err)
{
    struct mgc_frames frames;
    if (!mgc_frames_receive(monitor, &frames))
        return false;
    /* First frame: event number (16 bits) and value (32 bits), in host order; see
     * zmq_socket_monitor(3). */
    *ret_event = MGC_LINK_OTHER;
    if (frames.count >= 1 && mgc_frames_len(&frames, 0) >= 6) {
        uint16_t event;
        uint32_t value;
        const char *data = mgc_frames_data(&frames, 0);
        memcpy(&event, data, sizeof(event));
        memcpy(&value, data + sizeof(event), sizeof(value));
        *ret_event = mgc_monitor_judge(event, value, err);
    }
    mgc_frames_destroy(&frames);
    return true;
}
