/* By what an arm moved its bytes, for the metrics of a cell on the phone. Internal to verify/. */
#ifndef MGC_VERIFY_MOVED_H
#define MGC_VERIFY_MOVED_H

#include "common/contract/moved.h"
#include "coordinator/verify/log_scan.h"
#include "coordinator/verify/server_read.h"
#include "coordinator/verify/verdict.h"

struct mgc_moved_seen {
    bool told; /* by the client */
    struct mgc_moved moved;
    struct mgc_server_read read;
};

/* A line of one of mgc_phone_log_names, in their order. */
void mgc_moved_take(struct mgc_moved_seen *seen, size_t log, const char *line);

/* processes: the app and every other process that logs and facts name by its pid; absent when the
 * app's is not known. moved_ring_bytes, moved_shared_bytes, moved_socket_bytes: by the client's own
 * line; those of server_read.h. */
void mgc_moved_metrics(struct mgc_fields *metrics, const struct mgc_attempt *attempt,
    const struct mgc_logs *logs, const struct mgc_moved_seen *seen);

#endif
