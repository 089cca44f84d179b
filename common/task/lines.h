/* Files of lines "key = value" that a worker writes for itself and for people. Pure. */
#ifndef MGC_TASK_LINES_H
#define MGC_TASK_LINES_H

#include "common/base/buf.h"

/* Append a line; a newline in the value becomes a space. NULL is empty. */
void mgc_lines_put(struct mgc_buf *out, const char *key, const char *value);
/* Value of the first line with that key; owned, "" when there is none, NULL on no memory. */
char *mgc_lines_take(const char *text, const char *key);

#endif
