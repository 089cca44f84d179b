/* A plan or site file as it may be kept in a run's directory: without secrets. Pure. Internal to
 * session/. */
#ifndef MGC_SESSION_MASKED_H
#define MGC_SESSION_MASKED_H

#include <stdbool.h>

#include "common/base/buf.h"

/* Append the YAML text; on a line that has `key` as a word, what follows its colon becomes
 * "(secret)". False, nothing appended: the value does not stand on that line, or `secret` (NULL:
 * none) still stands somewhere. */
bool mgc_masked(const char *text, const char *key, const char *secret, struct mgc_buf *out);

#endif
