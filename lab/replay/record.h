/* Render records: what a trace holds and what travels over a data connection. Pure codec.
 *
 *   0   u8   kind           integers are little-endian
 *   1   u8   0, u16 0
 *   4   u32  length of the payload
 *   8   payload
 *
 *   CLEAR         u32 colour
 *   TEXTURE_SEED  u16 texture, u16 width, u16 height, u16 0, u64 seed      (trace only)
 *   BUFFER_SEED   u16 buffer, u16 0, u32 bytes, u64 seed                   (trace only)
 *   RECTS         u16 texture, u16 count, count x 16 bytes: i16 x, i16 y, u16 w, u16 h, u16 u,
 *                 u16 v, u32 tint
 *   TRIS          u16 buffer, u16 reach in pixels, u32 first, u32 count; one triangle is 12 bytes
 *                 of the buffer
 *   PRESENT       u32 frame (from 0), u64 call
 *   QUERY         u32 id; the client waits for the server before it goes on
 *   TEXTURE       u16 texture, u16 width, u16 height, u16 0, width x height x 4 bytes (wire only)
 *   BUFFER        u16 buffer, u16 0, u32 bytes, the bytes                      (wire only)
 *
 * Colours are bytes R, G, B, A in memory order. The seeded kinds keep traces small: the client
 * makes the bytes from the seed, as an application makes its vertex data, and sends all of them.
 */
#ifndef MGC_LAB_REPLAY_RECORD_H
#define MGC_LAB_REPLAY_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

enum mgr_kind {
    MGR_CLEAR = 1,
    MGR_TEXTURE_SEED = 2,
    MGR_BUFFER_SEED = 3,
    MGR_RECTS = 4,
    MGR_TRIS = 5,
    MGR_PRESENT = 6,
    MGR_QUERY = 7,
    MGR_TEXTURE = 8,
    MGR_BUFFER = 9,
};

enum {
    MGR_RECORD_HEAD = 8,
    MGR_RECORD_MAX = 4 << 20, /* payload bytes */
    MGR_TEXTURE_SIDE_MAX = 512,
    MGR_BUFFER_BYTES_MAX = 2 << 20,
    MGR_SLOTS = 64,       /* texture and buffer names are 0..63 */
    MGR_RECTS_MAX = 4096, /* bounds the work that one record can ask for */
    MGR_REACH_MAX = 64,
    MGR_RECT_BYTES = 16,
    MGR_TRIANGLE_BYTES = 12,
};

struct mgr_rect {
    int16_t x, y;
    uint16_t w, h, u, v;
    uint32_t tint;
};

struct mgr_record {
    enum mgr_kind kind;
    uint16_t slot;          /* texture or buffer */
    uint16_t width, height; /* TEXTURE* */
    uint16_t reach;         /* TRIS */
    uint32_t first, count;  /* TRIS; RECTS uses count */
    uint32_t bytes;         /* BUFFER* */
    uint32_t colour;        /* CLEAR */
    uint32_t frame;         /* PRESENT; QUERY: its id */
    uint64_t call;          /* PRESENT */
    uint64_t seed;
    const uint8_t *data; /* borrowed: rects, texels or buffer bytes; NULL in other kinds */
};

enum mgr_decode { MGR_DECODE_OK, MGR_DECODE_MORE, MGR_DECODE_BAD };

/* Decode the record at the start of data. OK: *ret_record and *ret_used are set. MORE: it is
 * longer than len. BAD: it never can be one; err says why. Nothing is allocated. */
enum mgr_decode mgr_record_decode(const void *data, size_t len, struct mgr_record *ret_record,
    size_t *ret_used, struct mgc_error *err);

/* Append a record; data must hold what the kind's counts say. Fails only through buf. */
void mgr_record_encode(struct mgc_buf *buf, const struct mgr_record *record);

/* The i-th rectangle of a RECTS record. */
struct mgr_rect mgr_record_rect(const struct mgr_record *record, uint32_t i);
void mgr_rect_encode(struct mgc_buf *buf, const struct mgr_rect *rect);

/* Append the wire form: seeded kinds with their bytes made, everything else as it is. */
void mgr_record_expand(struct mgc_buf *buf, const struct mgr_record *record);

/* The bytes that a seed stands for. */
void mgr_seed_fill(uint64_t seed, void *data, size_t len);

#endif
