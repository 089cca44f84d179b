/* The framing of adb's shell protocol ("shell v2"): 1 byte id, 4 bytes length (little endian),
 * data.
 *
 * Pure. The phone's own control socket uses the same framing for its answers. Source: the shell
 * protocol notes of the Android platform tools; ids 3 and 4 were measured against Debian's adb.
 */
#ifndef MGC_LAB_PHONE_FRAME_H
#define MGC_LAB_PHONE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

enum mgl_frame_id {
    MGL_FRAME_STDIN = 0,
    MGL_FRAME_STDOUT = 1,
    MGL_FRAME_STDERR = 2,
    MGL_FRAME_EXIT = 3,        /* 1 byte: exit code, or 128 + signal */
    MGL_FRAME_CLOSE_STDIN = 4, /* empty */
    MGL_FRAME_WINDOW_SIZE = 5, /* text "ROWSxCOLS,XPIXELSxYPIXELS" */
};

enum { MGL_FRAME_HEAD = 5 };

/* Append one frame. */
bool mgl_frame_append(struct mgc_buf *out, enum mgl_frame_id id, const void *data, size_t len);

/* Parser for a stream that arrives in pieces; zeroed is the start. Data is passed on as it comes,
 * so a frame of any declared length needs no memory. */
struct mgl_frame_parser {
    uint8_t head[MGL_FRAME_HEAD];
    size_t head_len;
    uint32_t left; /* bytes of the current frame still to come */
};

/* A piece of a frame; `last` with its final byte (also for an empty frame). */
struct mgl_frame_piece {
    uint8_t id;
    const uint8_t *data; /* borrowed */
    size_t len;
    bool last;
};

/* Take the next piece from *data, advancing it; false when the bytes are used up. */
bool mgl_frame_next(struct mgl_frame_parser *parser, const uint8_t **data, size_t *len,
    struct mgl_frame_piece *ret_piece);

/* "24x80,0x0" of a window size frame; false when it is not of that form. */
bool mgl_frame_parse_window(const char *text, size_t len, unsigned *ret_rows, unsigned *ret_cols);

#endif
