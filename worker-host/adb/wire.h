/* The bytes between an adb client and the adb server, and those of the device services behind it.
 *
 * Pure: no sockets, no clock. Layouts are those of platform-tools' documents OVERVIEW.TXT,
 * SERVICES.TXT and SYNC.TXT and of adbd's shell_protocol.h; figures were checked against adb
 * 29.0.6 (protocol 1.0.41). Any thread.
 *
 *   request   4 hex digits (length), service name           e.g. "000chost:version"
 *   status    "OKAY" or "FAIL"; FAIL and most host: replies continue with 4 hex digits and text
 *   shell v2  u8 id, u32 little endian length, bytes
 *   sync      4 characters id, u32 little endian value, then bytes for the ids that carry some
 */
#ifndef MGC_ADB_WIRE_H
#define MGC_ADB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

enum { MGC_ADB_REQUEST_MAX = 0xffff }; /* bytes; what four hex digits can say */

/* Append length and service name; refuses an empty or too long name. */
bool mgc_adb_wire_request(struct mgc_buf *out, const char *service, struct mgc_error *err);
/* Exactly four hex digits of either case; false leaves *ret_value alone. */
bool mgc_adb_wire_hex4(const char text[4], size_t *ret_value);
/* "OKAY" or "FAIL"; anything else is MGC_E_PROTOCOL. */
bool mgc_adb_wire_status(const char word[4], bool *ret_okay, struct mgc_error *err);
/* What a FAIL text of the server means to a caller: MGC_E_LOST for a device that is offline or not
 * there, MGC_E_DENIED for one that has not allowed this host, MGC_E_UNSUPPORTED for a service that
 * the device closed, else MGC_E_FAILED. */
enum mgc_code mgc_adb_wire_fail_code(const char *text);

/* Foreign text for an error sentence: cut to the buffer, made one line (common/base/text.h). */
const char *mgc_adb_wire_shown(const char *text, char *buf, size_t size);

/* --- shell v2 --------------------------------------------------------------------------------- */

enum mgc_adb_shell_id {
    MGC_ADB_STDIN = 0,
    MGC_ADB_STDOUT = 1,
    MGC_ADB_STDERR = 2,
    MGC_ADB_EXIT = 3, /* one byte: the exit code */
    MGC_ADB_CLOSE_STDIN = 4,
};

enum {
    MGC_ADB_SHELL_HEAD = 5,
    MGC_ADB_SHELL_PACKET_MAX = 1 << 24, /* bytes; adbd itself stays below 1 MiB */
};

void mgc_adb_wire_shell_head(
    unsigned char ret_head[MGC_ADB_SHELL_HEAD], enum mgc_adb_shell_id id, uint32_t len);

/* Zeroed: at a packet's start. */
struct mgc_adb_shell_parser {
    unsigned char head[MGC_ADB_SHELL_HEAD];
    size_t head_len;
    uint32_t left; /* bytes of the current packet still to come */
};

/* Part of a packet; a long packet comes as several pieces. */
struct mgc_adb_shell_piece {
    enum mgc_adb_shell_id id; /* MGC_ADB_STDOUT, _STDERR or _EXIT */
    const char *data;         /* borrowed from the input */
    size_t len;               /* 0: no piece, more input is needed */
};

/* Eat some of the input, which may break anywhere, and give at most one piece. *ret_used is all
 * of the input when there is no piece. Unknown ids are skipped; a length past the cap or an exit
 * packet that is not one byte is MGC_E_PROTOCOL. */
bool mgc_adb_wire_shell_next(struct mgc_adb_shell_parser *parser, const char *data, size_t len,
    size_t *ret_used, struct mgc_adb_shell_piece *ret_piece, struct mgc_error *err);

/* --- sync ------------------------------------------------------------------------------------- */

enum {
    MGC_ADB_SYNC_HEAD = 8,
    MGC_ADB_SYNC_STAT = 16,          /* the answer to STAT: id, mode, size, mtime */
    MGC_ADB_SYNC_DATA_MAX = 1 << 16, /* bytes in one DATA of version 1 */
    MGC_ADB_SYNC_PATH_MAX = 1024,    /* adbd refuses longer paths */
    MGC_ADB_SYNC_FAIL_MAX = 512,     /* bytes of a FAIL text that are kept */
};

void mgc_adb_wire_sync_head(
    unsigned char ret_head[MGC_ADB_SYNC_HEAD], const char id[4], uint32_t value);

struct mgc_adb_stat {
    bool exists;    /* adbd answers all zeroes for a path it cannot stat, whatever the reason */
    uint32_t mode;  /* st_mode of the device */
    uint32_t size;  /* bytes, modulo 2^32 */
    uint32_t mtime; /* s since 1970, device's clock */
};

bool mgc_adb_wire_sync_stat(const unsigned char reply[MGC_ADB_SYNC_STAT],
    struct mgc_adb_stat *ret_stat, struct mgc_error *err);

enum mgc_adb_sync_event {
    MGC_ADB_SYNC_MORE, /* more input is needed */
    MGC_ADB_SYNC_DATA, /* a piece of file */
    MGC_ADB_SYNC_DONE, /* end of a pulled file */
    MGC_ADB_SYNC_OKAY, /* a pushed file is complete on the device */
    MGC_ADB_SYNC_FAIL, /* the device says no: parser->fail holds its text */
};

/* The device's side of a pull or push. Zeroed: at a header's start. */
struct mgc_adb_sync_parser {
    unsigned char head[MGC_ADB_SYNC_HEAD];
    size_t head_len;
    uint32_t left; /* bytes of the current DATA or FAIL still to come */
    bool failing;
    size_t fail_len;
    char fail[MGC_ADB_SYNC_FAIL_MAX + 1];
};

/* As mgc_adb_wire_shell_next; piece and its length only for MGC_ADB_SYNC_DATA. */
bool mgc_adb_wire_sync_next(struct mgc_adb_sync_parser *parser, const char *data, size_t len,
    size_t *ret_used, enum mgc_adb_sync_event *ret_event, const char **ret_piece,
    size_t *ret_piece_len, struct mgc_error *err);

#endif
