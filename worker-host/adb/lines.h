/* Labelled lines of what a program printed. Pure. */
#ifndef MGC_ADB_LINES_H
#define MGC_ADB_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Rest of the first line that begins with `label`, without its end, cut to `size`; false when there
 * is none. */
bool mgc_adb_line_after(const char *text, const char *label, char *ret_rest, size_t size);

#endif
