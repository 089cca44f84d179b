/* The only way an argument reaches the device's shell, and what may be one.
 *
 * adb hands a command to the device as one string that its sh (mksh) parses, so every argument is
 * quoted here. What goes into it is checked first by the validators below. Pure; any thread.
 */
#ifndef MGC_ADB_QUOTE_H
#define MGC_ADB_QUOTE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"

/* Append `argument` so that a POSIX sh reads exactly these bytes as one word: always in single
 * quotes, a single quote inside as '\''. False only when memory runs out. */
bool mgc_adb_quote(struct mgc_buf *out, const char *argument);
/* All arguments of a NULL-ended list, quoted, with blanks between. */
bool mgc_adb_quote_all(struct mgc_buf *out, const char *const *argv);

/* Each names what it was given and what is expected (MGC_E_USAGE). */

/* 1..127 of [A-Za-z0-9._:@%[]-], not starting with '-'. */
bool mgc_adb_check_serial(const char *text, struct mgc_error *err);
/* Android's rule: at least two parts of [A-Za-z][A-Za-z0-9_]* joined by '.', at most 255 bytes. */
bool mgc_adb_check_package(const char *text, struct mgc_error *err);
/* Absolute, at most 1000 bytes, no control characters, no ".." part. */
bool mgc_adb_check_path(const char *text, struct mgc_error *err);
/* "K=V;K=;K": ';' separates, K is [A-Za-z_][A-Za-z0-9_]*, V holds no control characters; empty
 * items are allowed. A bare K unsets (contract section 7). */
bool mgc_adb_check_env(const char *text, struct mgc_error *err);
/* "tcp://HOST:PORT" with a host of [A-Za-z0-9.:[]-] and a port of 1..65535. */
bool mgc_adb_check_endpoint(const char *text, struct mgc_error *err);
/* logcat filter specs: "Tag:V *:S", words of [A-Za-z0-9_.*-]+[:VDIWEFS]. */
bool mgc_adb_check_filter(const char *text, struct mgc_error *err);

#endif
