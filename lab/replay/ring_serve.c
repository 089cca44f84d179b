#include "lab/replay/ring_serve.h"

#include <string.h>

#include "common/base/clock.h"

static bool apply_record(struct mgr_ring *ring, struct mgr_bell *bell, struct mgr_apply *apply,
    const uint8_t *data, size_t len, struct mgc_error *err)
{
    struct mgr_record record;
    size_t size;
    enum mgr_decode outcome = mgr_record_decode(data, len, &record, &size, err);
    if (outcome == MGR_DECODE_MORE)
        return mgc_error_set(err, MGC_E_PROTOCOL, "a ring entry ends inside a record");
    if (outcome != MGR_DECODE_OK || !mgr_apply_record(apply, &record, size, err))
        return false;
    if (record.kind == MGR_PRESENT)
        atomic_fetch_add(&ring->head->presents, 1);
    mgr_ring_done(ring, bell);
    if (record.kind == MGR_PRESENT)
        mgr_apply_frame(apply);
    return true;
}

/* The picture goes to the reply; whoever asked waits until its entry is done. */
static void read_back(struct mgr_ring *ring, struct mgr_bell *bell, const struct mgr_apply *apply)
{
    const struct mgr_image *picture = &apply->renderer.picture;
    memcpy(mgr_ring_reply(ring), picture->pixels,
        (size_t)picture->width * (size_t)picture->height * sizeof(*picture->pixels));
    mgr_ring_done(ring, bell);
}

static bool serve(
    struct mgr_ring *ring, struct mgr_bell *bell, struct mgr_apply *apply, struct mgc_error *err)
{
    for (;;) {
        enum mgr_entry kind;
        const uint8_t *data;
        size_t len;
        if (!mgr_ring_take(ring, bell, &kind, &data, &len, MGC_NEVER, err))
            return false;
        apply->waits.server_waits = atomic_load(&bell->waits);
        apply->waits.server_parks = atomic_load(&bell->parks);
        if (kind == MGR_ENTRY_READBACK) {
            read_back(ring, bell, apply);
        } else if (kind == MGR_ENTRY_BYE) {
            mgr_ring_done(ring, bell);
            return true;
        } else if (!apply_record(ring, bell, apply, data, len, err)) {
            return false;
        }
    }
}

bool mgr_ring_serve(
    struct mgr_ring *ring, struct mgr_bell *bell, struct mgr_apply *apply, struct mgc_error *err)
{
    mgr_apply_begin(apply);
    bool ok = serve(ring, bell, apply, err);
    if (!ok)
        mgr_ring_fail(ring, bell);
    return ok;
}
