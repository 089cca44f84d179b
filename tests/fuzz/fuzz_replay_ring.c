/* Any bytes as a published ring, and as the head of one that another process shares: a consumer
 * takes what it can and never leaves the mapping. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lab/replay/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static volatile uint8_t sink;

static void take_all(struct mgr_ring *ring)
{
    struct mgr_bell bell = {.ring_fd = -1, .wait_fd = -1, .peer_fd = -1};
    enum mgr_entry kind;
    const uint8_t *entry;
    size_t entry_len;
    mgr_ring_bell_server(ring, &bell);
    while (mgr_ring_take(ring, &bell, &kind, &entry, &entry_len, 0, NULL)) {
        if (entry_len)
            sink = (uint8_t)(entry[0] ^ entry[entry_len - 1]);
        mgr_ring_done(ring, &bell);
    }
}

/* The bytes take the place of a good head from its second field on. */
static void map_shared(const uint8_t *data, size_t len)
{
    static struct mgr_ring made;
    static int fd = -1;
    static struct mgr_ring_head good;
    struct mgr_ring ring;
    if (fd < 0 && !mgr_ring_create_shared(&made, 1, 1, &fd, NULL))
        return;
    if (!good.magic)
        memcpy(&good, made.head, sizeof(good));
    memcpy(made.head, &good, sizeof(good));
    size_t from = offsetof(struct mgr_ring_head, ring_size);
    memcpy(
        (uint8_t *)made.head + from, data, len < sizeof(good) - from ? len : sizeof(good) - from);
    if (!mgr_ring_map(&ring, fd, NULL))
        return;
    take_all(&ring);
    mgr_ring_close(&ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct mgr_ring ring;
    if (!ring.head && !mgr_ring_create(&ring, 1, 1, NULL))
        return 0;
    if (len > 4096)
        len = 4096;
    map_shared(data, len);
    memcpy((uint8_t *)ring.head + MGR_RING_PAGE, data, len);
    atomic_store(&ring.head->published, len);
    ring.at = ring.stage_at = 0;
    take_all(&ring);
    return 0;
}
