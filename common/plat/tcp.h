/* What the kernel knows of a TCP connection, and how it sends on it. Linux only: the two ends of a
 * link test, and mgdevice compiles it into its own binary. One thread per socket.
 */
#ifndef MGC_PLAT_TCP_H
#define MGC_PLAT_TCP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

enum { MGC_TCP_CONGESTION_SIZE = 16 };

struct mgc_tcp_facts {
    int64_t retransmits;    /* segments sent again; -1: not known (so of all below) */
    int64_t received_bytes; /* by the kernel, from the peer */
    int64_t acked_bytes;    /* that the peer has acknowledged */
    int64_t min_rtt_us;
    uint32_t mss;    /* largest segment that this end sends, bytes; 0: not known */
    uint16_t wscale; /* shift that the peer named for its window */
    bool timestamps; /* in use: 12 bytes of each segment */
    char congestion[MGC_TCP_CONGESTION_SIZE]; /* control in use; empty: not known */
};

/* What cannot be read is not known. */
void mgc_tcp_facts(int fd, struct mgc_tcp_facts *ret_facts);

/* Use this congestion control. MGC_E_NOT_FOUND when the kernel has none of that name, MGC_E_DENIED
 * when it keeps it for others. */
bool mgc_tcp_set_congestion(int fd, const char *name, struct mgc_error *err);

/* Let at most so many bytes wait that were not sent yet, so that what is on the way ends soon after
 * the sender. Where the kernel cannot, more wait. */
void mgc_tcp_limit_unsent(int fd, int bytes);

#endif
