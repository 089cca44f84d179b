#include "lab/phone/log_ring.h"

#include <stdlib.h>
#include <string.h>

#include "lab/phone/le.h"

bool mgl_log_record_decode(const uint8_t *data, size_t len, struct mgl_log_record *ret_record)
{
    struct mgl_log_record record;
    if (len < MGL_LOG_RECORD_HEAD ||
        !mgl_logd_decode(data + MGL_LOG_RECORD_HEAD, len - MGL_LOG_RECORD_HEAD, &record.entry))
        return false;
    record.pid = mgl_get_le32(data);
    record.uid = mgl_get_le32(data + 4);
    *ret_record = record;
    return true;
}

void mgl_log_ring_init(struct mgl_log_ring *ring)
{
    *ring = (struct mgl_log_ring){.max_bytes = MGL_LOG_RING_DEFAULT};
}

static struct mgl_log_slot *slot_of(const struct mgl_log_ring *ring, uint64_t sequence)
{
    return &ring->slots[sequence & (ring->slot_count - 1)];
}

static void drop_oldest(struct mgl_log_ring *ring)
{
    struct mgl_log_slot *slot = slot_of(ring, ring->first++);
    ring->used_bytes -= slot->len;
    free(slot->record);
    slot->record = NULL;
}

void mgl_log_ring_clear(struct mgl_log_ring *ring)
{
    while (ring->first < ring->end)
        drop_oldest(ring);
}

void mgl_log_ring_destroy(struct mgl_log_ring *ring)
{
    if (!ring)
        return;
    mgl_log_ring_clear(ring);
    free(ring->slots);
    *ring = (struct mgl_log_ring){.max_bytes = ring->max_bytes};
}

static bool grow(struct mgl_log_ring *ring)
{
    struct mgl_log_ring bigger = *ring;
    bigger.slot_count = ring->slot_count ? 2 * ring->slot_count : 1024;
    bigger.slots = calloc(bigger.slot_count, sizeof(*bigger.slots));
    if (!bigger.slots)
        return false;
    for (uint64_t i = ring->first; i < ring->end; i++)
        *slot_of(&bigger, i) = *slot_of(ring, i);
    free(ring->slots);
    *ring = bigger;
    return true;
}

bool mgl_log_ring_add(
    struct mgl_log_ring *ring, uint32_t pid, uint32_t uid, const uint8_t *datagram, size_t len)
{
    struct mgl_logd_entry entry;
    if (!mgl_logd_decode(datagram, len, &entry))
        return false;
    if (ring->end - ring->first == ring->slot_count && !grow(ring))
        return false;
    struct mgl_log_slot slot = {malloc(MGL_LOG_RECORD_HEAD + len), MGL_LOG_RECORD_HEAD + len};
    if (!slot.record)
        return false;
    mgl_put_le32(slot.record, pid);
    mgl_put_le32(slot.record + 4, uid);
    memcpy(slot.record + MGL_LOG_RECORD_HEAD, datagram, len);
    *slot_of(ring, ring->end++) = slot;
    ring->used_bytes += slot.len;
    while (ring->used_bytes > ring->max_bytes)
        drop_oldest(ring);
    return true;
}

bool mgl_log_ring_resize(struct mgl_log_ring *ring, size_t max_bytes)
{
    if (max_bytes < MGL_LOG_RING_MIN || max_bytes > MGL_LOG_RING_MAX)
        return false;
    ring->max_bytes = max_bytes;
    while (ring->used_bytes > ring->max_bytes)
        drop_oldest(ring);
    return true;
}

const struct mgl_log_slot *mgl_log_ring_get(const struct mgl_log_ring *ring, uint64_t sequence)
{
    if (sequence < ring->first || sequence >= ring->end)
        return NULL;
    return slot_of(ring, sequence);
}
