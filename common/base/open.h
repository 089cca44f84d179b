/* fopen for binary files, the same everywhere: paths are UTF-8 of any length, children do not
 * inherit the file, and on Windows others may rename or remove it while it is open. Any thread. */
#ifndef MGC_BASE_OPEN_H
#define MGC_BASE_OPEN_H

#include <stdio.h>

FILE *mgc_open_read(const char *path);  /* NULL with errno */
FILE *mgc_open_write(const char *path); /* created or emptied; NULL with errno */

#endif
