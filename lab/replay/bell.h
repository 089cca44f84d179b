/* Waiting for the other end of a ring: spin for a while, then park until it rings.
 *
 * Each side has an event counter (eventfd) that the other one rings and a word in shared memory
 * that says "I am parked", so that a ring costs no system call while the other side is awake. The
 * peer's end is noticed too: by hang-up of a socket (another process) or by the `failed` word (a
 * thread of ours). One bell per side, used by one thread.
 */
#ifndef MGC_LAB_REPLAY_BELL_H
#define MGC_LAB_REPLAY_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct mgr_bell {
    int ring_fd, wait_fd; /* borrowed: eventfds, non-blocking */
    int peer_fd;          /* borrowed: hangs up when the peer is gone; -1: it is a thread of ours */
    /* All three in memory that both sides see. */
    _Atomic uint32_t *own_parked, *peer_parked, *failed;
    int64_t spin_us;
    _Atomic uint64_t waits, parks; /* another thread may read them */
};

typedef bool mgr_bell_ready(void *user);

/* Wait until ready(user). MGC_E_TIMEOUT at the deadline, MGC_E_LOST when the peer is gone; `what`
 * names the wait. */
bool mgr_bell_wait(struct mgr_bell *bell, mgr_bell_ready *ready, void *user, int64_t deadline_ns,
    const char *what, struct mgc_error *err);
/* After a change that the peer may wait for. */
void mgr_bell_ring(struct mgr_bell *bell);

#endif
