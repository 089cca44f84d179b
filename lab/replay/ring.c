#include "lab/replay/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC = 0x4d474c52, VERSION = 1, RING_MIN = 1 << 20 };

_Static_assert(MGR_RING_STAGE_FROM * 8 <= RING_MIN, "the smallest ring holds a few entries");

static uint8_t *ring_bytes(const struct mgr_ring *ring)
{
    return (uint8_t *)ring->head + MGR_RING_PAGE;
}

static uint8_t *stage_bytes(const struct mgr_ring *ring)
{
    return ring_bytes(ring) + ring->ring_size;
}

uint8_t *mgr_ring_reply(const struct mgr_ring *ring)
{
    return stage_bytes(ring) + ring->stage_size;
}

static size_t total_size(uint64_t ring_size, uint64_t stage_size)
{
    return MGR_RING_PAGE + (size_t)ring_size + (size_t)stage_size + MGR_RING_REPLY;
}

static bool map(struct mgr_ring *ring, size_t size, int fd, struct mgc_error *err)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED | MAP_NORESERVE;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (at == MAP_FAILED)
        return mgc_error_errno(err, errno, "cannot map %zu bytes for a ring", size);
    ring->head = at;
    ring->mapped = size;
    return true;
}

static bool create(
    struct mgr_ring *ring, int64_t ring_mb, int64_t stage_mb, int fd, struct mgc_error *err)
{
    *ring = (struct mgr_ring){
        .ring_size = (uint64_t)ring_mb << 20, .stage_size = (uint64_t)stage_mb << 20};
    size_t size = total_size(ring->ring_size, ring->stage_size);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0)
        return mgc_error_errno(err, errno, "cannot size a ring of %zu bytes", size);
    if (!map(ring, size, fd, err))
        return false;
    ring->head->magic = MAGIC;
    ring->head->version = VERSION;
    ring->head->ring_size = ring->ring_size;
    ring->head->stage_size = ring->stage_size;
    return true;
}

bool mgr_ring_create(
    struct mgr_ring *ring, int64_t ring_mb, int64_t stage_mb, struct mgc_error *err)
{
    return create(ring, ring_mb, stage_mb, -1, err);
}

bool mgr_ring_create_shared(
    struct mgr_ring *ring, int64_t ring_mb, int64_t stage_mb, int *ret_fd, struct mgc_error *err)
{
    /* Anonymous: nothing in /dev/shm to be left behind. */
    int fd = memfd_create("mgl-ring", MFD_CLOEXEC);
    if (fd < 0)
        return mgc_error_errno(err, errno, "memfd_create");
    if (!create(ring, ring_mb, stage_mb, fd, err)) {
        close(fd);
        return false;
    }
    *ret_fd = fd;
    return true;
}

bool mgr_ring_map(struct mgr_ring *ring, int fd, struct mgc_error *err)
{
    struct stat info;
    *ring = (struct mgr_ring){0};
    if (fstat(fd, &info) != 0)
        return mgc_error_errno(err, errno, "fstat of a ring");
    if ((uint64_t)info.st_size < total_size(0, 0))
        return mgc_error_set(err, MGC_E_PROTOCOL, "a ring of %lld bytes", (long long)info.st_size);
    if (!map(ring, (size_t)info.st_size, fd, err))
        return false;
    ring->ring_size = ring->head->ring_size;
    ring->stage_size = ring->head->stage_size;
    if (ring->head->magic == MAGIC && ring->head->version == VERSION &&
        ring->ring_size >= RING_MIN && ring->ring_size % 8 == 0 &&
        ring->ring_size <= ring->mapped && ring->stage_size >= RING_MIN &&
        ring->stage_size % 8 == 0 && ring->stage_size <= ring->mapped &&
        total_size(ring->ring_size, ring->stage_size) == ring->mapped)
        return true;
    mgr_ring_close(ring);
    return mgc_error_set(err, MGC_E_PROTOCOL, "the head of a ring does not fit its size");
}

void mgr_ring_close(struct mgr_ring *ring)
{
    if (!ring)
        return;
    if (ring->head)
        munmap(ring->head, ring->mapped);
    ring->head = NULL;
}

void mgr_ring_bell_client(const struct mgr_ring *ring, struct mgr_bell *bell)
{
    bell->own_parked = &ring->head->client_parked;
    bell->peer_parked = &ring->head->server_parked;
    bell->failed = &ring->head->failed;
}

void mgr_ring_bell_server(const struct mgr_ring *ring, struct mgr_bell *bell)
{
    bell->own_parked = &ring->head->server_parked;
    bell->peer_parked = &ring->head->client_parked;
    bell->failed = &ring->head->failed;
}

/* --- producer ------------------------------------------------------------------------------- */

/* A wait for a position that the consumer moves. */
struct target {
    _Atomic uint64_t *position;
    uint64_t at_least;
};

static bool reached(void *user)
{
    const struct target *target = user;
    return atomic_load_explicit(target->position, memory_order_acquire) >= target->at_least;
}

/* Where something is to go: positions of the used end and of the new one, and the size of all. */
struct span {
    uint64_t used, end, size;
};

/* Wait until the room up to the new end is free, or all of it is. */
static bool await_room(struct mgr_ring *ring, struct mgr_bell *bell, _Atomic uint64_t *freed,
    const struct span *span, int64_t deadline_ns, struct mgc_error *err)
{
    struct target room = {freed, span->end > span->size ? span->end - span->size : 0};
    if (room.at_least > span->used)
        room.at_least = span->used;
    if (reached(&room))
        return true;
    ring->waits++;
    return mgr_bell_wait(bell, reached, &room, deadline_ns, "room in the ring", err);
}

static void write_head(uint8_t *at, uint32_t size, enum mgr_entry kind)
{
    uint32_t words[2] = {size, kind};
    memcpy(at, words, sizeof(words));
}

/* Room for an entry in one piece; pads the end of the ring when it is too short. */
static uint8_t *reserve(struct mgr_ring *ring, struct mgr_bell *bell, uint32_t size,
    int64_t deadline_ns, struct mgc_error *err)
{
    uint64_t offset = ring->at % ring->ring_size, rest = ring->ring_size - offset;
    bool wrap = rest < size;
    struct span span = {ring->at, ring->at + (wrap ? rest : 0) + size, ring->ring_size};
    if (!await_room(ring, bell, &ring->head->consumed, &span, deadline_ns, err))
        return NULL;
    if (wrap) {
        write_head(ring_bytes(ring) + offset, (uint32_t)rest, MGR_ENTRY_PAD);
        ring->at += rest;
        ring->pads++;
    }
    ring->wraps += ring->at > 0 && ring->at % ring->ring_size == 0;
    return ring_bytes(ring) + ring->at % ring->ring_size;
}

static void publish(struct mgr_ring *ring, struct mgr_bell *bell, uint32_t size)
{
    ring->at += size;
    ring->entry_bytes += size;
    atomic_store_explicit(&ring->head->published, ring->at, memory_order_release);
    mgr_bell_ring(bell);
}

static bool put(struct mgr_ring *ring, struct mgr_bell *bell, enum mgr_entry kind,
    const void *payload, size_t len, int64_t deadline_ns, struct mgc_error *err)
{
    uint32_t size = (uint32_t)(MGR_ENTRY_HEAD + (len + 7) / 8 * 8);
    uint8_t *at = reserve(ring, bell, size, deadline_ns, err);
    if (!at)
        return false;
    write_head(at, size, kind);
    if (len)
        memcpy(at + MGR_ENTRY_HEAD, payload, len);
    memset(at + MGR_ENTRY_HEAD + len, 0, size - MGR_ENTRY_HEAD - len);
    publish(ring, bell, size);
    return true;
}

static bool put_staged(struct mgr_ring *ring, struct mgr_bell *bell, const void *record, size_t len,
    int64_t deadline_ns, struct mgc_error *err)
{
    if (len > ring->stage_size)
        return mgc_error_set(err, MGC_E_USAGE,
            "a record of %zu bytes does not fit the stage segment of %llu bytes", len,
            (unsigned long long)ring->stage_size);
    uint64_t rest = ring->stage_size - ring->stage_at % ring->stage_size;
    uint64_t start = ring->stage_at + (rest < len ? rest : 0);
    struct span span = {ring->stage_at, start + (len + 7) / 8 * 8, ring->stage_size};
    if (!await_room(ring, bell, &ring->head->stage_freed, &span, deadline_ns, err))
        return false;
    memcpy(stage_bytes(ring) + start % ring->stage_size, record, len);
    ring->stage_at = span.end;
    ring->stage_bytes += len;
    uint64_t where[2] = {start, len};
    return put(ring, bell, MGR_ENTRY_STAGED, where, sizeof(where), deadline_ns, err);
}

bool mgr_ring_put_record(struct mgr_ring *ring, struct mgr_bell *bell, const void *record,
    size_t len, int64_t deadline_ns, struct mgc_error *err)
{
    if (len > MGR_RING_STAGE_FROM)
        return put_staged(ring, bell, record, len, deadline_ns, err);
    return put(ring, bell, MGR_ENTRY_RECORD, record, len, deadline_ns, err);
}

bool mgr_ring_put_mark(struct mgr_ring *ring, struct mgr_bell *bell, enum mgr_entry kind,
    int64_t deadline_ns, struct mgc_error *err)
{
    return put(ring, bell, kind, NULL, 0, deadline_ns, err);
}

bool mgr_ring_drain(
    struct mgr_ring *ring, struct mgr_bell *bell, int64_t deadline_ns, struct mgc_error *err)
{
    struct target all = {&ring->head->consumed, ring->at};
    return mgr_bell_wait(bell, reached, &all, deadline_ns, "reply", err);
}

/* --- consumer ------------------------------------------------------------------------------- */

static bool bad(const char *what, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_PROTOCOL, "ring entry: %s", what);
}

/* Size and kind of the entry at the own position; published - at bytes are there. */
static bool read_head(
    struct mgr_ring *ring, uint32_t *ret_size, uint32_t *ret_kind, struct mgc_error *err)
{
    uint64_t offset = ring->at % ring->ring_size;
    uint64_t there = atomic_load_explicit(&ring->head->published, memory_order_acquire) - ring->at;
    uint32_t words[2];
    memcpy(words, ring_bytes(ring) + offset, sizeof(words));
    if (words[0] < MGR_ENTRY_HEAD || words[0] % 8 || words[0] > ring->ring_size - offset ||
        words[0] > there)
        return bad("its size does not fit the ring", err);
    *ret_size = words[0];
    *ret_kind = words[1];
    return true;
}

static bool find_staged(struct mgr_ring *ring, const uint8_t *payload, size_t len,
    const uint8_t **ret_data, size_t *ret_len, struct mgc_error *err)
{
    uint64_t where[2];
    if (len != sizeof(where))
        return bad("a staged record without its place", err);
    memcpy(where, payload, sizeof(where));
    uint64_t offset = where[0] % ring->stage_size;
    if (where[0] < ring->stage_at || where[1] > ring->stage_size - offset)
        return bad("a staged record outside the stage", err);
    *ret_data = stage_bytes(ring) + offset;
    *ret_len = (size_t)where[1];
    ring->stage_at = where[0] + (where[1] + 7) / 8 * 8;
    return true;
}

bool mgr_ring_take(struct mgr_ring *ring, struct mgr_bell *bell, enum mgr_entry *ret_kind,
    const uint8_t **ret_data, size_t *ret_len, int64_t deadline_ns, struct mgc_error *err)
{
    for (;;) {
        struct target more = {&ring->head->published, ring->at + 1};
        uint32_t size = 0, kind = 0;
        if (!mgr_bell_wait(bell, reached, &more, deadline_ns, "records", err) ||
            !read_head(ring, &size, &kind, err))
            return false;
        const uint8_t *payload = ring_bytes(ring) + ring->at % ring->ring_size + MGR_ENTRY_HEAD;
        ring->at += size;
        if (kind == MGR_ENTRY_PAD)
            continue;
        if (kind < MGR_ENTRY_RECORD || kind > MGR_ENTRY_BYE)
            return bad("unknown kind", err);
        *ret_kind = (enum mgr_entry)kind;
        *ret_data = payload;
        *ret_len = size - MGR_ENTRY_HEAD;
        return kind != MGR_ENTRY_STAGED ||
               find_staged(ring, payload, *ret_len, ret_data, ret_len, err);
    }
}

void mgr_ring_fail(struct mgr_ring *ring, struct mgr_bell *bell)
{
    atomic_store(&ring->head->failed, 1);
    mgr_bell_ring(bell);
}

void mgr_ring_done(struct mgr_ring *ring, struct mgr_bell *bell)
{
    atomic_store_explicit(&ring->head->stage_freed, ring->stage_at, memory_order_release);
    atomic_store_explicit(&ring->head->consumed, ring->at, memory_order_release);
    mgr_bell_ring(bell);
}
