/* The link test between a sink (mgdevice, on the phone) and its client (worker-wsl/netbench), over
 * TCP. docs/netbench.md tells the conversation; the messages are those of message.h, framed as
 * stream.h says.
 *
 *   client                                    sink
 *   connect, preamble, SINK_HELLO stream 0 -> SINK_SEEN            the one that steers
 *   connect, preamble, SINK_HELLO stream k -> SINK_SEEN            one for each stream of a test
 *   SINK_RUN                               -> BEGUN
 *   data on all streams, in one direction; CLOCK and CLOCK_REPLY meanwhile
 *   whoever receives: SINK_OVER or SINK_STOP; whoever sends ends its streams
 *                                             SINK_STREAM, SINK_INTERVAL, SINK_RESULT, DONE
 *
 * Only the receiver measures: it counts bytes by its own monotonic clock from the first one on, for
 * as long as was asked, while the sender goes on sending until it is told to stop. Then both know
 * what they sent and received in all, to the last byte, and these must be equal.
 *
 * Pure; any thread.
 */
#ifndef MGC_DEVICE_SINK_H
#define MGC_DEVICE_SINK_H

#include "common/device/stream.h"

enum {
    MGC_SINK_PORT = 40614,     /* default */
    MGC_SINK_STREAMS_MAX = 16, /* of one test */
    MGC_SINK_DURATION_MAX_MS = 600000,
    MGC_SINK_INTERVAL_MIN_MS = 10,
    MGC_SINK_INTERVALS_MAX = 6000,
    MGC_SINK_GRACE_MS = 15000,    /* that a test may take longer than asked, on either side */
    MGC_SINK_HELLO_SIZE = 50,     /* bytes: preamble, head and payload of a SINK_HELLO */
    MGC_SINK_SEEN_SIZE = 44,      /* the same of a SINK_SEEN */
    MGC_SINK_UNSENT = 512 * 1024, /* bytes that a sender leaves waiting in the kernel, at most */
};

/* "up", "down"; "unknown" */
const char *mgc_sink_way_name(unsigned way);

/* Can a test be like this? The error says what was expected. */
bool mgc_sink_run_check(const struct mgc_device_sink_run *run, struct mgc_error *err);

/* The token that goes over the wire, of the secret text that a run has: so the text itself, which
 * others use too, is never sent. Not in mgdevice, which gets the token. */
void mgc_sink_token(const char *text, unsigned char ret_token[MGC_DEVICE_TOKEN_SIZE]);
/* Equal, in a time that does not depend on where they differ. */
bool mgc_sink_token_equal(
    const unsigned char a[MGC_DEVICE_TOKEN_SIZE], const unsigned char b[MGC_DEVICE_TOKEN_SIZE]);

/* What is sent: bytes that no link can make shorter. The same each time. */
void mgc_sink_fill(unsigned char *data, size_t size);

/* Bytes received, by interval. Zeroed is one that has ended. */
struct mgc_sink_series {
    int64_t interval_ns, duration_ns;
    int64_t first_ns; /* of the first byte, mono ns */
    bool begun;
    int64_t *bytes; /* owned; per interval; the last one is shorter unless it divides evenly */
    size_t count;
};

/* False: no memory. */
bool mgc_sink_series_make(struct mgc_sink_series *series, const struct mgc_device_sink_run *run);
void mgc_sink_series_destroy(struct mgc_sink_series *series); /* takes NULL and zeroed */
/* Bytes that have come by now. The first call begins the window; what comes after its end is not
 * counted. */
void mgc_sink_series_add(struct mgc_sink_series *series, int64_t now_ns, int64_t bytes);
/* When the window ends, mono ns; MGC_NEVER before it has begun. */
int64_t mgc_sink_series_end_ns(const struct mgc_sink_series *series);
int64_t mgc_sink_series_total(const struct mgc_sink_series *series);

#endif
