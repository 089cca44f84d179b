/* How fast the render server read its socket, by its own P65ServerFrame lines. It writes them only
 * where MOBILEGL_SERVER_FRAME_STATS was asked for. Internal to verify/; pure.
 */
#ifndef MGC_VERIFY_SERVER_READ_H
#define MGC_VERIFY_SERVER_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/fields.h"

struct mgc_server_read {
    bool told;
    int64_t bytes;
    double read_ms; /* reading, with waiting for the client */
};

/* A line of the server's own log. */
void mgc_server_read_take(struct mgc_server_read *read, const char *line);

/* server_read_bytes, and server_read_mb_s: 10^6 bytes per second of reading, over all frames. The
 * time holds waiting for the client, as in the line's own MB/s (contract section 5): it is the rate
 * at which frames came in, and the link's only where the link was what held them up. Absent when
 * the server did not say. */
void mgc_server_read_metrics(struct mgc_fields *metrics, const struct mgc_server_read *read);

#endif
