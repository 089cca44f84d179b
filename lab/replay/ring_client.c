#include "lab/replay/ring_client.h"

#include <string.h>

#include "common/base/clock.h"
#include "lab/replay/record.h"

enum { BREAK_OFF_MS = 500 }; /* patience of a client that is giving up */

static int64_t budget(const struct mgr_ring_client *client)
{
    return mgc_deadline_in_ms(client->env->cold_start_ms);
}

bool mgr_ring_client_run_ahead(void *state)
{
    (void)state;
    return true; /* a consumer of a ring takes records whenever they come */
}

/* Bytes of the record at the start of data. */
static size_t record_size(const uint8_t *data, size_t len)
{
    uint32_t payload;
    if (len < MGR_RECORD_HEAD)
        return 0;
    memcpy(&payload, data + 4, sizeof(payload));
    return payload <= len - MGR_RECORD_HEAD ? MGR_RECORD_HEAD + payload : 0;
}

bool mgr_ring_client_send(void *state, const void *records, size_t len, struct mgc_error *err)
{
    struct mgr_ring_client *client = state;
    const uint8_t *data = records;
    int64_t deadline_ns = budget(client);
    for (size_t at = 0, size; at < len; at += size) {
        size = record_size(data + at, len - at);
        if (!size)
            return mgc_error_set(err, MGC_E_PROTOCOL, "a batch ends inside a record");
        if (!mgr_ring_put_record(&client->ring, &client->bell, data + at, size, deadline_ns, err))
            return false;
    }
    return true;
}

struct presents {
    struct mgr_ring_client *client;
    uint32_t in_flight;
};

static bool few_enough(void *user)
{
    const struct presents *wanted = user;
    uint32_t drawn =
        atomic_load_explicit(&wanted->client->ring.head->presents, memory_order_acquire);
    return wanted->client->presents - drawn <= wanted->in_flight;
}

bool mgr_ring_client_await(void *state, uint32_t in_flight, struct mgc_error *err)
{
    struct mgr_ring_client *client = state;
    struct presents wanted = {client, in_flight};
    return mgr_bell_wait(&client->bell, few_enough, &wanted, budget(client), "present credit", err);
}

void mgr_ring_client_presented(void *state)
{
    ((struct mgr_ring_client *)state)->presents++;
}

bool mgr_ring_client_sync(void *state, struct mgc_error *err)
{
    struct mgr_ring_client *client = state;
    return mgr_ring_drain(&client->ring, &client->bell, budget(client), err);
}

bool mgr_ring_client_read(void *state, uint32_t *pixels, size_t count, struct mgc_error *err)
{
    struct mgr_ring_client *client = state;
    if (count * sizeof(*pixels) > MGR_RING_REPLY)
        return mgc_error_set(err, MGC_E_FAILED, "a read-back of %zu pixels is too large", count);
    if (!mgr_ring_put_mark(&client->ring, &client->bell, MGR_ENTRY_READBACK, budget(client), err) ||
        !mgr_ring_client_sync(state, err))
        return false;
    memcpy(pixels, mgr_ring_reply(&client->ring), count * sizeof(*pixels));
    return true;
}

void mgr_ring_client_stats(void *state, struct mgr_pipestats *stats, struct mgr_moved *ret_moved)
{
    struct mgr_ring_client *client = state;
    const struct mgr_ring *ring = &client->ring;
    uint64_t bytes = ring->entry_bytes + ring->stage_bytes;
    stats->segment_bytes = ring->stage_bytes;
    stats->ring_wraps = ring->wraps;
    stats->ring_pads = ring->pads;
    stats->ring_waits = ring->waits;
    stats->client_waits = atomic_load(&client->bell.waits);
    stats->client_parks = atomic_load(&client->bell.parks);
    *ret_moved = (struct mgr_moved){
        .ring = client->shared ? 0 : bytes, .shared = client->shared ? bytes : 0};
}

bool mgr_ring_client_bye(struct mgr_ring_client *client, bool complete, struct mgc_error *err)
{
    int64_t deadline_ns = complete ? budget(client) : mgc_deadline_in_ms(BREAK_OFF_MS);
    return mgr_ring_put_mark(&client->ring, &client->bell, MGR_ENTRY_BYE, deadline_ns, err) &&
           (!complete || mgr_ring_client_sync(client, err));
}
