/* Receiving one task's artifacts: chunk after chunk into files, hashed on the way, resumed at the
 * offset we have, checked against the manifest in the result.
 *
 * Artifacts come one at a time, and only when asked: a credit names the file, how much of it is
 * here and how far the worker may send. Bytes in flight are bounded to about 100 ms at the measured
 * rate. No sockets: credits go out through a callback, time is an argument. One thread.
 */
#ifndef MGC_STORE_RECEIVE_H
#define MGC_STORE_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/wire/msg.h"

struct mgc_receive; /* opaque */

/* `result` is copied as far as needed; `dir` is where the files go. A name that is not safe, or
 * that is in dir already, or a size beyond 2 GiB (4 GiB in all), makes the receiver fail at once
 * (see mgc_receive_error). NULL: no memory. */
struct mgc_receive *mgc_receive_new(const struct mgc_msg_result *result, const char *dir,
    void (*credit)(void *user, struct mgc_msg *msg), void *user, int64_t now_ns);
void mgc_receive_free(struct mgc_receive *receive); /* takes NULL; removes what is half there */

uint64_t mgc_receive_task_id(const struct mgc_receive *receive);
void mgc_receive_chunk(struct mgc_receive *receive, const struct mgc_msg_chunk *chunk,
    const void *data, size_t len, int64_t now_ns);
/* Repeat the credit when nothing has come for a while; fail after 30 s of nothing. */
void mgc_receive_tick(struct mgc_receive *receive, int64_t now_ns);
int64_t mgc_receive_due(const struct mgc_receive *receive);

/* The worker's session is over: wait without limit until it is back. */
void mgc_receive_pause(struct mgc_receive *receive);
/* It is back and has its files still: ask for the rest, from what is here. Nothing when not paused.
 */
void mgc_receive_resume(struct mgc_receive *receive, int64_t now_ns);
/* The directory has got another name. */
void mgc_receive_moved(struct mgc_receive *receive, const char *dir);

/* Over: all files are here, checked and synced to disk, or it failed. */
bool mgc_receive_done(const struct mgc_receive *receive);
/* MGC_OK, MGC_E_INTEGRITY, MGC_E_NO_SPACE, ... */
const struct mgc_error *mgc_receive_error(const struct mgc_receive *receive);
uint64_t mgc_receive_bytes(const struct mgc_receive *receive);

#endif
