/* One direction of the link: which packet leaves when, and which is dropped. Pure: time is an
 * argument, packets are pointers that are handed back.
 *
 *   offered --room--> waiting --sent, one after the other--> in flight --due--> taken
 *      +--no room, or lost at random--> refused
 *
 * A packet is sent when the one before it has been, outside a stall, and not while the phone
 * dozes; it is in flight for the delay and its jitter. The queue is counted in bytes that wait: in
 * time, a stall would look like a backlog and drop what a real queue keeps. */
#ifndef MGC_LAB_LINK_QUEUE_H
#define MGC_LAB_LINK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/link/mood.h"

struct mgc_lab_link_slot {
    void *packet;
    int64_t bytes;
    int64_t at_ns; /* arrival while it waits, due time in flight */
};

struct mgc_lab_link_queue {
    const struct mgc_lab_link_profile *profile; /* borrowed */
    struct mgc_lab_link_mood mood;
    uint64_t random;
    bool to_phone;       /* only this direction waits for a dozing phone */
    int64_t *active_ns;  /* borrowed: last time that either direction sent */
    int64_t free_ns;     /* when the packet before is sent */
    int64_t last_due_ns; /* nobody may be due before the one in front */
    int64_t waiting_bytes;
    struct mgc_lab_link_slot *slots; /* owned ring; [head, sent) in flight, [sent, tail) waiting */
    uint32_t head, sent, tail, mask;
    uint64_t refused_full, refused_lost, taken;
};

/* What two directions share. */
struct mgc_lab_link_queue_setup {
    const struct mgc_lab_link_profile *profile;
    int64_t *active_ns;
    uint64_t seed;
    bool to_phone;
};

/* Room for 2^bits packets, waiting and in flight together. */
bool mgc_lab_link_queue_init(struct mgc_lab_link_queue *queue,
    const struct mgc_lab_link_queue_setup *setup, unsigned bits, struct mgc_error *err);
/* Frees the ring; take what is in it with _drop first. Takes a zeroed one. */
void mgc_lab_link_queue_destroy(struct mgc_lab_link_queue *queue);

/* After *profile has changed: new moods from now on. Packets in flight stay due as they are. */
void mgc_lab_link_queue_renew(struct mgc_lab_link_queue *queue, uint64_t seed, int64_t now_ns);

/* False: dropped, the packet stays the caller's. */
bool mgc_lab_link_queue_offer(
    struct mgc_lab_link_queue *queue, void *packet, int64_t bytes, int64_t now_ns);
/* The next packet that is due; NULL: none now. */
void *mgc_lab_link_queue_take(struct mgc_lab_link_queue *queue, int64_t now_ns);
/* Any packet, due or not, waiting or in flight; NULL: empty. For a link that is cut. */
void *mgc_lab_link_queue_drop(struct mgc_lab_link_queue *queue);
/* When take may have something that it has not now; MGC_NEVER when empty. */
int64_t mgc_lab_link_queue_next(struct mgc_lab_link_queue *queue, int64_t now_ns);

#endif
