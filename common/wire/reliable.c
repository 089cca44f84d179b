#include "common/wire/reliable.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

enum { PENDING_MAX = 4096, BACKOFF_MAX = 8 };
static const size_t PENDING_BYTES_MAX = (size_t)16 << 20;

struct frame {
    struct frame *next;
    size_t len;
    unsigned char data[];
};

struct mgc_outbox {
    struct frame *oldest, *newest; /* owned; consecutive numbers from oldest_mid */
    uint64_t oldest_mid;           /* number of `oldest`, or of the next frame when there is none */
    size_t pending;
    size_t pending_bytes;
    int64_t resend_ns;
    int64_t backoff; /* 1, 2, 4, 8 times resend_ns */
    int64_t due_ns;
};

struct mgc_outbox *mgc_outbox_new(int64_t resend_ms)
{
    struct mgc_outbox *box = calloc(1, sizeof(*box));
    if (!box)
        return NULL;
    box->oldest_mid = 1;
    box->resend_ns = resend_ms * MGC_NS_PER_MS;
    box->backoff = 1;
    box->due_ns = MGC_NEVER;
    return box;
}

static void drop_oldest(struct mgc_outbox *box)
{
    struct frame *frame = box->oldest;
    box->oldest = frame->next;
    if (!box->oldest)
        box->newest = NULL;
    box->oldest_mid++;
    box->pending--;
    box->pending_bytes -= frame->len;
    free(frame);
}

void mgc_outbox_free(struct mgc_outbox *box)
{
    if (!box)
        return;
    while (box->oldest)
        drop_oldest(box);
    free(box);
}

uint64_t mgc_outbox_next_mid(const struct mgc_outbox *box)
{
    return box->oldest_mid + box->pending;
}

static struct frame *copy_frame(const void *data, size_t len)
{
    struct frame *frame = malloc(sizeof(*frame) + len);
    if (!frame)
        return NULL;
    frame->next = NULL;
    frame->len = len;
    if (len)
        memcpy(frame->data, data, len);
    return frame;
}

bool mgc_outbox_push(
    struct mgc_outbox *box, const void *data, size_t len, int64_t now_ns, struct mgc_error *err)
{
    if (box->pending == PENDING_MAX || len > PENDING_BYTES_MAX - box->pending_bytes)
        return mgc_error_set(err, MGC_E_NO_MEMORY,
            "%zu messages (%zu bytes) wait to be acknowledged, no more are kept", box->pending,
            box->pending_bytes);
    struct frame *frame = copy_frame(data, len);
    if (!frame)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to keep a message of %zu bytes", len);
    if (box->newest)
        box->newest->next = frame;
    else
        box->oldest = frame;
    box->newest = frame;
    if (box->pending++ == 0)
        box->due_ns = now_ns + box->resend_ns;
    box->pending_bytes += len;
    return true;
}

void mgc_outbox_acked(struct mgc_outbox *box, uint64_t upto, int64_t now_ns)
{
    bool progress = false;
    while (box->oldest && box->oldest_mid <= upto) {
        drop_oldest(box);
        progress = true;
    }
    if (!progress)
        return;
    box->backoff = 1;
    box->due_ns = box->pending ? now_ns + box->resend_ns : MGC_NEVER;
}

size_t mgc_outbox_pending(const struct mgc_outbox *box)
{
    return box->pending;
}

int64_t mgc_outbox_due(const struct mgc_outbox *box)
{
    return box->due_ns;
}

void mgc_outbox_repeat(struct mgc_outbox *box, int64_t now_ns,
    void (*send)(void *user, const void *frame, size_t len), void *user)
{
    if (!box->pending || now_ns < box->due_ns)
        return;
    for (const struct frame *frame = box->oldest; frame; frame = frame->next)
        send(user, frame->data, frame->len);
    if (box->backoff < BACKOFF_MAX)
        box->backoff *= 2;
    box->due_ns = now_ns + box->backoff * box->resend_ns;
}

enum mgc_inbox_verdict mgc_inbox_take(struct mgc_inbox *inbox, uint64_t mid)
{
    if (mid <= inbox->last)
        return MGC_INBOX_DUPLICATE;
    if (mid != inbox->last + 1)
        return MGC_INBOX_GAP;
    inbox->last = mid;
    return MGC_INBOX_DELIVER;
}
