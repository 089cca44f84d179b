/* The log files of one attempt, each scanned whole for markers.
 *
 * The phone's log belongs to all its programs: only lines of MobileGL's are searched there, and
 * they keep their line numbers. Logs are required, since "no Fatal" is a statement about what both
 * ends logged: the client's own, the phone's, and the server's own where there is one. The others
 * repeat what stands in those; they are searched when they are there.
 */
#ifndef MGC_VERIFY_LOG_SCAN_H
#define MGC_VERIFY_LOG_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/contract/link_metrics.h"
#include "common/contract/markers.h"
#include "coordinator/verify/server_read.h"

enum mgc_log_file {
    MGC_LOG_CLIENT,    /* the client library's own log: what proves the arm */
    MGC_LOG_FORWARDED, /* server lines forwarded over the session */
    MGC_LOG_OUTPUT,    /* the client's standard output and error */
    MGC_LOG_SERVER,    /* the server's log from the phone */
    MGC_LOG_PHONE,     /* the phone's log during the cell */
    MGC_LOG_FILE_COUNT
};

struct mgc_log_scan {
    const char *name; /* file name in the attempt's directory; NULL: the lane has no such log */
    bool required;
    bool present;
    uint64_t lines;         /* in the file */
    struct mgc_error error; /* it is there but could not be read to its end */
    struct mgc_markers markers;
};

struct mgc_logs {
    struct mgc_log_scan files[MGC_LOG_FILE_COUNT];
    struct mgc_link_log link;           /* of the client's log */
    struct mgc_server_read server_read; /* of the server's log */
};

/* Which files a lane's cells have; a NULL name: this one never. */
struct mgc_log_set {
    struct {
        const char *name;
        bool required;
    } files[MGC_LOG_FILE_COUNT];
};

/* NULL: no memory. Files that are absent are marked so. */
struct mgc_logs *mgc_logs_scan(const char *dir, const struct mgc_log_set *set);
void mgc_logs_free(struct mgc_logs *logs); /* takes NULL */

/* Of the phone's log: one of MobileGL's lines? */
bool mgc_log_line_is_ours(const char *line);

#endif
