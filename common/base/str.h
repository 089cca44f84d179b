/* What some C libraries lack, and what is wanted everywhere. Pure. */
#ifndef MGC_BASE_STR_H
#define MGC_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

/* Copy of at most `len` bytes of text, NUL-terminated, the caller's to free; NULL without memory.
 */
char *mgc_strndup(const char *text, size_t len);

/* Equal texts, or both NULL. */
bool mgc_str_same(const char *a, const char *b);

#endif
