/* The phone's log: the newest entries up to a number of bytes. Pure data, no I/O.
 *
 * Every entry has a sequence number; a reader keeps the number it wants next and learns from
 * mgl_log_ring_first whether the ring has moved past it. */
#ifndef MGC_LAB_PHONE_LOG_RING_H
#define MGC_LAB_PHONE_LOG_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/phone/logd.h"

enum {
    MGL_LOG_RING_DEFAULT = 256 * 1024, /* as on a phone */
    MGL_LOG_RING_MIN = 64 * 1024,
    MGL_LOG_RING_MAX = 256 * 1024 * 1024,
    MGL_LOG_RECORD_HEAD = 8,
};

/* Record: 4 bytes pid, 4 bytes uid (little endian), then the datagram of logd.h. */
struct mgl_log_record {
    uint32_t pid, uid;
    struct mgl_logd_entry entry;
};

bool mgl_log_record_decode(const uint8_t *data, size_t len, struct mgl_log_record *ret_record);

struct mgl_log_slot {
    uint8_t *record; /* owned */
    size_t len;
};

struct mgl_log_ring {
    struct mgl_log_slot *slots; /* owned; slot_count is 0 or a power of two */
    size_t slot_count;
    uint64_t first, end; /* sequence numbers: [first, end) are there */
    size_t used_bytes, max_bytes;
};

void mgl_log_ring_init(struct mgl_log_ring *ring);
void mgl_log_ring_destroy(struct mgl_log_ring *ring); /* takes NULL and zeroed */
/* A datagram that is not valid is dropped: false. */
bool mgl_log_ring_add(
    struct mgl_log_ring *ring, uint32_t pid, uint32_t uid, const uint8_t *datagram, size_t len);
void mgl_log_ring_clear(struct mgl_log_ring *ring);
/* Drops the oldest entries that no longer fit; bytes within MIN..MAX, else false. */
bool mgl_log_ring_resize(struct mgl_log_ring *ring, size_t max_bytes);
/* Borrowed until the next change; NULL outside [first, end). */
const struct mgl_log_slot *mgl_log_ring_get(const struct mgl_log_ring *ring, uint64_t sequence);

#endif
