/* What the host worker and mgdevice, its program on the phone, say to each other.
 *
 * Pure: bytes in, structs out, and back; the same code on both sides. docs/device.md tells the
 * conversation, stream.h the framing. Any thread.
 *
 *   payload = the message's fields in the order of its struct, little endian, no padding:
 *     u16 u32 i64   2, 4, 8 bytes
 *     text          u16 bytes, the bytes, 0         (no 0 inside)
 *     list          u16 count, u32 bytes, that many texts, each ended by 0
 *     bytes         u32 bytes, the bytes
 *
 * A decoded message borrows texts, lists and bytes from the payload. Bytes that are left over or
 * missing are MGC_E_PROTOCOL; within one protocol version nothing is optional.
 */
#ifndef MGC_DEVICE_MESSAGE_H
#define MGC_DEVICE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

enum {
    MGC_DEVICE_PROTOCOL = 2,             /* the one version that is spoken; 1 had no SAMPLE_NOW */
    MGC_DEVICE_PAYLOAD_MAX = 256 * 1024, /* bytes */
    MGC_DEVICE_CHUNK = 64 * 1024,        /* bytes of a file in one message, at most */
    MGC_DEVICE_LIST_MAX = 512,           /* texts in a list */
    MGC_DEVICE_HASH_SIZE = 32,
    MGC_DEVICE_TOKEN_SIZE = 16, /* bytes of a sink's token */
};

/* Numbers go over the wire. Host to device below 128, device to host above. */
enum mgc_device_type {
    MGC_DEVICE_HELLO = 1,    /* first; answer: WELCOME, or FAILED with MGC_E_VERSION */
    MGC_DEVICE_CANCEL = 2,   /* end one that goes on; answer: DONE, after its DONE or FAILED */
    MGC_DEVICE_CLOCK = 3,    /* answer: CLOCK_REPLY */
    MGC_DEVICE_REMOVE = 4,   /* answer: REMOVED per file, DONE */
    MGC_DEVICE_WATCH = 5,    /* answer: what is there as FILE and PROC, BEGUN, then as it happens */
    MGC_DEVICE_READ = 6,     /* answer: per file FILE_HEAD, FILE_DATA..., FILE_END; then DONE */
    MGC_DEVICE_PUT = 7,      /* answer: PUT_READY, then DONE when all PUT_DATA came and matched */
    MGC_DEVICE_PUT_DATA = 8, /* with the PUT's id */
    MGC_DEVICE_SAMPLE = 9,   /* answer: BEGUN, ROW..., SAMPLE_END, DONE */
    MGC_DEVICE_PROCS = 10,   /* answer: PROC per process, DONE */
    MGC_DEVICE_SAMPLE_NOW = 11, /* answer: DONE, after the first ROW, which has the SAMPLE's id */
    MGC_DEVICE_SINK = 12, /* answer: SINK_READY, BEGUN, SINK_TOLD as it happens; SINK_END, DONE */

    /* Over TCP, from the client of a sink to it (sink.h); also CLOCK. */
    MGC_DEVICE_SINK_HELLO = 64, /* first; answer: SINK_SEEN, or FAILED and the end */
    MGC_DEVICE_SINK_RUN = 65,   /* answer: BEGUN; when it is over, SINK_STREAM per stream,
                                   SINK_INTERVAL each, SINK_RESULT, DONE */
    MGC_DEVICE_SINK_STOP = 66,  /* the client has received for as long as it wanted */

    MGC_DEVICE_WELCOME = 129,
    MGC_DEVICE_DONE = 130,   /* last message of a request that went well */
    MGC_DEVICE_FAILED = 131, /* last message of any other */
    MGC_DEVICE_BEGUN = 132,
    MGC_DEVICE_CLOCK_REPLY = 133,
    MGC_DEVICE_REMOVED = 134,
    MGC_DEVICE_FILE = 135,
    MGC_DEVICE_PROC = 136,
    MGC_DEVICE_FILE_HEAD = 137,
    MGC_DEVICE_FILE_DATA = 138,
    MGC_DEVICE_FILE_END = 139,
    MGC_DEVICE_PUT_READY = 140,
    MGC_DEVICE_ROW = 141,
    MGC_DEVICE_SAMPLE_END = 142,
    MGC_DEVICE_SINK_READY = 143,
    MGC_DEVICE_SINK_TOLD = 144,
    MGC_DEVICE_SINK_END = 145,

    /* Over TCP, from a sink to its client; also BEGUN, DONE, FAILED and CLOCK_REPLY. */
    MGC_DEVICE_SINK_SEEN = 192,
    MGC_DEVICE_SINK_OVER = 193, /* the sink has received for as long as was asked: stop sending */
    MGC_DEVICE_SINK_STREAM = 194,
    MGC_DEVICE_SINK_INTERVAL = 195,
    MGC_DEVICE_SINK_RESULT = 196,
};

/* Texts in a row. Zeroed: empty. */
struct mgc_device_list {
    const char *data; /* borrowed; each text ended by 0 */
    uint32_t size;    /* bytes */
    uint16_t count;
};
struct mgc_device_bytes {
    const unsigned char *data; /* borrowed */
    uint32_t size;
};

/* Next text of a list: NULL to begin with, NULL at the end. */
const char *mgc_device_list_next(const struct mgc_device_list *list, const char *text);
/* Append a text to a list that `buf` holds; false past a cap. */
bool mgc_device_list_add(struct mgc_device_list *list, struct mgc_buf *buf, const char *text);

/* --- requests --------------------------------------------------------------------------------- */

struct mgc_device_hello {
    uint16_t protocol_min, protocol_max;
    const char *build;
};
struct mgc_device_cancel {
    uint32_t request;
};
struct mgc_device_clock {
    int64_t t1_ns; /* host's clock; comes back as it is */
};
/* Names are relative to dir, without "..", and what they mean is decided by their form: "NAME" one
 * file or link, "NAME/" a directory with all below it (8 levels, links are not followed), and "*"
 * and "?" in the last part match files (not directories), as in a shell. */
struct mgc_device_remove {
    const char *dir; /* absolute */
    struct mgc_device_list names;
};
/* Files: plain names in dir; none: all. A dir that is not there yet is waited for. An empty dir: no
 * files. Processes: of a package (also those it starts from its library directory), or one pid, or
 * neither. */
struct mgc_device_watch {
    const char *dir;
    struct mgc_device_list names;
    const char *package; /* empty: none */
    uint32_t pid;        /* 0: none */
    uint32_t scan_ms; /* how often /proc is looked through for a process of the package; ten times
                         less often once there is one. 10..60000 */
};
/* Names are relative to dir, or absolute when dir is empty. A file longer than max_bytes is not
 * sent (its state says so). */
struct mgc_device_read {
    const char *dir;
    struct mgc_device_list names;
    int64_t max_bytes;
    uint16_t hash_only; /* bool: no FILE_DATA */
};
/* The file is written beside its name as "NAME.part" and renamed once it is whole and right; a part
 * from an earlier try is gone on with. */
struct mgc_device_put {
    const char *path; /* absolute */
    int64_t total_bytes;
    uint16_t mode; /* permissions */
    struct mgc_device_bytes sha256;
};
struct mgc_device_data { /* of PUT_DATA */
    struct mgc_device_bytes data;
};
/* Row k is due at begin + k * period, by the monotonic clock. A node that cannot be opened now is
 * tried again with each row. */
struct mgc_device_sample {
    uint32_t period_ms; /* 1..3600000 */
    uint32_t rows_max;  /* 0: until cancelled */
    struct mgc_device_list nodes;
};
/* Rows of a SAMPLE that goes on, beside those that are due: one at once, then one after gap_ms, one
 * 2 gap_ms later, one 4 gap_ms after that, ... They take the place of what an earlier SAMPLE_NOW of
 * it has not had yet. */
struct mgc_device_sample_now {
    uint32_t request; /* the SAMPLE's id */
    uint32_t rows;    /* 1..16 */
    uint32_t gap_ms;  /* 1..60000; 0 with one row */
};
struct mgc_device_procs {
    const char *package; /* empty: all that this user sees */
};
/* The far end of a link test: listens on all IPv4 addresses for clients that know the token, one at
 * a time, until cancelled or until its lifetime is over (then SINK_END and DONE come by
 * themselves).
 */
struct mgc_device_sink {
    uint32_t port; /* 0: any free one */
    uint32_t lifetime_ms;
    struct mgc_device_bytes token; /* MGC_DEVICE_TOKEN_SIZE bytes */
};

/* --- answers and events ----------------------------------------------------------------------- */

struct mgc_device_welcome {
    uint16_t protocol;
    const char *build, *abi; /* "x86_64", "aarch64" */
    const char *boot_id;     /* empty: not readable */
    uint32_t pid, uid;
    int64_t mono_ns, boottime_ns; /* CLOCK_MONOTONIC and CLOCK_BOOTTIME, one after the other */
    uint16_t has_pidfd;           /* bool; without: the end of a process is looked for each 50 ms */
};
struct mgc_device_failed {
    uint16_t code;   /* enum mgc_code */
    uint32_t errnum; /* Linux errno (errnum.h), 0: none */
    const char *text;
};
struct mgc_device_clock_reply {
    int64_t t1_ns; /* as it came */
    int64_t t2_ns; /* when the probe was read, CLOCK_MONOTONIC of the device */
    int64_t t3_ns; /* when this was made */
};

enum mgc_device_state {
    MGC_DEVICE_PRESENT = 1, /* REMOVED: it was there, and is gone */
    MGC_DEVICE_ABSENT = 2,
    MGC_DEVICE_UNUSABLE = 3,  /* errnum says why: not removed, not opened, not read */
    MGC_DEVICE_TOO_LARGE = 4, /* longer than max_bytes */
    MGC_DEVICE_CHANGED = 5,   /* it changed while it was read */
    MGC_DEVICE_NO_FILE = 6,   /* not a regular file */
};
const char *mgc_device_state_name(unsigned state); /* "present", ...; "unknown" */

struct mgc_device_removed {
    const char *name; /* of what was found; of the request, when nothing was */
    uint16_t state;
    uint32_t errnum;
    int64_t size_bytes, mtime_ns; /* -1: not known; mtime: wall clock of the device */
};

enum mgc_device_file_what {
    MGC_DEVICE_FILE_FOUND = 1, /* there when the watch began, or when its directory came */
    MGC_DEVICE_FILE_CREATED = 2,
    MGC_DEVICE_FILE_WRITTEN = 3,  /* closed by a writer */
    MGC_DEVICE_FILE_REPLACED = 4, /* renamed to this name */
    MGC_DEVICE_FILE_GONE = 5,     /* removed or renamed away; empty name: the directory itself */
    MGC_DEVICE_FILE_LOST = 6, /* the kernel dropped events; all that is there follows as FOUND */
};
struct mgc_device_file {
    uint16_t what;
    const char *name;
    int64_t size_bytes, mtime_ns, inode; /* -1 when it could not be looked at */
    int64_t mono_ns;                     /* when this program learned it */
};

enum mgc_device_proc_what {
    MGC_DEVICE_PROC_FOUND = 1, /* there when the watch began, or in a list */
    MGC_DEVICE_PROC_STARTED = 2,
    MGC_DEVICE_PROC_ENDED = 3,
};
struct mgc_device_proc {
    uint16_t what;
    uint32_t pid, ppid, uid;
    int64_t start_ticks; /* field 22 of its stat: hundredths of a second since boot on Android */
    int64_t mono_ns;     /* when this program learned it */
    const char *comm, *cmdline; /* arguments with blanks between, cut at 1000 bytes */
};

struct mgc_device_file_head {
    uint16_t index; /* into the request's names */
    uint16_t state;
    uint32_t errnum;
    int64_t size_bytes, mtime_ns;
};
struct mgc_device_file_data {
    uint16_t index;
    struct mgc_device_bytes data;
};
struct mgc_device_file_end { /* for files whose head said PRESENT */
    uint16_t index;
    uint16_t state; /* PRESENT, CHANGED, TOO_LARGE (it grew) or UNUSABLE */
    uint32_t errnum;
    int64_t size_bytes;             /* read */
    struct mgc_device_bytes sha256; /* of these */
};
struct mgc_device_put_ready {
    int64_t have_bytes; /* go on from here */
};
struct mgc_device_row {
    uint32_t row;
    uint32_t missed;                  /* rows before this one for which it was too late */
    int64_t due_ns, begin_ns, end_ns; /* due_ns: also of one that was asked for */
    struct mgc_device_list values;    /* one per node: see mgc_device_value */
};
struct mgc_device_sample_end {
    uint32_t rows, missed;
    uint32_t dropped;        /* rows that the connection had no room for */
    int64_t user_us, sys_us; /* what this program has cost, since it began */
};

struct mgc_device_sink_ready {
    uint32_t port; /* that it listens on */
};
enum mgc_device_sink_what {
    MGC_DEVICE_SINK_BEGAN = 1, /* a client's session */
    MGC_DEVICE_SINK_ENDED = 2,
    MGC_DEVICE_SINK_STRANGER = 3, /* turned away: it did not know the token */
    MGC_DEVICE_SINK_BUSY = 4,     /* turned away: knew it, but another's session goes on */
    MGC_DEVICE_SINK_GARBAGE = 5,  /* turned away: said something else, or nothing in time */
};
/* "began", ...; "unknown" */
const char *mgc_device_sink_what_name(unsigned what);
struct mgc_device_sink_told {
    uint16_t what;
    uint32_t address, port; /* of the client as the device sees it; IPv4 as a number */
    int64_t mono_ns;
};
struct mgc_device_sink_end {
    uint32_t sessions, refused;
    int64_t received_bytes, sent_bytes; /* of the tests, without what steers them */
};

/* --- over TCP (sink.h) ------------------------------------------------------------------------ */

struct mgc_device_sink_hello {
    struct mgc_device_bytes token;
    int64_t session; /* chosen by the client; its connections belong together by it */
    uint16_t stream; /* 0: the connection that steers; else one to carry data, from 1 */
};
enum mgc_device_sink_way {
    MGC_DEVICE_SINK_UP = 1,   /* the device receives and measures */
    MGC_DEVICE_SINK_DOWN = 2, /* the device sends, the client measures */
};
struct mgc_device_sink_run {
    uint16_t way;
    uint16_t streams; /* which the client has connected */
    uint32_t duration_ms, interval_ms;
    const char *congestion; /* control to use; empty: the system's */
};
/* The connection as the device's kernel has it. What something in between has changed shows here:
 * the client's address and port, the segment size and window scale that its handshake named. */
struct mgc_device_sink_seen {
    uint32_t address, port;
    uint32_t mss;        /* largest segment that the device will send, bytes; 0: not known */
    uint16_t wscale;     /* shift that the client named for its window */
    uint16_t timestamps; /* bool: 12 bytes of each segment */
    int64_t mono_ns;     /* when this was made */
};
struct mgc_device_sink_stream {
    uint16_t stream;
    int64_t bytes;          /* received, or sent, from begin to end */
    int64_t heard_bytes;    /* that the kernel has received; -1: not known */
    int64_t retransmits;    /* segments that the kernel has sent again; -1: not known */
    const char *congestion; /* in use; empty: not known */
};
struct mgc_device_sink_interval {
    uint32_t index;
    int64_t bytes; /* received in it */
};
struct mgc_device_sink_result {
    uint32_t intervals; /* 0: the device did not measure */
    int64_t first_ns;   /* first byte, CLOCK_MONOTONIC of the device */
    int64_t window_ns;  /* the time that it measured */
    int64_t window_bytes;
};

/* A value in a row: true and the text, or false and why there is none. */
bool mgc_device_value(const char *item, const char **ret_text, int *ret_errnum);

struct mgc_device_msg {
    enum mgc_device_type type;
    uint32_t id; /* of the request; chosen by the host, not 0, not in use */
    union {
        struct mgc_device_hello hello;
        struct mgc_device_cancel cancel;
        struct mgc_device_clock clock;
        struct mgc_device_remove remove;
        struct mgc_device_watch watch;
        struct mgc_device_read read;
        struct mgc_device_put put;
        struct mgc_device_data put_data;
        struct mgc_device_sample sample;
        struct mgc_device_sample_now sample_now;
        struct mgc_device_procs procs;
        struct mgc_device_welcome welcome;
        struct mgc_device_failed failed;
        struct mgc_device_clock_reply clock_reply;
        struct mgc_device_removed removed;
        struct mgc_device_file file;
        struct mgc_device_proc proc;
        struct mgc_device_file_head file_head;
        struct mgc_device_file_data file_data;
        struct mgc_device_file_end file_end;
        struct mgc_device_put_ready put_ready;
        struct mgc_device_row row;
        struct mgc_device_sample_end sample_end;
        struct mgc_device_sink sink;
        struct mgc_device_sink_ready sink_ready;
        struct mgc_device_sink_told sink_told;
        struct mgc_device_sink_end sink_end;
        struct mgc_device_sink_hello sink_hello;
        struct mgc_device_sink_run sink_run;
        struct mgc_device_sink_seen sink_seen;
        struct mgc_device_sink_stream sink_stream;
        struct mgc_device_sink_interval sink_interval;
        struct mgc_device_sink_result sink_result;
    };
};

/* "watch"; "message 77" for what is none. The result is valid until the next call in this thread.
 */
const char *mgc_device_type_name(unsigned type);

/* Append the payload. NULL texts are empty ones. False: no memory, past a cap, or an unknown type;
 * `out` then holds what it held. */
bool mgc_device_encode(struct mgc_buf *out, const struct mgc_device_msg *msg);
/* `type` and `id` come from the frame's head. */
bool mgc_device_decode(unsigned type, uint32_t id, const void *payload, size_t size,
    struct mgc_device_msg *ret_msg, struct mgc_error *err);

#endif
