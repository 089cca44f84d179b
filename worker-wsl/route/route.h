/* One host route (a /32) of the main routing table: look at it, replace it, put it back.
 *
 * It moves a phone's address from the default route, where a proxy may end TCP, to a gateway that
 * only forwards. IPv4 only. The caller gets the state, writes it to its undo journal, and only then
 * replaces; restore puts the state back, also from another process. Every function talks to the
 * kernel of the calling thread's network namespace and returns within a few seconds. Any thread;
 * changes need CAP_NET_ADMIN.
 */
#ifndef WORKER_WSL_ROUTE_ROUTE_H
#define WORKER_WSL_ROUTE_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fields.h"

enum {
    MGC_ROUTE_ADDRESS_SIZE = 16, /* dotted quad and terminator */
    MGC_ROUTE_IFNAME_SIZE = 16,  /* IFNAMSIZ */
    MGC_ROUTE_ATTR_COUNT = 18,   /* RTAX_* of linux/rtnetlink.h, by index */
    /* Marks a route as ours in `ip route` ("proto 77"). Of the numbers that rtnetlink leaves to
     * user space; not in iproute2's rt_protos. */
    MGC_ROUTE_PROTOCOL = 77
};

/* What the main table holds for exactly address/32; of several the one with the lowest metric.
 * All but `present` is meaningful only when present. */
struct mgc_route_entry {
    bool present;
    char gateway[MGC_ROUTE_ADDRESS_SIZE]; /* "": none */
    char ifname[MGC_ROUTE_IFNAME_SIZE];   /* "": none (a blackhole, say) */
    char source[MGC_ROUTE_ADDRESS_SIZE];  /* preferred source; "": none */
    uint32_t metric;                      /* 0 wins over all others */
    int protocol;                         /* who made it: RTPROT_* or MGC_ROUTE_PROTOCOL */
    int type;                             /* RTN_* */
    int scope;                            /* RT_SCOPE_* */
    bool onlink;
    uint32_t attrs[MGC_ROUTE_ATTR_COUNT]; /* mtu and the like; 0: not set */
};

/* The way that the kernel really takes (`ip route get`), rules and all tables considered. */
struct mgc_route_path {
    bool present;                         /* false: no route to the address */
    char gateway[MGC_ROUTE_ADDRESS_SIZE]; /* "": on the link */
    char ifname[MGC_ROUTE_IFNAME_SIZE];
    char source[MGC_ROUTE_ADDRESS_SIZE]; /* as a connected socket's getsockname says */
};

struct mgc_route_state {
    char address[MGC_ROUTE_ADDRESS_SIZE];
    struct mgc_route_entry exact;
    struct mgc_route_path effective;
};

/* True for a dotted quad. */
bool mgc_route_is_address(const char *text);

/* MGC_E_UNSUPPORTED for an existing /32 that could not be put back (several next hops,
 * encapsulation): better not touched. */
bool mgc_route_get(const char *address, struct mgc_route_state *ret_state, struct mgc_error *err);

/* Alike in all that a restore brings back. */
bool mgc_route_same_entry(const struct mgc_route_entry *a, const struct mgc_route_entry *b);

/* Send address/32 through gateway, with metric 0. ifname may be NULL: the interface on which the
 * gateway is. Verified by reading back, by the way that the kernel takes and by the source address
 * of a socket; when verification fails the route stays for the caller to restore. ret_state (may be
 * NULL) is what was read back. */
bool mgc_route_replace(const char *address, const char *gateway, const char *ifname,
    struct mgc_route_state *ret_state, struct mgc_error *err);

/* Remove our own address/32 (MGC_ROUTE_PROTOCOL); somebody else's stays. Absent is success. */
bool mgc_route_delete(const char *address, struct mgc_error *err);

/* Make the exact entry what it was in `before`, and verify. May be called again. */
bool mgc_route_restore(const struct mgc_route_state *before, struct mgc_error *err);

/* For the undo journal and for results: names start with "route_". The effective part is evidence
 * and not read back. from_fields checks everything; MGC_E_PROTOCOL names the bad field. */
bool mgc_route_to_fields(const struct mgc_route_state *state, struct mgc_fields *fields);
bool mgc_route_from_fields(
    const struct mgc_fields *fields, struct mgc_route_state *ret_state, struct mgc_error *err);

/* "192.168.1.5/32 via 192.168.1.1 dev eth0 metric 0 proto 77", "... absent". */
const char *mgc_route_text(const struct mgc_route_state *state, char *buf, unsigned long size);

#endif
