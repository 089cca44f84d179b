/* Every message that coordinator and worker exchange, as structs, and the two functions that turn
 * them into bytes and back.
 *
 * On the socket a message is one msgpack map with small integer keys (the header frame), and for
 * MGC_MSG_CHUNK a second, raw frame (the body). Keys 0..15 mean the same in every message, keys
 * from 16 belong to the kind; both registries stand in wire/registry.h and docs/protocol.md.
 * Unknown keys are ignored; an unknown kind decodes to MGC_E_UNSUPPORTED with the envelope filled,
 * so that the receiver can answer with MGC_MSG_ERROR. No sockets here; pure; any thread.
 *
 * A decoded message owns its strings; mgc_msg_destroy frees them. When encoding, strings are
 * borrowed. Strings in a decoded message are never NULL when their kind requires them.
 */
#ifndef MGC_WIRE_MSG_H
#define MGC_WIRE_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"
#include "common/base/hash.h"

/* Protocol range of this build; hello carries it, welcome picks one. */
enum { MGC_PROTOCOL_MIN = 1, MGC_PROTOCOL_MAX = 1 };

/* Caps, checked before anything is unpacked or allocated. */
enum {
    MGC_WIRE_HEADER_MAX = 64 * 1024, /* bytes of the header frame */
    MGC_WIRE_BODY_MAX = 256 * 1024,  /* bytes of the body frame */
    MGC_WIRE_DEPTH_MAX = 6,
    MGC_WIRE_ITEMS_MAX = 4096, /* values in one frame, all levels together */
};

/* Longest limit in a message, ms: 30 days. They are multiplied into nanoseconds. */
#define MGC_WIRE_MS_MAX (INT64_C(30) * 24 * 3600 * 1000)

/* Numbers go over the wire: append only. */
enum mgc_msg_kind {
    MGC_MSG_NONE = 0,
    /* session */
    MGC_MSG_HELLO = 1,   /* worker -> coordinator: who I am, new session epoch */
    MGC_MSG_WELCOME = 2, /* answer: accepted */
    MGC_MSG_REFUSE = 3,  /* answer: not accepted, and why; the worker does not retry quickly */
    MGC_MSG_REJOIN = 4,  /* coordinator: I do not know this epoch, say hello again */
    MGC_MSG_PING = 5,    /* both ways, every heartbeat */
    MGC_MSG_PONG = 6,
    MGC_MSG_BYE = 7,   /* either side leaves on purpose */
    MGC_MSG_ACK = 8,   /* cumulative: all reliable messages up to `upto` arrived */
    MGC_MSG_ERROR = 9, /* answer to a message that could not be understood */
    MGC_MSG_LOOK = 10, /* coordinator: who holds what on your machine? */
    MGC_MSG_HELD = 11, /* answer: as common/task/leases.h puts it */
    /* tasks */
    MGC_MSG_TASK = 16,       /* coordinator: run this */
    MGC_MSG_CANCEL = 17,     /* coordinator: stop it, undo */
    MGC_MSG_FINISH = 18,     /* coordinator, to a holding task: end normally */
    MGC_MSG_EVENT = 19,      /* worker: something happened in the task ("ready", "progress") */
    MGC_MSG_RESULT = 20,     /* worker: it ended; repeated in every session until RESULT_ACK */
    MGC_MSG_RESULT_ACK = 21, /* coordinator: result and artifacts are safe, forget them */
    /* barriers */
    MGC_MSG_ARRIVE = 32,   /* worker: this task waits at the barrier */
    MGC_MSG_RELEASE = 33,  /* coordinator: go at that instant of your clock, or: it failed */
    MGC_MSG_RELEASED = 34, /* worker: when it really went */
    /* artifacts */
    MGC_MSG_CHUNK = 48,  /* worker: a piece of a file, in the body frame */
    MGC_MSG_CREDIT = 49, /* coordinator: have so many bytes, may send up to so many */
};

struct mgc_msg_hello {
    int64_t protocol_min, protocol_max;
    char *role;  /* "host" or "wsl"; what it can do, not who it is (that is its key) */
    char *build; /* program version and build id */
    char *host;  /* host name */
    char *os;
    char *boot_id;
    int64_t lease_epoch;     /* fencing: grows with every session of this worker; tasks repeat it;
                              * 0: the worker has no leases */
    struct mgc_fields facts; /* anything else worth recording: arch, cpus, memory, task kinds */
};

struct mgc_msg_welcome {
    int64_t protocol;
    char *name;   /* what the coordinator calls this worker */
    char *run_id; /* empty outside a run */
    char *build;
    int64_t heartbeat_ms; /* both sides send at least this often */
    int64_t silence_ms;   /* this long without a word fences the worker */
    char *coordinator;    /* where it runs, for people: "HOST, process PID"; NULL: not told */
};

struct mgc_msg_text { /* REFUSE, REJOIN, BYE, ERROR */
    enum mgc_code code;
    char *text;
};

struct mgc_msg_ping { /* PING and PONG; all in the respective clock's mono ns */
    int64_t seq;
    int64_t sent_ns;     /* pinger's clock at sending; echoed in the pong */
    int64_t received_ns; /* pong only: ponger's clock at receipt */
    int64_t replied_ns;  /* pong only: ponger's clock at sending */
    int64_t boot_ns;     /* sender's boot clock minus mono clock: grows over a sleep */
};

struct mgc_msg_held {
    struct mgc_fields leases;
};

struct mgc_msg_ack {
    uint64_t upto;
};

struct mgc_msg_task {
    uint64_t task_id;    /* chosen by the coordinator, never reused */
    char *kind;          /* "wsl.replay" */
    char *label;         /* for people: "crosshost/bench-openra-c1-r1 replay" */
    int64_t deadline_ms; /* the task's own limit, from its start */
    int64_t lease_epoch; /* as the worker's hello gave it; 0: none, for kinds that need no lease */
    struct mgc_fields params;
    struct mgc_fields secrets; /* values that must be masked wherever they show up; strings */
};

struct mgc_msg_task_ref { /* CANCEL, FINISH, RESULT_ACK */
    uint64_t task_id;
    char *text; /* reason; may be empty */
};

struct mgc_msg_event {
    uint64_t task_id;
    char *name;
    int64_t mono_ns; /* worker's clock */
    struct mgc_fields fields;
};

struct mgc_artifact {
    char *name; /* mgc_path_is_safe */
    uint64_t size_bytes;
    char sha256[MGC_SHA256_HEX_SIZE];     /* of the bytes that are sent */
    char raw_sha256[MGC_SHA256_HEX_SIZE]; /* before masking; equal when nothing was masked */
    uint64_t masked_count;                /* secrets masked */
};

struct mgc_msg_result {
    uint64_t task_id;
    char *run_id;
    enum mgc_code code;       /* MGC_OK, or why it did not succeed */
    char *text;               /* sentence for code; empty when MGC_OK */
    int64_t start_ns, end_ns; /* worker's mono clock */
    int64_t undo_done;        /* changes that were undone at the end */
    int64_t undo_failed;      /* and those that could not be */
    char *undo_text;          /* sentence of the first failed undo, or empty */
    struct mgc_fields facts;
    struct mgc_artifact *artifacts;
    size_t artifact_count;
};

struct mgc_msg_barrier { /* ARRIVE, RELEASE, RELEASED */
    uint64_t task_id;
    char *name; /* "start" */
    enum mgc_code
        code; /* RELEASE: MGC_OK or why it failed; RELEASED: MGC_OK or MGC_E_FAILED late */
    char *text;
    int64_t instant_ns; /* RELEASE: worker's mono clock; RELEASED: the instant it was given */
    int64_t actual_ns;  /* ARRIVE: when; RELEASED: when the task really went on */
};

struct mgc_msg_chunk { /* the bytes are the body frame */
    uint64_t task_id;
    char *name;
    uint64_t offset;
};

struct mgc_msg_credit {
    uint64_t task_id;
    char *name;
    uint64_t received; /* bytes stored without a gap: the next chunk starts here */
    uint64_t limit;    /* offset that may be sent up to */
};

struct mgc_msg {
    enum mgc_msg_kind kind;
    uint64_t epoch; /* session, chosen by the worker; 0 only where none exists yet */
    uint64_t mid;   /* 1, 2, 3... per direction and session for reliable messages; 0: unreliable */
    union {
        struct mgc_msg_hello hello;
        struct mgc_msg_welcome welcome;
        struct mgc_msg_text text;
        struct mgc_msg_ping ping;
        struct mgc_msg_held held;
        struct mgc_msg_ack ack;
        struct mgc_msg_task task;
        struct mgc_msg_task_ref task_ref;
        struct mgc_msg_event event;
        struct mgc_msg_result result;
        struct mgc_msg_barrier barrier;
        struct mgc_msg_chunk chunk;
        struct mgc_msg_credit credit;
    };
    const void *body; /* borrowed; CHUNK only */
    size_t body_len;
};

const char *mgc_msg_kind_name(enum mgc_msg_kind kind);

/* True for kinds that carry a mid and are re-sent until acknowledged: TASK, CANCEL, FINISH, EVENT,
 * RESULT, RESULT_ACK, ARRIVE, RELEASE, RELEASED. */
bool mgc_msg_is_reliable(enum mgc_msg_kind kind);

/* Who may send a kind, and whether a body frame follows its header. False for unknown kinds. */
bool mgc_msg_goes_to_worker(enum mgc_msg_kind kind);
bool mgc_msg_goes_to_coordinator(enum mgc_msg_kind kind);
bool mgc_msg_has_body(enum mgc_msg_kind kind);

/* Append the header frame's bytes to out. Text is sent as UTF-8: a byte that is none, as logs and
 * phones produce them, becomes U+FFFD. Fails when a cap would be passed or a number is one that the
 * receiver would refuse; out is then unchanged. */
bool mgc_msg_encode(const struct mgc_msg *msg, struct mgc_buf *out, struct mgc_error *err);

/* Decode a header frame. On false nothing is owned; err tells which key was wrong and what was
 * expected; the envelope (kind, epoch, mid) is filled as far as it could be read, and of a hello
 * the protocol range (0: not read), so that another version is told before its other keys are. */
bool mgc_msg_decode(const void *data, size_t len, struct mgc_msg *ret_msg, struct mgc_error *err);

void mgc_msg_destroy(struct mgc_msg *msg); /* only for decoded messages; takes NULL and zeroed */

#endif
