#include "lab/replay/proto.h"

#include <string.h>

#include "lab/replay/bytes.h"
#include "lab/replay/raster.h"

static const char magic[4] = "MGLR";

enum { PIXELS_MAX = 4 + MGR_IMAGE_SIDE_MAX * MGR_IMAGE_SIDE_MAX * 4 };

static bool bad(struct mgc_error *err, unsigned kind, const char *what)
{
    return mgc_error_set(err, MGC_E_PROTOCOL, "session message of kind %u: %s", kind, what);
}

/* A string of at most size - 1 bytes without NUL in it; marks the reader bad otherwise. */
static void get_string(struct mgr_reader *in, char *ret_text, size_t size)
{
    size_t len = (size_t)mgr_get(in, 1);
    const uint8_t *at = mgr_take(in, len);
    if (!at || len >= size || memchr(at, 0, len)) {
        in->bad = true;
        return;
    }
    memcpy(ret_text, at, len);
    ret_text[len] = '\0';
}

static bool has_magic(struct mgr_reader *in)
{
    const uint8_t *at = mgr_take(in, sizeof(magic));
    return at && memcmp(at, magic, sizeof(magic)) == 0;
}

static bool decode_hello(struct mgr_reader *in, struct mgr_msg *msg, struct mgc_error *err)
{
    if (!has_magic(in))
        return bad(err, msg->kind, "no MGLR magic");
    msg->version = mgr_get_u16(in);
    msg->flags = mgr_get_u16(in);
    if (msg->kind == MGR_MSG_DATA) {
        msg->nonce = mgr_get_u64(in);
        return true;
    }
    msg->credit = mgr_get_u16(in);
    msg->width = mgr_get_u16(in);
    msg->height = mgr_get_u16(in);
    (void)mgr_get_u16(in);
    get_string(in, msg->backend, sizeof(msg->backend));
    get_string(in, msg->token, sizeof(msg->token));
    get_string(in, msg->build, sizeof(msg->build));
    return true;
}

static void decode_welcome(struct mgr_reader *in, struct mgr_msg *msg)
{
    msg->version = mgr_get_u16(in);
    msg->flags = mgr_get_u16(in);
    msg->nonce = mgr_get_u64(in);
    msg->ring_mb = mgr_get_u16(in);
    msg->stage_mb = mgr_get_u16(in);
    get_string(in, msg->backend, sizeof(msg->backend));
    get_string(in, msg->build, sizeof(msg->build));
}

static void decode_refuse(struct mgr_reader *in, struct mgr_msg *msg)
{
    msg->expected = mgr_get_u32(in);
    msg->actual = mgr_get_u32(in);
    get_string(in, msg->code, sizeof(msg->code));
    get_string(in, msg->detail, sizeof(msg->detail));
}

static void decode_pixels(struct mgr_reader *in, struct mgr_msg *msg)
{
    msg->width = mgr_get_u16(in);
    msg->height = mgr_get_u16(in);
    msg->data_len = (size_t)msg->width * msg->height * 4;
    msg->data = mgr_take(in, msg->data_len);
}

static bool decode_payload(struct mgr_reader *in, struct mgr_msg *msg, struct mgc_error *err)
{
    switch (msg->kind) {
    case MGR_MSG_HELLO:
    case MGR_MSG_DATA:
        return decode_hello(in, msg, err);
    case MGR_MSG_WELCOME:
        decode_welcome(in, msg);
        return true;
    case MGR_MSG_REFUSE:
        decode_refuse(in, msg);
        return true;
    case MGR_MSG_READY:
        msg->pid = mgr_get_u32(in);
        return true;
    case MGR_MSG_CREDIT:
        msg->frame = mgr_get_u32(in);
        msg->position = mgr_get_u64(in);
        return true;
    case MGR_MSG_SYNC:
    case MGR_MSG_SYNCED:
    case MGR_MSG_READBACK:
    case MGR_MSG_BYE:
        msg->position = mgr_get_u64(in);
        return true;
    case MGR_MSG_PIXELS:
        decode_pixels(in, msg);
        return true;
    case MGR_MSG_LOG:
        msg->data_len = in->left;
        msg->data = mgr_take(in, in->left);
        return true;
    }
    return bad(err, msg->kind, "unknown kind");
}

enum mgr_decode mgr_msg_decode(
    const void *data, size_t len, struct mgr_msg *ret_msg, size_t *ret_used, struct mgc_error *err)
{
    if (len < MGR_MSG_HEAD)
        return MGR_DECODE_MORE;
    struct mgr_reader head = {.at = data, .left = MGR_MSG_HEAD};
    struct mgr_msg msg = {.kind = (enum mgr_msg_kind)mgr_get_u16(&head)};
    uint16_t zero = mgr_get_u16(&head);
    uint32_t payload = mgr_get_u32(&head);
    if (zero || payload > (msg.kind == MGR_MSG_PIXELS ? PIXELS_MAX : MGR_MSG_SMALL_MAX)) {
        bad(err, msg.kind, zero ? "reserved bytes are not 0" : "payload too long");
        return MGR_DECODE_BAD;
    }
    if (payload > len - MGR_MSG_HEAD)
        return MGR_DECODE_MORE;
    struct mgr_reader in = {.at = head.at, .left = payload};
    if (!decode_payload(&in, &msg, err))
        return MGR_DECODE_BAD;
    if (in.bad || in.left) {
        bad(err, msg.kind, "length does not fit the kind");
        return MGR_DECODE_BAD;
    }
    *ret_msg = msg;
    *ret_used = MGR_MSG_HEAD + payload;
    return MGR_DECODE_OK;
}

static void put_string(struct mgc_buf *buf, const char *text)
{
    size_t len = strlen(text);
    if (len > 255)
        len = 255;
    mgc_buf_putc(buf, (char)len);
    mgc_buf_append(buf, text, len);
}

static void encode_hello(struct mgc_buf *buf, const struct mgr_msg *msg)
{
    mgc_buf_append(buf, magic, sizeof(magic));
    mgr_put_u16(buf, msg->version);
    mgr_put_u16(buf, msg->flags);
    if (msg->kind == MGR_MSG_DATA) {
        mgr_put_u64(buf, msg->nonce);
        return;
    }
    mgr_put_u16(buf, msg->credit);
    mgr_put_u16(buf, msg->width);
    mgr_put_u16(buf, msg->height);
    mgr_put_u16(buf, 0);
    put_string(buf, msg->backend);
    put_string(buf, msg->token);
    put_string(buf, msg->build);
}

static void encode_welcome(struct mgc_buf *buf, const struct mgr_msg *msg)
{
    mgr_put_u16(buf, msg->version);
    mgr_put_u16(buf, msg->flags);
    mgr_put_u64(buf, msg->nonce);
    mgr_put_u16(buf, msg->ring_mb);
    mgr_put_u16(buf, msg->stage_mb);
    put_string(buf, msg->backend);
    put_string(buf, msg->build);
}

static void encode_payload(struct mgc_buf *buf, const struct mgr_msg *msg)
{
    switch (msg->kind) {
    case MGR_MSG_HELLO:
    case MGR_MSG_DATA:
        encode_hello(buf, msg);
        break;
    case MGR_MSG_WELCOME:
        encode_welcome(buf, msg);
        break;
    case MGR_MSG_REFUSE:
        mgr_put_u32(buf, msg->expected);
        mgr_put_u32(buf, msg->actual);
        put_string(buf, msg->code);
        put_string(buf, msg->detail);
        break;
    case MGR_MSG_READY:
        mgr_put_u32(buf, msg->pid);
        break;
    case MGR_MSG_CREDIT:
        mgr_put_u32(buf, msg->frame);
        mgr_put_u64(buf, msg->position);
        break;
    case MGR_MSG_SYNC:
    case MGR_MSG_SYNCED:
    case MGR_MSG_READBACK:
    case MGR_MSG_BYE:
        mgr_put_u64(buf, msg->position);
        break;
    case MGR_MSG_PIXELS:
        mgr_put_u16(buf, msg->width);
        mgr_put_u16(buf, msg->height);
        mgc_buf_append(buf, msg->data, msg->data_len);
        break;
    case MGR_MSG_LOG:
        mgc_buf_append(
            buf, msg->data, msg->data_len < MGR_MSG_SMALL_MAX ? msg->data_len : MGR_MSG_SMALL_MAX);
        break;
    }
}

void mgr_msg_encode(struct mgc_buf *buf, const struct mgr_msg *msg)
{
    mgr_put_u16(buf, (uint16_t)msg->kind);
    mgr_put_u16(buf, 0);
    size_t length_at = buf->len;
    mgr_put_u32(buf, 0);
    size_t start = buf->len;
    encode_payload(buf, msg);
    if (mgc_buf_ok(buf)) {
        uint32_t payload = (uint32_t)(buf->len - start);
        memcpy(buf->data + length_at, &payload, sizeof(payload));
    }
}
