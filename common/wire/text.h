/* Text on the wire is UTF-8 without NUL: it comes from logs and phones, so it is checked when it
 * arrives and repaired when it leaves. Bytes that must stay as they are travel as artifacts. Pure.
 */
#ifndef MGC_WIRE_TEXT_H
#define MGC_WIRE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

/* True for well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms) without a NUL byte. */
bool mgc_text_is_valid(const char *text, size_t len);

/* Append text with every byte that breaks the rules replaced by U+FFFD. */
bool mgc_text_repair(struct mgc_buf *out, const char *text, size_t len);

#endif
