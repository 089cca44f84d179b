/* Paths as text; nothing here touches the file system. */
#ifndef MGC_BASE_PATH_H
#define MGC_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum { MGC_PATH_MAX = 4096 };

/* "dir/name" into a buffer of `size`; false, empty output, when it does not fit. */
bool mgc_path_join(char *ret_path, size_t size, const char *dir, const char *name);

/* Part after the last separator ('/', on Windows also '\\'); borrowed from path. */
const char *mgc_path_base(const char *path);

/* True for a relative path from a peer that stays below where it is put: 1..200 bytes, parts of
 * [A-Za-z0-9._+@-] joined by '/', no empty part, none that starts with '.'. */
bool mgc_path_is_safe(const char *relative);

#endif
