/* What a program of the lab said last, for the sentence about its end. */
#ifndef MGC_LAB_LAST_WORDS_H
#define MGC_LAB_LAST_WORDS_H

#include <stddef.h>

/* Last line of a log, cut to size; "its log is empty" when there is none, as on a full disk.
 * Returns a constant or a text within buf. */
const char *mgc_lab_last_words(const char *log_path, char *buf, size_t size);

#endif
