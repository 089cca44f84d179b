#include "lab/link/queue.h"

#include <stdlib.h>

#include "common/base/clock.h"

enum { MILLION = 1000000 };

bool mgc_lab_link_queue_init(struct mgc_lab_link_queue *queue,
    const struct mgc_lab_link_queue_setup *setup, unsigned bits, struct mgc_error *err)
{
    *queue = (struct mgc_lab_link_queue){.profile = setup->profile,
        .active_ns = setup->active_ns,
        .to_phone = setup->to_phone,
        .random = setup->seed + (setup->to_phone ? 1 : 2),
        .mask = (UINT32_C(1) << bits) - 1};
    queue->slots = calloc((size_t)queue->mask + 1, sizeof *queue->slots);
    return queue->slots != NULL || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a queue");
}

void mgc_lab_link_queue_destroy(struct mgc_lab_link_queue *queue)
{
    free(queue->slots);
    *queue = (struct mgc_lab_link_queue){0};
}

void mgc_lab_link_queue_renew(struct mgc_lab_link_queue *queue, uint64_t seed, int64_t now_ns)
{
    mgc_lab_link_mood_init(&queue->mood, queue->profile, seed, now_ns);
    /* What the old rate had still to send is not the new one's burden. */
    if (queue->free_ns > now_ns)
        queue->free_ns = now_ns;
}

static struct mgc_lab_link_slot *slot(struct mgc_lab_link_queue *queue, uint32_t index)
{
    return &queue->slots[index & queue->mask];
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A phone that heard nothing for a while is reached only at a beacon. */
static int64_t when_listening(const struct mgc_lab_link_queue *queue, int64_t at_ns)
{
    int64_t beacon = queue->profile->doze.beacon_ns;
    if (!queue->to_phone || beacon == 0 ||
        at_ns - *queue->active_ns <= queue->profile->doze.idle_ns)
        return at_ns;
    return (at_ns + beacon - 1) / beacon * beacon;
}

static int64_t send_start(struct mgc_lab_link_queue *queue)
{
    int64_t at = later(queue->free_ns, slot(queue, queue->sent)->at_ns);
    return mgc_lab_link_mood_clear(&queue->mood, queue->profile, when_listening(queue, at));
}

static void send_one(struct mgc_lab_link_queue *queue, int64_t start_ns)
{
    const struct mgc_lab_link_profile *profile = queue->profile;
    struct mgc_lab_link_slot *packet = slot(queue, queue->sent++);
    int64_t rate = mgc_lab_link_mood_rate(&queue->mood, profile, start_ns);
    int64_t done = start_ns + packet->bytes * 8 * MGC_NS_PER_S / rate;
    int64_t due = done + profile->delay_ns;
    if (profile->jitter_ns > 0)
        due += mgc_lab_link_random(&queue->random, profile->jitter_ns + 1);
    packet->at_ns = queue->last_due_ns = later(due, queue->last_due_ns);
    queue->free_ns = done;
    queue->waiting_bytes -= packet->bytes;
    *queue->active_ns = later(*queue->active_ns, done);
}

/* Decided no earlier than needed, so that a change of the profile concerns all that waits. */
static void advance(struct mgc_lab_link_queue *queue, int64_t now_ns)
{
    while (queue->sent != queue->tail) {
        int64_t start = send_start(queue);
        if (start > now_ns)
            return;
        send_one(queue, start);
    }
}

bool mgc_lab_link_queue_offer(
    struct mgc_lab_link_queue *queue, void *packet, int64_t bytes, int64_t now_ns)
{
    const struct mgc_lab_link_profile *profile = queue->profile;
    advance(queue, now_ns);
    if (queue->tail - queue->head > queue->mask ||
        queue->waiting_bytes + bytes > profile->queue_bytes) {
        queue->refused_full++;
        return false;
    }
    if (profile->loss_ppm > 0 && mgc_lab_link_random(&queue->random, MILLION) < profile->loss_ppm) {
        queue->refused_lost++;
        return false;
    }
    *slot(queue, queue->tail++) = (struct mgc_lab_link_slot){packet, bytes, now_ns};
    queue->waiting_bytes += bytes;
    advance(queue, now_ns); /* it may be its turn at once */
    return true;
}

void *mgc_lab_link_queue_take(struct mgc_lab_link_queue *queue, int64_t now_ns)
{
    advance(queue, now_ns);
    if (queue->head == queue->sent || slot(queue, queue->head)->at_ns > now_ns)
        return NULL;
    queue->taken++;
    return slot(queue, queue->head++)->packet;
}

void *mgc_lab_link_queue_drop(struct mgc_lab_link_queue *queue)
{
    if (queue->head == queue->tail)
        return NULL;
    if (queue->head == queue->sent) {
        queue->waiting_bytes -= slot(queue, queue->sent)->bytes;
        queue->sent++;
    }
    return slot(queue, queue->head++)->packet;
}

int64_t mgc_lab_link_queue_next(struct mgc_lab_link_queue *queue, int64_t now_ns)
{
    int64_t next = MGC_NEVER;
    advance(queue, now_ns);
    if (queue->head != queue->sent)
        next = slot(queue, queue->head)->at_ns;
    if (queue->sent != queue->tail)
        next = mgc_deadline_min(next, send_start(queue));
    return next;
}
