/* adb's file service ("sync:", version 1) as bytes.
 *
 * Pure. Every message starts with a 4-letter id and a 32-bit little-endian number. Source:
 * SYNC.TXT of the Android platform tools.
 *
 *   STAT n path          -> STAT mode size mtime          (all zero: no such file)
 *   LIST n path          -> (DENT mode size mtime n name)*  DONE + 16 zero bytes
 *   RECV n path          -> (DATA n bytes)*  DONE 0        or FAIL n text
 *   SEND n "path,mode", (DATA n bytes)*, DONE mtime -> OKAY 0 or FAIL n text
 *   QUIT 0
 */
#ifndef MGC_LAB_PHONE_SYNC_H
#define MGC_LAB_PHONE_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

#define MGL_SYNC_ID(a, b, c, d)                                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define MGL_SYNC_STAT MGL_SYNC_ID('S', 'T', 'A', 'T')
#define MGL_SYNC_LIST MGL_SYNC_ID('L', 'I', 'S', 'T')
#define MGL_SYNC_SEND MGL_SYNC_ID('S', 'E', 'N', 'D')
#define MGL_SYNC_RECV MGL_SYNC_ID('R', 'E', 'C', 'V')
#define MGL_SYNC_QUIT MGL_SYNC_ID('Q', 'U', 'I', 'T')
#define MGL_SYNC_DATA MGL_SYNC_ID('D', 'A', 'T', 'A')
#define MGL_SYNC_DONE MGL_SYNC_ID('D', 'O', 'N', 'E')
#define MGL_SYNC_OKAY MGL_SYNC_ID('O', 'K', 'A', 'Y')
#define MGL_SYNC_FAIL MGL_SYNC_ID('F', 'A', 'I', 'L')
#define MGL_SYNC_DENT MGL_SYNC_ID('D', 'E', 'N', 'T')

enum {
    MGL_SYNC_HEAD = 8,
    MGL_SYNC_PATH_MAX = 1024,
    MGL_SYNC_DATA_MAX = 64 * 1024,
};

struct mgl_sync_head {
    uint32_t id;
    uint32_t number; /* length of what follows; DONE: mtime in seconds since 1970 */
};

struct mgl_sync_stat {
    uint32_t mode, size, mtime; /* size modulo 2^32, as version 1 has it */
};

void mgl_sync_head_decode(const uint8_t bytes[MGL_SYNC_HEAD], struct mgl_sync_head *ret_head);
/* A request that this service knows, with a path of allowed length (QUIT: none). */
bool mgl_sync_check_request(const struct mgl_sync_head *head, struct mgc_error *err);
/* Inside SEND: a DATA of allowed size, or DONE. */
bool mgl_sync_check_chunk(const struct mgl_sync_head *head, struct mgc_error *err);

/* "path,mode" of SEND: cuts `spec` at its last comma; the mode may be decimal, octal or hex and
 * holds the file type too (a link is sent with S_IFLNK). */
bool mgl_sync_parse_send(char *spec, const char **ret_path, uint32_t *ret_mode);

bool mgl_sync_append_head(struct mgc_buf *out, uint32_t id, uint32_t number);
bool mgl_sync_append_stat(struct mgc_buf *out, const struct mgl_sync_stat *stat);
bool mgl_sync_append_dent(struct mgc_buf *out, const struct mgl_sync_stat *stat, const char *name);
bool mgl_sync_append_list_end(struct mgc_buf *out);
bool mgl_sync_append_fail(struct mgc_buf *out, const char *text);

#endif
