/* What some C libraries lack. Pure. */
#ifndef MGC_BASE_STR_H
#define MGC_BASE_STR_H

#include <stddef.h>

/* Copy of at most `len` bytes of text, NUL-terminated, the caller's to free; NULL without memory.
 */
char *mgc_strndup(const char *text, size_t len);

#endif
