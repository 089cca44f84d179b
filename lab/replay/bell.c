#include "lab/replay/bell.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { LOOKS_PER_CLOCK = 64 }; /* reading the clock costs more than looking */

static void count(_Atomic uint64_t *counter)
{
    atomic_store_explicit(
        counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

static bool spin(struct mgr_bell *bell, mgr_bell_ready *ready, void *user)
{
    int64_t end_ns = mgc_mono_ns() + bell->spin_us * MGC_NS_PER_US;
    do {
        for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
            if (ready(user))
                return true;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
    } while (mgc_mono_ns() < end_ns);
    return false;
}

static bool lost(const char *what, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_LOST, "the peer is gone (%s)", what);
}

/* Parked: until the bell, the peer's end or the deadline. The caller looks again. */
static bool park(
    struct mgr_bell *bell, int64_t deadline_ns, const char *what, struct mgc_error *err)
{
    struct pollfd fds[2] = {
        {.fd = bell->wait_fd, .events = POLLIN},
        {.fd = bell->peer_fd, .events = POLLRDHUP},
    };
    int got = poll(fds, 2, mgc_deadline_poll_ms(deadline_ns));
    if (got < 0 && errno != EINTR)
        return mgc_error_errno(err, errno, "wait for %s", what);
    uint64_t rings;
    if (got > 0 && fds[0].revents) {
        ssize_t len = read(bell->wait_fd, &rings, sizeof(rings));
        (void)len; /* rung again meanwhile or not: the caller looks */
        return true;
    }
    if (got > 0 && fds[1].revents)
        return lost(what, err);
    if (got == 0 && mgc_deadline_past(deadline_ns))
        return mgc_error_set(err, MGC_E_TIMEOUT, "no %s in time", what);
    return true;
}

bool mgr_bell_wait(struct mgr_bell *bell, mgr_bell_ready *ready, void *user, int64_t deadline_ns,
    const char *what, struct mgc_error *err)
{
    if (ready(user))
        return true;
    count(&bell->waits);
    if (spin(bell, ready, user))
        return true;
    count(&bell->parks);
    for (;;) {
        /* Parked is said before the last look, and the ringer looks after its change: one of the
         * two sees the other. */
        atomic_store(bell->own_parked, 1);
        if (ready(user))
            break;
        if (atomic_load(bell->failed))
            return lost(what, err);
        if (!park(bell, deadline_ns, what, err)) {
            if (!ready(user)) /* the last thing a peer does may be what was waited for */
                return false;
            break;
        }
    }
    atomic_store(bell->own_parked, 0);
    return true;
}

void mgr_bell_ring(struct mgr_bell *bell)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(bell->peer_parked, memory_order_relaxed) ||
        !atomic_exchange(bell->peer_parked, 0))
        return;
    uint64_t one = 1;
    ssize_t len = write(bell->ring_fd, &one, sizeof(one));
    (void)len; /* full is rung as well */
}
