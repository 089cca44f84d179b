/* One adb stream: the host opened it by a service name; bytes flow both ways.
 *
 * Flow control is adb's: one WRTE in flight per direction. What a service sends is gathered while a
 * WRTE is unanswered and goes out as one packet of up to the negotiated size, because on a link
 * with latency the size of a packet is the throughput. Owned by its connection; loop thread only.
 */
#ifndef MGC_LAB_PHONE_STREAM_H
#define MGC_LAB_PHONE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

struct mgl_conn;
struct mgl_stream;

/* What a service does with its stream. */
struct mgl_stream_ops {
    /* The host wrote; the service calls mgl_stream_consumed once it has passed all of it on. The
     * host sends nothing more before that. */
    void (*data)(struct mgl_stream *stream, const uint8_t *data, size_t len);
    /* mgl_stream_room has grown. */
    void (*room)(struct mgl_stream *stream);
    /* Host closed it or the connection is gone: end the service, never touch the stream again. */
    void (*closed)(struct mgl_stream *stream);
};

struct mgl_stream {
    struct mgl_conn *conn; /* borrowed */
    uint32_t local_id, host_id;
    const struct mgl_stream_ops *ops; /* NULL before accept and after finish */
    void *service;                    /* borrowed by the stream; the service owns itself */
    struct mgc_buf out;               /* waiting for the host's OKAY */
    bool in_flight;
    bool finished; /* close once `out` is handed over */
    struct mgl_stream *next;
};

/* Answer the OPEN with OKAY. */
void mgl_stream_accept(struct mgl_stream *stream, const struct mgl_stream_ops *ops, void *service);
/* Answer the OPEN with CLSE ("error: closed" at the host) and free the stream. */
void mgl_stream_refuse(struct mgl_stream *stream);

/* Bytes that may be sent now; 0 until the host has taken some. */
size_t mgl_stream_room(const struct mgl_stream *stream);
/* At most mgl_stream_room bytes. */
void mgl_stream_send(struct mgl_stream *stream, const void *data, size_t len);
void mgl_stream_consumed(struct mgl_stream *stream);
/* The service has ended: send what is left, close, free. The stream is no longer the service's. */
void mgl_stream_finish(struct mgl_stream *stream);

/* For the connection only: packets that concern this stream. */
void mgl_stream_on_okay(struct mgl_stream *stream);
/* Unlink, end the service when it still runs, free. */
void mgl_stream_drop(struct mgl_stream *stream);

#endif
