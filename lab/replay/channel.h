/* A control connection: session messages over a TCP socket, with deadlines. One thread. */
#ifndef MGC_LAB_REPLAY_CHANNEL_H
#define MGC_LAB_REPLAY_CHANNEL_H

#include "common/base/buf.h"
#include "common/plat/net.h"
#include "lab/replay/proto.h"

struct mgr_channel {
    mgc_socket socket;     /* owned */
    struct mgc_buf in;     /* bytes received and not yet handed on */
    size_t handed_on;      /* of these, the message returned last */
    int64_t spin_us;       /* before a wait parks; 0: not at all */
    uint64_t waits, parks; /* of mgr_channel_receive */
};

/* Takes ownership of the socket. */
void mgr_channel_init(struct mgr_channel *channel, mgc_socket socket);
void mgr_channel_destroy(struct mgr_channel *channel); /* takes NULL and half-built */

bool mgr_channel_send(struct mgr_channel *channel, const struct mgr_msg *msg, int64_t deadline_ns,
    struct mgc_error *err);

/* Wait for one message; what it borrows lives until the next call. MGC_E_LOST at end of stream. */
bool mgr_channel_receive(struct mgr_channel *channel, struct mgr_msg *ret_msg, int64_t deadline_ns,
    struct mgc_error *err);

enum mgr_peek { MGR_PEEK_MESSAGE, MGR_PEEK_NOTHING, MGR_PEEK_BAD };
/* The next message if its bytes were received already; never reads the socket. */
enum mgr_peek mgr_channel_peek(
    struct mgr_channel *channel, struct mgr_msg *ret_msg, struct mgc_error *err);
/* Read what the socket holds, at least one byte. MGC_E_LOST at end of stream. */
bool mgr_channel_fill(struct mgr_channel *channel, int64_t deadline_ns, struct mgc_error *err);

/* poll(2) that looks for spin_us before it sleeps; counts a wait when nothing is there at once, and
 * a park when it sleeps. False: nothing at the deadline, or a signal. */
struct pollfd;
bool mgr_channel_poll(struct pollfd *fds, unsigned count, int64_t spin_us, int64_t deadline_ns,
    uint64_t *waits, uint64_t *parks);

/* No delay, and a dead peer is noticed within 5 s: keepalive 2 s, 1 s, 3 times, and a user timeout
 * of 5000 ms, as the contract gives them (section 6). */
bool mgr_channel_tune(mgc_socket socket, struct mgc_error *err);

#endif
