/* A reader of the device's log that does nothing else: bytes to a file, counts, gaps.
 *
 * Begin and end are proved by order, not by a clock: a line with a random nonce is written to the
 * log (tag "mgcoord"), and the file starts with it; so every later line is newer than the start.
 * The end is proved the same way. One thread per object.
 *
 *   closed -> open (marker seen) -> [ended -> reopened]* -> closed
 */
#ifndef MGC_ADB_LOGCAT_H
#define MGC_ADB_LOGCAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker-host/adb/conn.h"
#include "worker-host/adb/logline.h"

struct mgc_adb_log; /* opaque */

/* Gets each complete line from the begin marker on, without its newline. */
typedef void mgc_adb_log_fn(void *ctx, const char *line, size_t len);

struct mgc_adb_log_spec {
    const char *filter; /* filter specs that passed mgc_adb_check_filter; NULL: everything */
    const char *path;   /* local file, created; NULL: none */
    /* Commands for the device's sh, run before the begin marker in the same stream; an exit code
     * other than 0 ends it. Made by quote.h. NULL: none. */
    const char *before;
    mgc_adb_log_fn *line; /* may be NULL */
    void *ctx;
};

/* Texts in spec are copied. NULL on failure. */
struct mgc_adb_log *mgc_adb_log_new(struct mgc_adb *adb, const char *serial,
    const struct mgc_adb_log_spec *spec, struct mgc_error *err);
void mgc_adb_log_free(struct mgc_adb_log *log); /* takes NULL */

/* Open the stream and read up to the begin marker; the deadline is for that. Where `before` or
 * logcat itself ended instead: MGC_E_FAILED, mgc_adb_log_exit has the code. */
bool mgc_adb_log_open(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* The code of the command that ended; -1 while it runs. */
int mgc_adb_log_exit(const struct mgc_adb_log *log);
/* What the stream wrote to stderr so far (cut at 16 KiB), such as the words of `before`. */
const char *mgc_adb_log_stderr(const struct mgc_adb_log *log);

/* To poll on; do not when mgc_adb_log_buffered. */
mgc_socket mgc_adb_log_socket(const struct mgc_adb_log *log);
bool mgc_adb_log_buffered(const struct mgc_adb_log *log);
/* Take what is there, waiting for at least one piece. MGC_E_LOST when the stream ended; the file
 * then says so at its end. */
bool mgc_adb_log_read(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* After MGC_E_LOST, of this stream or another one of the device: open again from the last time
 * stamp on (its lines may come twice). Counts a gap. */
bool mgc_adb_log_reopen(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Write the end marker on the device and read up to it: what was logged before is in the file. */
bool mgc_adb_log_finish(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err);

const struct mgc_adb_logscan *mgc_adb_log_scan(const struct mgc_adb_log *log);

#endif
