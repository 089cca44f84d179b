/* The memory that client and renderer share in the arms inproc and shm: a ring of entries, a stage
 * segment for large records, and a place for a picture that is read back.
 *
 *   page 0     struct mgr_ring_head: positions and flags
 *   page 1     ring, ring_size bytes
 *   then       stage, stage_size bytes
 *   then       reply, MGR_RING_REPLY bytes
 *
 * A ring entry is u32 size (a multiple of 8, these 8 bytes included), u32 kind, and a payload:
 *
 *   RECORD     a wire record (record.h), padded with zeros
 *   STAGED     u64 stage position, u64 bytes: a wire record that lies in the stage
 *   PAD        nothing; the rest of the ring before its start
 *   READBACK   nothing; the picture goes to the reply
 *   BYE        nothing; the last entry
 *
 * Entries and staged records do not wrap around. Positions count bytes since the start and grow for
 * ever. One producer, one consumer. The producer is trusted not to change what it has published;
 * sizes and positions are checked.
 */
#ifndef MGC_LAB_REPLAY_RING_H
#define MGC_LAB_REPLAY_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/replay/bell.h"

enum mgr_entry {
    MGR_ENTRY_RECORD = 1,
    MGR_ENTRY_STAGED = 2,
    MGR_ENTRY_PAD = 3,
    MGR_ENTRY_READBACK = 4,
    MGR_ENTRY_BYE = 5,
};

enum {
    MGR_RING_PAGE = 4096,
    MGR_ENTRY_HEAD = 8,
    MGR_RING_STAGE_FROM = 16 << 10, /* longer records go through the stage */
};
#define MGR_RING_REPLY ((size_t)64 << 20) /* the largest picture; pages come when they are used */

struct mgr_ring_head {
    uint32_t magic, version;
    uint64_t ring_size, stage_size; /* bytes */
    /* Written by the producer. */
    _Alignas(64) _Atomic uint64_t published;
    _Atomic uint32_t client_parked;
    /* Written by the consumer. */
    _Alignas(64) _Atomic uint64_t consumed; /* applied up to here */
    _Atomic uint64_t stage_freed;
    _Atomic uint32_t presents, readbacks, server_parked;
    _Atomic uint32_t failed; /* the consumer gave up */
};

/* One side's view. Zeroed is a valid closed one. */
struct mgr_ring {
    struct mgr_ring_head *head; /* owned mapping; NULL: closed */
    size_t mapped;
    uint64_t ring_size, stage_size; /* as they were at the opening */
    uint64_t at, stage_at;          /* own positions; the producer's may be ahead of `published` */
    /* Counted by the producer. */
    uint64_t entry_bytes, stage_bytes; /* put into ring and stage */
    uint64_t wraps, pads, waits;
};

/* Anonymous memory for threads of one process. */
bool mgr_ring_create(
    struct mgr_ring *ring, int64_t ring_mb, int64_t stage_mb, struct mgc_error *err);
/* A memfd to hand to another process; the ring is mapped here. *ret_fd is the caller's. */
bool mgr_ring_create_shared(
    struct mgr_ring *ring, int64_t ring_mb, int64_t stage_mb, int *ret_fd, struct mgc_error *err);
/* The other side of a memfd; checks head and size. The fd stays the caller's. */
bool mgr_ring_map(struct mgr_ring *ring, int fd, struct mgc_error *err);
void mgr_ring_close(struct mgr_ring *ring); /* takes NULL and a closed one */

uint8_t *mgr_ring_reply(const struct mgr_ring *ring);

/* The producer's and the consumer's bell over this ring. */
void mgr_ring_bell_client(const struct mgr_ring *ring, struct mgr_bell *bell);
void mgr_ring_bell_server(const struct mgr_ring *ring, struct mgr_bell *bell);

/* Producer: put one whole wire record or an entry without payload, and publish it. Waits for room;
 * errors are mgr_bell_wait's, and MGC_E_USAGE for a record that the stage can never hold. */
bool mgr_ring_put_record(struct mgr_ring *ring, struct mgr_bell *bell, const void *record,
    size_t len, int64_t deadline_ns, struct mgc_error *err);
bool mgr_ring_put_mark(struct mgr_ring *ring, struct mgr_bell *bell, enum mgr_entry kind,
    int64_t deadline_ns, struct mgc_error *err);
/* Producer: wait until everything put was applied. */
bool mgr_ring_drain(
    struct mgr_ring *ring, struct mgr_bell *bell, int64_t deadline_ns, struct mgc_error *err);

/* Consumer: wait for the next entry that is not a pad. *ret_data and *ret_len are its record (also
 * when it is staged), borrowed until mgr_ring_done. */
bool mgr_ring_take(struct mgr_ring *ring, struct mgr_bell *bell, enum mgr_entry *ret_kind,
    const uint8_t **ret_data, size_t *ret_len, int64_t deadline_ns, struct mgc_error *err);
/* Consumer: the entry was applied; its room is free again. */
void mgr_ring_done(struct mgr_ring *ring, struct mgr_bell *bell);
/* Consumer: no more entries will be applied; the producer's waits end with MGC_E_LOST. */
void mgr_ring_fail(struct mgr_ring *ring, struct mgr_bell *bell);

#endif
