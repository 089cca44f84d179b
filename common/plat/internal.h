/* What the portable half of plat asks of unix/ and win/; nobody outside common/plat includes it. */
#ifndef MGC_PLAT_INTERNAL_H
#define MGC_PLAT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plat/net.h"

/* Make one directory whose parent exists; an existing directory is success. */
bool mgc_plat_mkdir(const char *path, unsigned mode, struct mgc_error *err);

/* A name is durable only once its directory is: sync the directory that holds path. Unix only. */
bool mgc_plat_sync_parent(const char *path, struct mgc_error *err);

/* Send what the socket takes now or, if nothing, what it takes once writable: at least one byte. */
bool mgc_plat_send_some(mgc_socket socket, const void *data, size_t len, size_t *ret_sent,
    int64_t deadline_ns, int stop_fd, struct mgc_error *err);

/* True once the socket (or other descriptor that can be polled) has something to read, or an error
 * that the next call on it reports. False: MGC_E_TIMEOUT, MGC_E_CANCELLED (stop_fd readable; -1:
 * none). `what` begins the sentence. The stop signal wins when both are there. */
bool mgc_plat_wait_readable(
    mgc_socket socket, int64_t deadline_ns, int stop_fd, const char *what, struct mgc_error *err);

#endif
