/* A growable run of bytes that is always NUL-terminated, so it serves as text and as data.
 *
 * Growth that fails (no memory, or past max) marks the buffer failed: later appends do nothing
 * and mgc_buf_ok says false, so a builder checks once at its end. One thread at a time.
 */
#ifndef MGC_BASE_BUF_H
#define MGC_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/attr.h"

struct mgc_buf {
    char *data; /* owned; NULL while empty and never grown */
    size_t len; /* bytes, without the terminator */
    size_t cap;
    size_t max; /* 0: MGC_BUF_MAX_DEFAULT */
    bool failed;
};

/* 1 GiB: a text or frame that grows past this is a mistake, not data. */
#define MGC_BUF_MAX_DEFAULT ((size_t)1 << 30)

/* A zeroed struct is a valid empty buffer; init also sets the cap. */
void mgc_buf_init(struct mgc_buf *buf, size_t max);
void mgc_buf_destroy(struct mgc_buf *buf); /* takes NULL and zeroed */

bool mgc_buf_reserve(struct mgc_buf *buf, size_t more); /* room for `more` bytes after len */
bool mgc_buf_append(struct mgc_buf *buf, const void *data, size_t len);
bool mgc_buf_puts(struct mgc_buf *buf, const char *text);
bool mgc_buf_putc(struct mgc_buf *buf, char c);
bool mgc_buf_printf(struct mgc_buf *buf, const char *fmt, ...) MGC_PRINTF(2, 3);
bool mgc_buf_vprintf(struct mgc_buf *buf, const char *fmt, va_list args) MGC_PRINTF(2, 0);
void mgc_buf_clear(struct mgc_buf *buf);               /* empty, keep the room, clear failed */
void mgc_buf_consume(struct mgc_buf *buf, size_t len); /* drop bytes from the front */
bool mgc_buf_ok(const struct mgc_buf *buf);

/* Text of the buffer, "" when empty; valid until the next change. */
const char *mgc_buf_text(const struct mgc_buf *buf);
/* Hand the bytes to the caller (free() them); the buffer is empty again. NULL if it failed. */
char *mgc_buf_steal(struct mgc_buf *buf);

#endif
