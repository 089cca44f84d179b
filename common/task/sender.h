/* Sends artifacts in chunks as far as the coordinator's credit reaches.
 *
 * The receiver leads. After a RESULT it sends a CREDIT per file: `received` says where the next
 * byte is wanted, `limit` how far may be sent, so limit - received bounds the bytes in flight.
 * Credits and chunks may get lost. The rules:
 *
 *   first credit of a session, or `received` went back: send from `received`
 *   the very same credit again: what was sent after it was lost, send from `received` once more
 *   otherwise: go on where sending stopped, up to the new limit
 *
 * Belongs to the loop's thread.
 */
#ifndef MGC_TASK_SENDER_H
#define MGC_TASK_SENDER_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/task/results.h"
#include "common/wire/msg.h"

enum { MGC_CHUNK_MAX = 128 * 1024 };

struct mgc_sender; /* opaque */

/* `send` gives a CHUNK message, with its body, to the bus. */
typedef bool mgc_sender_send(void *user, struct mgc_msg *chunk, struct mgc_error *err);

struct mgc_sender *mgc_sender_new(mgc_sender_send *send, void *user);
void mgc_sender_free(struct mgc_sender *sender); /* takes NULL */

/* A new session: forget what was sent. */
void mgc_sender_reset(struct mgc_sender *sender);
/* The result of this task is acknowledged. */
void mgc_sender_forget(struct mgc_sender *sender, uint64_t task_id);

/* Act on a credit. After a failed send the next credit, a repeated one too, goes on from the chunk
 * that failed. */
bool mgc_sender_credit(struct mgc_sender *sender, const struct mgc_results *results,
    const struct mgc_msg_credit *credit, struct mgc_error *err);

#endif
