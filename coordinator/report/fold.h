/* Sentences for the terminal. Internal to report/. */
#ifndef MGC_REPORT_FOLD_H
#define MGC_REPORT_FOLD_H

#include "common/base/buf.h"

/* One sentence and a line end; foreign bytes are made plain. With a width it is folded between
 * words, later lines indented; 0: on one line, which a script may search. */
void mgc_say(int width, struct mgc_buf *out, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
