#include "lab/phone/stream.h"

#include <assert.h>
#include <stdlib.h>

#include "lab/phone/packet.h"
#include "lab/phone/transport.h"

static void send_packet(struct mgl_stream *stream, uint32_t command, size_t payload_len)
{
    struct mgl_packet packet = {
        .command = command,
        .arg0 = stream->local_id,
        .arg1 = stream->host_id,
        .payload = (const uint8_t *)stream->out.data,
        .payload_len = payload_len,
    };
    mgl_conn_send(stream->conn, &packet);
}

static void unlink_and_free(struct mgl_stream *stream)
{
    struct mgl_stream **at = &stream->conn->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    mgc_buf_destroy(&stream->out);
    free(stream);
}

/* CLSE follows the last WRTE at once: waiting for its OKAY would cost a round trip per command. */
static void flush(struct mgl_stream *stream)
{
    if (!stream->in_flight && stream->out.len > 0) {
        size_t max = stream->conn->max_payload;
        size_t len = stream->out.len < max ? stream->out.len : max;
        send_packet(stream, MGL_ADB_WRTE, len);
        mgc_buf_consume(&stream->out, len);
        stream->in_flight = true;
    }
    if (stream->finished && stream->out.len == 0) {
        send_packet(stream, MGL_ADB_CLSE, 0);
        unlink_and_free(stream);
    }
}

void mgl_stream_accept(struct mgl_stream *stream, const struct mgl_stream_ops *ops, void *service)
{
    stream->ops = ops;
    stream->service = service;
    send_packet(stream, MGL_ADB_OKAY, 0);
}

void mgl_stream_refuse(struct mgl_stream *stream)
{
    stream->local_id = 0;
    send_packet(stream, MGL_ADB_CLSE, 0);
    unlink_and_free(stream);
}

size_t mgl_stream_room(const struct mgl_stream *stream)
{
    size_t max = stream->conn->max_payload;
    return stream->out.len < max ? max - stream->out.len : 0;
}

void mgl_stream_send(struct mgl_stream *stream, const void *data, size_t len)
{
    assert(!stream->finished);
    mgc_buf_append(&stream->out, data, len);
    flush(stream);
}

void mgl_stream_consumed(struct mgl_stream *stream)
{
    send_packet(stream, MGL_ADB_OKAY, 0);
}

void mgl_stream_finish(struct mgl_stream *stream)
{
    stream->ops = NULL;
    stream->finished = true;
    flush(stream);
}

void mgl_stream_on_okay(struct mgl_stream *stream)
{
    if (!stream->in_flight)
        return;
    stream->in_flight = false;
    if (stream->finished) {
        flush(stream);
        return;
    }
    flush(stream);
    if (stream->ops)
        stream->ops->room(stream);
}

void mgl_stream_drop(struct mgl_stream *stream)
{
    if (stream->ops)
        stream->ops->closed(stream);
    unlink_and_free(stream);
}
