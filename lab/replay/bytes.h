/* Little-endian integers into a buffer and out of a bounded run of bytes. */
#ifndef MGC_LAB_REPLAY_BYTES_H
#define MGC_LAB_REPLAY_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"

/* Pixels are handled as words, buffers as words too; a big-endian machine would draw other
 * colours. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lab's pixels are little-endian");

static inline void mgr_put_u16(struct mgc_buf *buf, uint16_t value)
{
    mgc_buf_append(buf, &value, sizeof(value));
}

static inline void mgr_put_u32(struct mgc_buf *buf, uint32_t value)
{
    mgc_buf_append(buf, &value, sizeof(value));
}

static inline void mgr_put_u64(struct mgc_buf *buf, uint64_t value)
{
    mgc_buf_append(buf, &value, sizeof(value));
}

/* Reads past the end give 0 and mark the reader bad; one check at the end is enough. */
struct mgr_reader {
    const uint8_t *at; /* borrowed */
    size_t left;
    bool bad;
};

static inline const uint8_t *mgr_take(struct mgr_reader *reader, size_t len)
{
    if (reader->bad || len > reader->left) {
        reader->bad = true;
        return NULL;
    }
    const uint8_t *at = reader->at;
    reader->at += len;
    reader->left -= len;
    return at;
}

static inline uint64_t mgr_get(struct mgr_reader *reader, size_t len)
{
    uint64_t value = 0;
    const uint8_t *at = mgr_take(reader, len);
    if (at)
        memcpy(&value, at, len);
    return value;
}

static inline uint16_t mgr_get_u16(struct mgr_reader *reader)
{
    return (uint16_t)mgr_get(reader, 2);
}

static inline uint32_t mgr_get_u32(struct mgr_reader *reader)
{
    return (uint32_t)mgr_get(reader, 4);
}

static inline uint64_t mgr_get_u64(struct mgr_reader *reader)
{
    return mgr_get(reader, 8);
}

#endif
