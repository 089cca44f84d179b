/* Exactly-once, in-order delivery of one direction of one session, over a socket that may lose
 * messages. Pure: no socket, time comes in as an argument.
 *
 * The sender numbers messages 1, 2, 3... and keeps each until a cumulative ack covers it; when
 * nothing is acknowledged for a while it sends everything again from the oldest, with back-off.
 * The receiver accepts only the next number. Both ends belong to one session epoch and die with it.
 */
#ifndef MGC_WIRE_RELIABLE_H
#define MGC_WIRE_RELIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct mgc_outbox; /* opaque */

/* First repeat after resend_ms, doubled up to 8 times that. */
struct mgc_outbox *mgc_outbox_new(int64_t resend_ms);
void mgc_outbox_free(struct mgc_outbox *box); /* takes NULL */

/* Number the next message will get. */
uint64_t mgc_outbox_next_mid(const struct mgc_outbox *box);
/* Keep a copy of an encoded frame that was given that number. MGC_E_NO_MEMORY beyond 4096 frames
 * or 16 MiB unacknowledged. */
bool mgc_outbox_push(
    struct mgc_outbox *box, const void *frame, size_t len, int64_t now_ns, struct mgc_error *err);
void mgc_outbox_acked(struct mgc_outbox *box, uint64_t upto, int64_t now_ns);
size_t mgc_outbox_pending(const struct mgc_outbox *box);
/* When the next repeat is due; MGC_NEVER when nothing is pending. */
int64_t mgc_outbox_due(const struct mgc_outbox *box);
/* If due, give every pending frame to `send` in order and set the next due time. `send` must not
 * call back into the box. */
void mgc_outbox_repeat(struct mgc_outbox *box, int64_t now_ns,
    void (*send)(void *user, const void *frame, size_t len), void *user);

struct mgc_inbox {
    uint64_t last; /* highest number delivered */
};

enum mgc_inbox_verdict {
    MGC_INBOX_DELIVER,
    MGC_INBOX_DUPLICATE, /* seen: acknowledge again, do not deliver */
    MGC_INBOX_GAP,       /* something before it was lost: drop, the sender repeats */
};

/* Judge an arriving number and move on when it is the next one. In every case the receiver then
 * acknowledges inbox->last. */
enum mgc_inbox_verdict mgc_inbox_take(struct mgc_inbox *inbox, uint64_t mid);

#endif
