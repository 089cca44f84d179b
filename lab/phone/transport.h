/* The phone's end of adb over TCP: a listener, one connection per adb server, its streams.
 *
 * No AUTH: a CNXN is answered with a CNXN. The banner names the lab phone and the features that
 * Debian's adb needs (shell_v2, cmd, fixed_push_mkdir). Loop thread only.
 */
#ifndef MGC_LAB_PHONE_TRANSPORT_H
#define MGC_LAB_PHONE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/phone/loop.h"
#include "lab/phone/packet.h"
#include "lab/phone/stream.h"
#include "lab/phone/timer.h"

struct mgl_transport;

/* Decide about a newly opened stream: accept or refuse it, now or later. */
typedef void mgl_open_service(struct mgl_stream *stream, const char *name, void *arg);

struct mgl_conn {
    struct mgl_transport *transport; /* borrowed */
    struct mgl_watch watch;
    struct mgc_buf in, out;
    uint32_t version;   /* 0 before CNXN */
    size_t max_payload; /* the smaller of both sides' */
    uint32_t last_id;
    struct mgl_stream *streams; /* owned */
    int64_t free_ns;            /* paced: when all that was sent has crossed the line */
    struct mgl_timer pace;      /* runs while output waits for that */
    bool broken;                /* close when control is back in the loop's callback */
    struct mgl_conn *next;
};

struct mgl_transport {
    struct mgl_loop *loop; /* borrowed */
    struct mgl_watch watch;
    const char *banner;   /* borrowed: "device::..." */
    int64_t to_host_rate; /* bytes per second; 0: no limit */
    mgl_open_service *open;
    void *open_arg;
    struct mgl_conn *conns; /* owned */
};

/* Serve adb on a listening socket, which the transport takes over. */
bool mgl_transport_start(
    struct mgl_transport *transport, struct mgl_loop *loop, int listener, struct mgc_error *err);
/* Drops connections and streams and closes the listener; it can be started again. */
void mgl_transport_stop(struct mgl_transport *transport);

/* For streams: queue one packet. */
void mgl_conn_send(struct mgl_conn *conn, const struct mgl_packet *packet);

#endif
