/* What both ends of a session do alike: numbering and acknowledging, heartbeats, silence, clock
 * samples. Pure but for the `send` it is given; time comes in as an argument (mono ns).
 * Internal to bus/.
 */
#ifndef MGC_BUS_SESSION_H
#define MGC_BUS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/bus/offset.h"
#include "common/wire/msg.h"
#include "common/wire/reliable.h"

enum mgc_side { MGC_SIDE_WORKER, MGC_SIDE_COORDINATOR };

struct mgc_session_config {
    enum mgc_side side; /* ours */
    uint64_t epoch;
    int64_t heartbeat_ms, silence_ms;
    /* Hand a message to the socket; false when that cannot take it now. */
    bool (*send)(void *user, const void *header, size_t len, const void *body, size_t body_len);
    void *user;
};

/* Zeroed is "no session". */
struct mgc_session {
    struct mgc_session_config config;
    struct mgc_outbox *outbox; /* owned */
    struct mgc_inbox inbox;
    struct mgc_offset_filter offsets; /* of the peer's clock */
    int64_t heard_ns;
    int64_t ping_due_ns;
    int64_t ping_seq;
};

/* Sends the first ping. */
bool mgc_session_start(struct mgc_session *session, const struct mgc_session_config *config,
    int64_t now_ns, struct mgc_error *err);
void mgc_session_destroy(struct mgc_session *session); /* takes NULL and zeroed */

/* Epoch and mid of msg are filled in. A reliable message is kept until acknowledged, so it fails
 * only when the outbox is full or a cap is passed; another one fails with MGC_E_BUSY when the
 * socket cannot take it now. */
bool mgc_session_send(
    struct mgc_session *session, struct mgc_msg *msg, int64_t now_ns, struct mgc_error *err);

enum mgc_session_verdict {
    MGC_SESSION_DELIVER, /* give it to the application */
    MGC_SESSION_DONE,    /* was for the session itself, or a duplicate */
    MGC_SESSION_ENDED,   /* the peer leaves; err says what it said */
    MGC_SESSION_BAD,     /* not allowed from that side; err says what */
};

/* Judge a decoded message of this session's epoch; answers and acknowledgements are sent. */
enum mgc_session_verdict mgc_session_take(
    struct mgc_session *session, const struct mgc_msg *msg, int64_t now_ns, struct mgc_error *err);

/* A message arrived that could not be understood; envelope as far as it could be read. Where it
 * carries the next number it is passed over, so that those behind it are not held up for ever.
 * The peer is told with an ERROR. */
void mgc_session_skip(struct mgc_session *session, const struct mgc_msg *envelope, int64_t now_ns,
    const struct mgc_error *why);

/* When tick is due next. */
int64_t mgc_session_due(const struct mgc_session *session);
/* Ping and repeat as due; false after silence. */
bool mgc_session_tick(struct mgc_session *session, int64_t now_ns, struct mgc_error *err);

/* Send REFUSE, REJOIN, BYE or ERROR through a config's send, with or without a session. */
void mgc_session_say(const struct mgc_session_config *config, enum mgc_msg_kind kind,
    enum mgc_code code, const char *text);

#endif
