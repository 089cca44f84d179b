/* Paths that a request names. Pure. */
#ifndef MGD_PATH_H
#define MGD_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum { MGD_PATH_MAX = 4096 };

/* An absolute path without ".." parts. */
bool mgd_path_ok(const char *path);
/* A name below a directory: not empty, not absolute, no "..", "." or empty part; one '/' at its end
 * is allowed. */
bool mgd_name_ok(const char *name);
/* dir + '/' + name; an empty dir leaves the name, which must be absolute then. False: not allowed,
 * or too long. */
bool mgd_path_join(char *ret_path, size_t size, const char *dir, const char *name);

#endif
