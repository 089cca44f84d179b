/* Any bytes as a published ring: a consumer takes what it can and never leaves the mapping. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lab/replay/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static volatile uint8_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct mgr_ring ring;
    if (!ring.head && !mgr_ring_create(&ring, 1, 1, NULL))
        return 0;
    struct mgr_bell bell = {.ring_fd = -1, .wait_fd = -1, .peer_fd = -1};
    enum mgr_entry kind;
    const uint8_t *entry;
    size_t entry_len;
    if (len > 4096)
        len = 4096;
    mgr_ring_bell_server(&ring, &bell);
    memcpy((uint8_t *)ring.head + MGR_RING_PAGE, data, len);
    atomic_store(&ring.head->published, len);
    ring.at = ring.stage_at = 0;
    while (mgr_ring_take(&ring, &bell, &kind, &entry, &entry_len, 0, NULL)) {
        if (entry_len)
            sink = (uint8_t)(entry[0] ^ entry[entry_len - 1]);
        mgr_ring_done(&ring, &bell);
    }
    return 0;
}
