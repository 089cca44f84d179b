/* What the log says of one server, from the begin marker on. Pure.
 *
 * The server's lines are looked for under both tags: "MobileGL" (the library) and
 * "MobileGLServer" (the service, which repeats what the server prints); a line may come under
 * both.
 */
#ifndef MGC_HOST_SERVER_LOG_H
#define MGC_HOST_SERVER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/fields.h"
#include "common/contract/markers.h"

#define MGC_SERVER_LOG_FILTER "MobileGL:V MobileGLServer:V ActivityManager:I *:S"

enum { MGC_SERVER_SYSTEM_LINES = 4 };

/* About 27 KiB. Zeroed is a valid start. */
struct mgc_server_log {
    const char *package; /* borrowed; the app whose starts and ends are kept; NULL: nobody's */
    struct mgc_markers markers;
    uint64_t lines;
    uint64_t refused[2]; /* Refuse{ lines per tag; a refusal shows under one or both */
    char listen_line[MGC_MARKER_LINE_MAX + 1]; /* message only; empty: none yet */
    char last_line[MGC_MARKER_LINE_MAX + 1];   /* latest message of either tag */
    char warning[MGC_MARKER_LINE_MAX + 1]; /* latest of level W or above, other than listening */
    /* What ActivityManager said of the app, the latest ones, in a ring: number n at n % size. */
    char system[MGC_SERVER_SYSTEM_LINES][MGC_MARKER_LINE_MAX + 1];
    uint64_t system_count;
    char ended[MGC_MARKER_LINE_MAX + 1]; /* the service on its server's end; empty: nothing yet */
};

/* Take a log line (threadtime form, no newline), in order. */
void mgc_server_log_line(struct mgc_server_log *log, const char *line, size_t len);

/* Facts: listen_line, refused and refuse_code (when any), session_reaped, reap_line, session_pid,
 * session_exit or session_signal. `expect_session`: say session_reaped false, too. */
bool mgc_server_log_facts(
    const struct mgc_server_log *log, bool expect_session, struct mgc_fields *facts);

/* What tells one end of a server from another: system_lines (of ActivityManager about the app: a
 * "Force stopping" after its "Start proc" is a stop that came late or from somebody else; none is a
 * kill or an exit), ended_line (with the signal or the exit code). Absent when nothing was said. */
bool mgc_server_log_end_facts(const struct mgc_server_log *log, struct mgc_fields *facts);

/* A client was refused and no session was ever ready: no reap line is to come. */
bool mgc_server_log_only_refused(const struct mgc_server_log *log);

/* The reap line of the session that was ready last; while none was ever ready, the latest one.
 * Other sessions are those of strangers: their ends say nothing. NULL: none yet. */
const struct mgc_reap *mgc_server_log_reap(const struct mgc_server_log *log);

/* A session was ready, or ended: its reap line is there or to come. */
bool mgc_server_log_has_session(const struct mgc_server_log *log);

/* The reap line of the session that was ready last, when a signal or an exit code other than 0
 * ended it; else NULL. Sessions that never became ready are those of strangers. */
const struct mgc_reap *mgc_server_log_broken(const struct mgc_server_log *log);

/* Its exit code says that it had no place to listen (contract: 72). */
bool mgc_server_log_cannot_listen(const struct mgc_server_log *log);

/* The app or Android has said how it ended. */
bool mgc_server_log_has_last_words(const struct mgc_server_log *log);

/* "its last words: ..." for an error sentence about a server that did not come up. */
const char *mgc_server_log_words(const struct mgc_server_log *log, char *buf, size_t size);

#endif
