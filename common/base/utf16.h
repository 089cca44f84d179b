/* UTF-8, which the suite uses everywhere, to and from UTF-16, which Windows uses. Pure, and built
 * on every system so that it is tested on every system.
 *
 * Strict both ways: overlong forms, lone surrogates and values past U+10FFFF are refused, so that
 * two different names can never become one.
 */
#ifndef MGC_BASE_UTF16_H
#define MGC_BASE_UTF16_H

#include <stddef.h>
#include <stdint.h>

/* A new NUL-terminated copy, the caller's to free; NULL with errno EILSEQ (bad text) or ENOMEM.
 * The lengths are in units without the terminator and may be NULL. */
uint16_t *mgc_utf16_from_utf8(const char *text, size_t *ret_units);
char *mgc_utf8_from_utf16(const uint16_t *text, size_t *ret_bytes);

#endif
