#include "lab/replay/record.h"

#include <string.h>

#include "lab/replay/bytes.h"

static bool bad(struct mgc_error *err, unsigned kind, const char *what)
{
    return mgc_error_set(err, MGC_E_PROTOCOL, "render record of kind %u: %s", kind, what);
}

static bool decode_texture(struct mgr_reader *in, struct mgr_record *record, struct mgc_error *err)
{
    record->slot = mgr_get_u16(in);
    record->width = mgr_get_u16(in);
    record->height = mgr_get_u16(in);
    (void)mgr_get_u16(in);
    if (!record->width || !record->height || record->width > MGR_TEXTURE_SIDE_MAX ||
        record->height > MGR_TEXTURE_SIDE_MAX)
        return bad(err, record->kind, "texture side outside 1..512");
    if (record->kind == MGR_TEXTURE_SEED)
        record->seed = mgr_get_u64(in);
    else
        record->data = mgr_take(in, (size_t)record->width * record->height * 4);
    return true;
}

static bool decode_buffer(struct mgr_reader *in, struct mgr_record *record, struct mgc_error *err)
{
    record->slot = mgr_get_u16(in);
    (void)mgr_get_u16(in);
    record->bytes = mgr_get_u32(in);
    if (record->bytes > MGR_BUFFER_BYTES_MAX)
        return bad(err, record->kind, "buffer larger than 2 MiB");
    if (record->kind == MGR_BUFFER_SEED)
        record->seed = mgr_get_u64(in);
    else
        record->data = mgr_take(in, record->bytes);
    return true;
}

static bool decode_payload(struct mgr_reader *in, struct mgr_record *record, struct mgc_error *err)
{
    switch (record->kind) {
    case MGR_CLEAR:
        record->colour = mgr_get_u32(in);
        return true;
    case MGR_TEXTURE_SEED:
    case MGR_TEXTURE:
        return decode_texture(in, record, err);
    case MGR_BUFFER_SEED:
    case MGR_BUFFER:
        return decode_buffer(in, record, err);
    case MGR_RECTS:
        record->slot = mgr_get_u16(in);
        record->count = mgr_get_u16(in);
        record->data = mgr_take(in, (size_t)record->count * MGR_RECT_BYTES);
        return record->count <= MGR_RECTS_MAX || bad(err, record->kind, "over 4096 rectangles");
    case MGR_TRIS:
        record->slot = mgr_get_u16(in);
        record->reach = mgr_get_u16(in);
        record->first = mgr_get_u32(in);
        record->count = mgr_get_u32(in);
        return record->reach <= MGR_REACH_MAX || bad(err, record->kind, "reach over 64 pixels");
    case MGR_PRESENT:
        record->frame = mgr_get_u32(in);
        record->call = mgr_get_u64(in);
        return true;
    case MGR_QUERY:
        record->frame = mgr_get_u32(in);
        return true;
    }
    return bad(err, record->kind, "unknown kind");
}

enum mgr_decode mgr_record_decode(const void *data, size_t len, struct mgr_record *ret_record,
    size_t *ret_used, struct mgc_error *err)
{
    if (len < MGR_RECORD_HEAD)
        return MGR_DECODE_MORE;
    struct mgr_reader head = {.at = data, .left = MGR_RECORD_HEAD};
    struct mgr_record record = {.kind = (enum mgr_kind)mgr_get(&head, 1)};
    uint32_t zeros = (uint32_t)mgr_get(&head, 3);
    uint32_t payload = mgr_get_u32(&head);
    if (zeros || payload > MGR_RECORD_MAX) {
        bad(err, record.kind, zeros ? "reserved bytes are not 0" : "payload over 4 MiB");
        return MGR_DECODE_BAD;
    }
    if (payload > len - MGR_RECORD_HEAD)
        return MGR_DECODE_MORE;
    struct mgr_reader in = {.at = head.at, .left = payload};
    if (!decode_payload(&in, &record, err))
        return MGR_DECODE_BAD;
    if (in.bad || in.left || record.slot >= MGR_SLOTS) {
        bad(err, record.kind, in.bad || in.left ? "length does not fit the kind" : "no such slot");
        return MGR_DECODE_BAD;
    }
    *ret_record = record;
    *ret_used = MGR_RECORD_HEAD + payload;
    return MGR_DECODE_OK;
}

static void put_head(struct mgc_buf *buf, enum mgr_kind kind, size_t payload)
{
    mgr_put_u32(buf, (uint32_t)kind);
    mgr_put_u32(buf, (uint32_t)payload);
}

static void encode_texture(struct mgc_buf *buf, const struct mgr_record *record)
{
    size_t texels = (size_t)record->width * record->height * 4;
    bool seeded = record->kind == MGR_TEXTURE_SEED;
    put_head(buf, record->kind, 8 + (seeded ? 8 : texels));
    mgr_put_u16(buf, record->slot);
    mgr_put_u16(buf, record->width);
    mgr_put_u16(buf, record->height);
    mgr_put_u16(buf, 0);
    if (seeded)
        mgr_put_u64(buf, record->seed);
    else
        mgc_buf_append(buf, record->data, texels);
}

static void encode_buffer(struct mgc_buf *buf, const struct mgr_record *record)
{
    bool seeded = record->kind == MGR_BUFFER_SEED;
    put_head(buf, record->kind, 8 + (seeded ? 8 : record->bytes));
    mgr_put_u16(buf, record->slot);
    mgr_put_u16(buf, 0);
    mgr_put_u32(buf, record->bytes);
    if (seeded)
        mgr_put_u64(buf, record->seed);
    else
        mgc_buf_append(buf, record->data, record->bytes);
}

static void encode_draw(struct mgc_buf *buf, const struct mgr_record *record)
{
    if (record->kind == MGR_RECTS) {
        put_head(buf, MGR_RECTS, 4 + (size_t)record->count * MGR_RECT_BYTES);
        mgr_put_u16(buf, record->slot);
        mgr_put_u16(buf, (uint16_t)record->count);
        mgc_buf_append(buf, record->data, (size_t)record->count * MGR_RECT_BYTES);
        return;
    }
    put_head(buf, MGR_TRIS, 12);
    mgr_put_u16(buf, record->slot);
    mgr_put_u16(buf, record->reach);
    mgr_put_u32(buf, record->first);
    mgr_put_u32(buf, record->count);
}

void mgr_record_encode(struct mgc_buf *buf, const struct mgr_record *record)
{
    switch (record->kind) {
    case MGR_CLEAR:
        put_head(buf, MGR_CLEAR, 4);
        mgr_put_u32(buf, record->colour);
        break;
    case MGR_TEXTURE_SEED:
    case MGR_TEXTURE:
        encode_texture(buf, record);
        break;
    case MGR_BUFFER_SEED:
    case MGR_BUFFER:
        encode_buffer(buf, record);
        break;
    case MGR_RECTS:
    case MGR_TRIS:
        encode_draw(buf, record);
        break;
    case MGR_PRESENT:
        put_head(buf, MGR_PRESENT, 12);
        mgr_put_u32(buf, record->frame);
        mgr_put_u64(buf, record->call);
        break;
    case MGR_QUERY:
        put_head(buf, MGR_QUERY, 4);
        mgr_put_u32(buf, record->frame);
        break;
    }
}

struct mgr_rect mgr_record_rect(const struct mgr_record *record, uint32_t i)
{
    struct mgr_reader in = {
        .at = record->data + (size_t)i * MGR_RECT_BYTES, .left = MGR_RECT_BYTES};
    struct mgr_rect rect;
    rect.x = (int16_t)mgr_get_u16(&in);
    rect.y = (int16_t)mgr_get_u16(&in);
    rect.w = mgr_get_u16(&in);
    rect.h = mgr_get_u16(&in);
    rect.u = mgr_get_u16(&in);
    rect.v = mgr_get_u16(&in);
    rect.tint = mgr_get_u32(&in);
    return rect;
}

void mgr_rect_encode(struct mgc_buf *buf, const struct mgr_rect *rect)
{
    mgr_put_u16(buf, (uint16_t)rect->x);
    mgr_put_u16(buf, (uint16_t)rect->y);
    mgr_put_u16(buf, rect->w);
    mgr_put_u16(buf, rect->h);
    mgr_put_u16(buf, rect->u);
    mgr_put_u16(buf, rect->v);
    mgr_put_u32(buf, rect->tint);
}

/* splitmix64: each word stands alone, so the loop is as fast as memory. */
static uint64_t seed_word(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void mgr_seed_fill(uint64_t seed, void *data, size_t len)
{
    uint8_t *at = data;
    for (size_t i = 0; i < len / 8; i++) {
        uint64_t word = seed_word(seed, i);
        memcpy(at + 8 * i, &word, 8);
    }
    uint64_t word = seed_word(seed, len / 8);
    memcpy(at + len / 8 * 8, &word, len % 8);
}

/* Reserve `len` bytes at the end of buf and fill them from the seed. */
static void append_seeded(struct mgc_buf *buf, uint64_t seed, size_t len)
{
    if (!mgc_buf_reserve(buf, len))
        return;
    mgr_seed_fill(seed, buf->data + buf->len, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void mgr_record_expand(struct mgc_buf *buf, const struct mgr_record *record)
{
    if (record->kind == MGR_TEXTURE_SEED) {
        size_t texels = (size_t)record->width * record->height * 4;
        put_head(buf, MGR_TEXTURE, 8 + texels);
        mgr_put_u16(buf, record->slot);
        mgr_put_u16(buf, record->width);
        mgr_put_u16(buf, record->height);
        mgr_put_u16(buf, 0);
        append_seeded(buf, record->seed, texels);
    } else if (record->kind == MGR_BUFFER_SEED) {
        put_head(buf, MGR_BUFFER, 8 + (size_t)record->bytes);
        mgr_put_u16(buf, record->slot);
        mgr_put_u16(buf, 0);
        mgr_put_u32(buf, record->bytes);
        append_seeded(buf, record->seed, record->bytes);
    } else {
        mgr_record_encode(buf, record);
    }
}
