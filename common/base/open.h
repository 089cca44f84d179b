/* fopen for binary files, the same everywhere: paths are UTF-8 of any length, children do not
 * inherit the file, and on Windows others may rename or remove it while it is open. Any thread.
 *
 * Paths come from people and peers: what is no regular file (FIFO, device, socket, directory) is
 * refused instead of waited for. */
#ifndef MGC_BASE_OPEN_H
#define MGC_BASE_OPEN_H

#include <stdio.h>

#include "common/base/error.h"

FILE *mgc_open_read(const char *path, struct mgc_error *err); /* NULL with the path in err */
FILE *mgc_open_write(const char *path); /* created or emptied; NULL with errno */

#ifndef _WIN32
/* The same as a descriptor, -1 on failure. */
int mgc_open_regular(const char *path, struct mgc_error *err);
#endif

#endif
