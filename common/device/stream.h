/* Messages as a stream of bytes: each direction begins with a preamble, then frames follow.
 *
 *   preamble   89 'm' 'g' 'd' 'e' 'v' 0d 0a    8 bytes: no text begins so, and a terminal or a
 *                                              translation of line ends between would show
 *   frame      u32 payload bytes, u16 type, u16 0, u32 id, payload; little endian
 *
 * Both sides send their preamble at once, so that what comes instead (a shell's or linker's error,
 * a word of run-as) is known for what it is. Pure; any thread.
 */
#ifndef MGC_DEVICE_STREAM_H
#define MGC_DEVICE_STREAM_H

#include "common/device/message.h"

enum { MGC_DEVICE_PREAMBLE_SIZE = 8, MGC_DEVICE_HEAD_SIZE = 12 };

bool mgc_device_put_preamble(struct mgc_buf *out);
/* Append head and payload of a message. */
bool mgc_device_put_message(struct mgc_buf *out, const struct mgc_device_msg *msg);

/* The receiving end. Zeroed: nothing received. */
struct mgc_device_stream {
    struct mgc_buf buf; /* owned: received, not yet given */
    size_t used;        /* bytes of it that the last message took */
    bool begun;         /* the preamble has come */
};

bool mgc_device_stream_feed(
    struct mgc_device_stream *stream, const void *data, size_t len, struct mgc_error *err);
enum mgc_device_next { MGC_DEVICE_MORE, MGC_DEVICE_MESSAGE, MGC_DEVICE_BROKEN };
/* A message, valid until the next call; or MORE; or BROKEN and why (MGC_E_PROTOCOL), for good. What
 * came instead of the preamble is in the sentence. */
enum mgc_device_next mgc_device_stream_next(
    struct mgc_device_stream *stream, struct mgc_device_msg *ret_msg, struct mgc_error *err);
void mgc_device_stream_destroy(struct mgc_device_stream *stream); /* takes NULL and zeroed */

#endif
