#include "common/device/stream.h"

#include <stdio.h>
#include <string.h>

static const unsigned char preamble[MGC_DEVICE_PREAMBLE_SIZE] = {
    0x89, 'm', 'g', 'd', 'e', 'v', '\r', '\n'};

enum { SHOWN_MAX = 200 };

static void put_le(unsigned char *data, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(value >> (8 * i));
}

static uint32_t get_le(const unsigned char *data, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)data[i] << (8 * i);
    return value;
}

bool mgc_device_put_preamble(struct mgc_buf *out)
{
    return mgc_buf_append(out, preamble, sizeof(preamble));
}

bool mgc_device_put_message(struct mgc_buf *out, const struct mgc_device_msg *msg)
{
    unsigned char head[MGC_DEVICE_HEAD_SIZE] = {0};
    size_t at = out->len;
    if (!mgc_buf_append(out, head, sizeof(head)))
        return false;
    if (!mgc_device_encode(out, msg)) {
        out->len = at;
        return false;
    }
    put_le(head, (uint32_t)(out->len - at - sizeof(head)), 4);
    put_le(head + 4, (uint32_t)msg->type, 2);
    put_le(head + 8, msg->id, 4);
    memcpy(out->data + at, head, sizeof(head));
    return true;
}

bool mgc_device_stream_feed(
    struct mgc_device_stream *stream, const void *data, size_t len, struct mgc_error *err)
{
    /* Only here: a message that was given lives until the next call. */
    if (stream->used) {
        mgc_buf_consume(&stream->buf, stream->used);
        stream->used = 0;
    }
    return mgc_buf_append(&stream->buf, data, len) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for %zu bytes of messages", len);
}

static enum mgc_device_next stray(const struct mgc_device_stream *stream, struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    size_t len = stream->buf.len < sizeof(shown) - 1 ? stream->buf.len : sizeof(shown) - 1;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)stream->buf.data[i];
        shown[i] = c == '\n' ? ' ' : c < ' ' || c > '~' ? '?' : (char)c;
    }
    while (len > 0 && shown[len - 1] == ' ')
        len--;
    mgc_error_set(err, MGC_E_PROTOCOL, "it said \"%.*s\" instead of speaking the device protocol",
        (int)len, shown);
    return MGC_DEVICE_BROKEN;
}

/* One that is wrong early is wrong: what comes later cannot mend it. */
static enum mgc_device_next begin(struct mgc_device_stream *stream, struct mgc_error *err)
{
    size_t len = stream->buf.len < sizeof(preamble) ? stream->buf.len : sizeof(preamble);
    if (len > 0 && memcmp(stream->buf.data, preamble, len) != 0)
        return stray(stream, err);
    if (len < sizeof(preamble))
        return MGC_DEVICE_MORE;
    stream->begun = true;
    stream->used = sizeof(preamble);
    return MGC_DEVICE_MESSAGE;
}

enum mgc_device_next mgc_device_stream_next(
    struct mgc_device_stream *stream, struct mgc_device_msg *ret_msg, struct mgc_error *err)
{
    if (!stream->begun) {
        enum mgc_device_next next = begin(stream, err);
        if (next != MGC_DEVICE_MESSAGE)
            return next;
    }
    const unsigned char *head = (const unsigned char *)stream->buf.data + stream->used;
    size_t left = stream->buf.len - stream->used;
    if (left < MGC_DEVICE_HEAD_SIZE)
        return MGC_DEVICE_MORE;
    uint32_t size = get_le(head, 4), type = get_le(head + 4, 2), id = get_le(head + 8, 4);
    if (size > MGC_DEVICE_PAYLOAD_MAX || get_le(head + 6, 2) != 0) {
        mgc_error_set(err, MGC_E_PROTOCOL, "%s of %u bytes is no frame of the device protocol",
            mgc_device_type_name(type), size);
        return MGC_DEVICE_BROKEN;
    }
    if (left - MGC_DEVICE_HEAD_SIZE < size)
        return MGC_DEVICE_MORE;
    stream->used += MGC_DEVICE_HEAD_SIZE + size;
    return mgc_device_decode(type, id, head + MGC_DEVICE_HEAD_SIZE, size, ret_msg, err)
               ? MGC_DEVICE_MESSAGE
               : MGC_DEVICE_BROKEN;
}

void mgc_device_stream_destroy(struct mgc_device_stream *stream)
{
    if (!stream)
        return;
    mgc_buf_destroy(&stream->buf);
    *stream = (struct mgc_device_stream){0};
}
