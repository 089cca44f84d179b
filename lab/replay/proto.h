/* The lab's session protocol between replay client and render server. Pure codec. Our own: the
 * contract tells only that one session is two TCP connections to the same port.
 *
 *   client                                   server
 *   control: HELLO (token, geometry)   ->
 *                                      <-    WELCOME (nonce, capabilities) or REFUSE, then close
 *   data:    DATA (nonce)              ->                        now a session process is forked
 *                                      <-    control: READY (pid of the session)
 *   data:    render records ...        ->
 *                                      <-    control: CREDIT for each PRESENT that was drawn
 *   control: SYNC (stream position)    ->
 *                                      <-    control: SYNCED, once that much was applied
 *   control: READBACK (position)       ->
 *                                      <-    control: PIXELS of the picture at that position
 *                                      <-    control: LOG, a line of the server's, at any time
 *   control: BYE (position)            ->
 *                                      <-    control: BYE, once all was applied; both close
 *
 * A forked server (spawn.h) uses HELLO, REFUSE and READY only; there is no DATA connection, and the
 * rest goes through the ring.
 *
 * Frame: u16 kind, u16 0, u32 length of the payload, payload. Integers are little-endian; a string
 * is a u8 length and its bytes. A position counts bytes of records on the data connection.
 */
#ifndef MGC_LAB_REPLAY_PROTO_H
#define MGC_LAB_REPLAY_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/replay/record.h"

enum mgr_msg_kind {
    MGR_MSG_HELLO = 1, /* "MGLR", u16 version, u16 flags, u16 credit, u16 width, u16 height, u16 0,
                          string backend, token, build */
    MGR_MSG_WELCOME = 2,  /* u16 version, u16 caps, u64 nonce, u16 ring MiB, u16 stage MiB,
                             string backend, build */
    MGR_MSG_REFUSE = 3,   /* u32 expected, u32 actual, string code, detail */
    MGR_MSG_DATA = 4,     /* "MGLR", u16 version, u16 0, u64 nonce */
    MGR_MSG_READY = 5,    /* u32 pid */
    MGR_MSG_CREDIT = 6,   /* u32 frame, u64 position */
    MGR_MSG_SYNC = 7,     /* u64 position */
    MGR_MSG_SYNCED = 8,   /* u64 position */
    MGR_MSG_READBACK = 9, /* u64 position */
    MGR_MSG_PIXELS = 10,  /* u16 width, u16 height, width x height x 4 bytes */
    MGR_MSG_LOG = 11,     /* the line, without newline */
    MGR_MSG_BYE = 12,     /* u64 position */
};

enum {
    MGR_PROTO_VERSION = 1,
    MGR_MSG_HEAD = 8,
    MGR_MSG_SMALL_MAX = 4096, /* payload of everything but PIXELS */
    MGR_HELLO_RUN_AHEAD = 1,
    MGR_HELLO_LOG_FORWARD = 2,
    MGR_HELLO_SAME_BUILD = 4,
    MGR_CAP_RUN_AHEAD_APPLY = 1,
};

struct mgr_msg {
    enum mgr_msg_kind kind;
    uint16_t version, flags; /* flags of HELLO, capabilities of WELCOME */
    uint16_t credit, width, height;
    uint16_t ring_mb, stage_mb;
    uint32_t pid, frame, expected, actual;
    uint64_t nonce, position;
    char backend[32], token[129], build[64]; /* NUL-terminated */
    char code[32], detail[200];
    const uint8_t *data; /* borrowed: pixels or the log line */
    size_t data_len;
};

/* As mgr_record_decode. A HELLO or DATA without the magic is BAD; another version is not: the
 * server answers it by name. */
enum mgr_decode mgr_msg_decode(
    const void *data, size_t len, struct mgr_msg *ret_msg, size_t *ret_used, struct mgc_error *err);

/* Append the frame; strings must fit their arrays, a log line is cut at MGR_MSG_SMALL_MAX. */
void mgr_msg_encode(struct mgc_buf *buf, const struct mgr_msg *msg);

#endif
