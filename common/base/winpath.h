/* Windows paths as text: how a path must be written so that it may be longer than 260 characters.
 *
 * Pure; built and tested on every system. Source: "Naming Files, Paths, and Namespaces" in the
 * documentation of the Windows API.
 */
#ifndef MGC_BASE_WINPATH_H
#define MGC_BASE_WINPATH_H

#include <stddef.h>
#include <stdint.h>

/* From a full path as GetFullPathNameW gives it ("C:\dir\file", "\\server\share\file") to the form
 * without a length limit: "\\?\C:\dir\file", "\\?\UNC\server\share\file". Device paths ("\\.\COM5")
 * and paths that have the form already stay as they are. A new string, the caller's to free; NULL
 * when memory runs out. */
uint16_t *mgc_winpath_extended(const uint16_t *full);

#ifdef _WIN32
/* Any path of ours (UTF-8, either separator, relative or not) in that form, for the W functions of
 * the Windows API. The caller's to free; NULL with errno. Any thread; a relative path is looked up
 * from the working directory of the moment. */
uint16_t *mgc_winpath_new(const char *path);
#endif

#endif
