/* The apply thread's loop over a ring: of the arm inproc and of a forked server. */
#ifndef MGC_LAB_REPLAY_RING_SERVE_H
#define MGC_LAB_REPLAY_RING_SERVE_H

#include "lab/replay/apply.h"
#include "lab/replay/ring.h"

/* Until BYE (true), or until the client is gone or publishes nonsense: then the ring is marked as
 * failed. Waits without deadline: the client decides how long a session lasts. */
bool mgr_ring_serve(
    struct mgr_ring *ring, struct mgr_bell *bell, struct mgr_apply *apply, struct mgc_error *err);

#endif
