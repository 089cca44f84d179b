#include "worker-wsl/route/netlink.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

_Static_assert(MGC_ROUTE_ATTR_COUNT >= RTAX_FASTOPEN_NO_COOKIE + 1, "room for all attributes");
_Static_assert(MGC_ROUTE_IFNAME_SIZE == IFNAMSIZ, "room for an interface name");

/* The kernel answers netlink at once; this only keeps a broken one from holding a task for ever. */
enum { ANSWER_SECONDS = 5 };

struct link {
    struct nl_sock *sock;
    int errnum; /* the kernel's own, where libnl's error code would be coarser */
};

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
    (void)from;
    ((struct link *)arg)->errnum = -error->error;
    return NL_STOP;
}

static bool link_open(struct link *link, struct mgc_error *err)
{
    *link = (struct link){.sock = nl_socket_alloc()};
    if (!link->sock)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "route: out of memory");
    int result = nl_connect(link->sock, NETLINK_ROUTE);
    if (result < 0) {
        nl_socket_free(link->sock);
        return mgc_error_set(
            err, MGC_E_FAILED, "route: open a netlink socket: %s", nl_geterror(result));
    }
    nl_socket_modify_err_cb(link->sock, NL_CB_CUSTOM, on_error, link);
    struct timeval limit = {.tv_sec = ANSWER_SECONDS};
    setsockopt(nl_socket_get_fd(link->sock), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    return true;
}

static bool link_error(const struct link *link, int result, const char *what, const char *address,
    struct mgc_error *err)
{
    if (link->errnum)
        return mgc_error_errno(err, link->errnum, "%s %s/32", what, address);
    if (result == -NLE_AGAIN)
        return mgc_error_set(err, MGC_E_TIMEOUT, "%s %s/32: the kernel did not answer for %d s",
            what, address, ANSWER_SECONDS);
    return mgc_error_set(err, MGC_E_FAILED, "%s %s/32: %s", what, address, nl_geterror(result));
}

/* NULL when out of memory: address is a checked dotted quad. */
static struct nl_addr *to_nl(const char *address)
{
    struct nl_addr *addr = NULL;
    return nl_addr_parse(address, AF_INET, &addr) == 0 ? addr : NULL;
}

static void from_nl(struct nl_addr *addr, char text[MGC_ROUTE_ADDRESS_SIZE])
{
    text[0] = '\0';
    if (!addr || nl_addr_get_len(addr) != 4)
        return;
    const unsigned char *bytes = nl_addr_get_binary_addr(addr);
    snprintf(text, MGC_ROUTE_ADDRESS_SIZE, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

static void ifname_of(const struct rtnl_nexthop *hop, char name[MGC_ROUTE_IFNAME_SIZE])
{
    /* Absent for a moment only: an interface that goes takes its routes along. */
    int index = rtnl_route_nh_get_ifindex((struct rtnl_nexthop *)hop);
    if (index <= 0 || !if_indextoname((unsigned)index, name))
        name[0] = '\0';
}

/* ---- reading ---- */

static bool is_exact(struct rtnl_route *route, struct nl_addr *dst)
{
    return rtnl_route_get_table(route) == RT_TABLE_MAIN && rtnl_route_get_tos(route) == 0 &&
           rtnl_route_get_dst(route) && nl_addr_get_prefixlen(rtnl_route_get_dst(route)) == 32 &&
           nl_addr_cmp(rtnl_route_get_dst(route), dst) == 0;
}

typedef bool visit(struct link *link, struct rtnl_route *route, void *arg, struct mgc_error *err);

/* Call visit for every address/32 of the main table, from one dump. */
static bool for_each_exact(
    struct link *link, const char *address, visit *each, void *arg, struct mgc_error *err)
{
    struct nl_cache *cache = NULL;
    int result = rtnl_route_alloc_cache(link->sock, AF_INET, 0, &cache);
    if (result < 0)
        return link_error(link, result, "read the routes of", address, err);
    struct nl_addr *dst = to_nl(address);
    bool ok = dst || mgc_error_set(err, MGC_E_NO_MEMORY, "route %s/32: out of memory", address);
    struct nl_object *next, *object = ok ? nl_cache_get_first(cache) : NULL;
    for (; ok && object; object = next) {
        next = nl_cache_get_next(object);
        struct rtnl_route *route = (struct rtnl_route *)object;
        if (is_exact(route, dst))
            ok = each(link, route, arg, err);
    }
    nl_addr_put(dst);
    nl_cache_free(cache);
    return ok;
}

static void read_attrs(struct rtnl_route *route, uint32_t attrs[MGC_ROUTE_ATTR_COUNT])
{
    for (int i = RTAX_LOCK; i < MGC_ROUTE_ATTR_COUNT && i <= RTAX_MAX; i++) {
        uint32_t value;
        if (i != RTAX_CC_ALGO && rtnl_route_get_metric(route, i, &value) == 0)
            attrs[i] = value;
    }
}

static bool is_restorable(struct rtnl_route *route)
{
    uint32_t name;
    int hops = rtnl_route_get_nnexthops(route);
    struct rtnl_nexthop *hop = hops == 1 ? rtnl_route_nexthop_n(route, 0) : NULL;
    bool special = hop && (rtnl_route_nh_get_via(hop) || rtnl_route_nh_get_newdst(hop) ||
                              rtnl_route_nh_get_encap_mpls_dst(hop));
    return hops <= 1 && !special && rtnl_route_get_metric(route, RTAX_CC_ALGO, &name) != 0;
}

static bool read_entry(
    struct rtnl_route *route, struct mgc_route_entry *entry, struct mgc_error *err)
{
    if (!is_restorable(route))
        return mgc_error_set(err, MGC_E_UNSUPPORTED,
            "it has several next hops, encapsulation or a congestion control of its own, which "
            "could not be put back; remove it by hand first");
    *entry = (struct mgc_route_entry){
        .present = true,
        .metric = rtnl_route_get_priority(route),
        .protocol = rtnl_route_get_protocol(route),
        .type = rtnl_route_get_type(route),
        .scope = rtnl_route_get_scope(route),
    };
    from_nl(rtnl_route_get_pref_src(route), entry->source);
    read_attrs(route, entry->attrs);
    if (rtnl_route_get_nnexthops(route) == 1) {
        struct rtnl_nexthop *hop = rtnl_route_nexthop_n(route, 0);
        from_nl(rtnl_route_nh_get_gateway(hop), entry->gateway);
        ifname_of(hop, entry->ifname);
        entry->onlink = rtnl_route_nh_get_flags(hop) & RTNH_F_ONLINK;
    }
    return true;
}

static bool keep_lowest(
    struct link *link, struct rtnl_route *route, void *arg, struct mgc_error *err)
{
    (void)link;
    struct mgc_route_entry *best = arg;
    if (best->present && best->metric <= rtnl_route_get_priority(route))
        return true;
    return read_entry(route, best, err);
}

bool mgc_route_nl_find(
    const char *address, struct mgc_route_entry *ret_entry, struct mgc_error *err)
{
    struct link link;
    if (!link_open(&link, err))
        return false;
    struct mgc_route_entry best = {0};
    struct mgc_error why = {0};
    bool ok = for_each_exact(&link, address, keep_lowest, &best, &why);
    nl_socket_free(link.sock);
    if (!ok)
        return mgc_error_set(err, why.code, "existing route %s/32: %s", address, why.text);
    *ret_entry = best;
    return true;
}

static void read_path(struct rtnl_route *route, struct mgc_route_path *path)
{
    *path = (struct mgc_route_path){.present = true};
    from_nl(rtnl_route_get_pref_src(route), path->source);
    if (rtnl_route_get_nnexthops(route) < 1)
        return;
    struct rtnl_nexthop *hop = rtnl_route_nexthop_n(route, 0);
    from_nl(rtnl_route_nh_get_gateway(hop), path->gateway);
    ifname_of(hop, path->ifname);
}

bool mgc_route_nl_lookup(
    const char *address, struct mgc_route_path *ret_path, struct mgc_error *err)
{
    struct link link;
    if (!link_open(&link, err))
        return false;
    struct nl_addr *dst = to_nl(address);
    struct rtnl_route *route = NULL;
    int result = dst ? rtnl_route_lookup(link.sock, dst, &route) : -NLE_NOMEM;
    bool ok = result >= 0 && route;
    if (ok)
        read_path(route, ret_path);
    else if (link.errnum == ENETUNREACH || link.errnum == EHOSTUNREACH || link.errnum == EACCES ||
             link.errnum == EINVAL) {
        /* fib_lookup's answers for "no route", unreachable, prohibit and blackhole */
        *ret_path = (struct mgc_route_path){0};
        ok = true;
    } else {
        link_error(&link, result, "look up the way to", address, err);
    }
    if (route)
        rtnl_route_put(route);
    nl_addr_put(dst);
    nl_socket_free(link.sock);
    return ok;
}

/* ---- changing ---- */

static bool set_hop(
    struct rtnl_route *route, const struct mgc_route_entry *entry, struct mgc_error *err)
{
    struct rtnl_nexthop *hop = rtnl_route_nh_alloc();
    if (!hop)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "out of memory");
    rtnl_route_add_nexthop(route, hop); /* owned by route from here */
    if (entry->ifname[0]) {
        unsigned index = if_nametoindex(entry->ifname);
        if (!index)
            return mgc_error_set(
                err, MGC_E_NOT_FOUND, "there is no interface '%s' here", entry->ifname);
        rtnl_route_nh_set_ifindex(hop, (int)index);
    }
    if (entry->onlink)
        rtnl_route_nh_set_flags(hop, RTNH_F_ONLINK);
    if (entry->gateway[0]) {
        struct nl_addr *gateway = to_nl(entry->gateway);
        if (!gateway)
            return mgc_error_set(err, MGC_E_NO_MEMORY, "out of memory");
        rtnl_route_nh_set_gateway(hop, gateway);
        nl_addr_put(gateway);
    }
    return true;
}

static bool fill(struct rtnl_route *route, const char *address, const struct mgc_route_entry *entry,
    struct mgc_error *err)
{
    struct nl_addr *dst = to_nl(address);
    struct nl_addr *source = entry->source[0] ? to_nl(entry->source) : NULL;
    bool ok = dst && (source || !entry->source[0]);
    if (!ok) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "out of memory");
    } else {
        rtnl_route_set_family(route, AF_INET);
        rtnl_route_set_dst(route, dst);
        rtnl_route_set_table(route, RT_TABLE_MAIN);
        rtnl_route_set_priority(route, entry->metric);
        rtnl_route_set_protocol(route, (uint8_t)entry->protocol);
        rtnl_route_set_type(route, (uint8_t)entry->type);
        rtnl_route_set_scope(route, (uint8_t)entry->scope);
        if (source)
            rtnl_route_set_pref_src(route, source);
        for (int i = RTAX_LOCK; i < MGC_ROUTE_ATTR_COUNT && i <= RTAX_MAX; i++) {
            if (entry->attrs[i])
                rtnl_route_set_metric(route, i, entry->attrs[i]);
        }
        ok = (!entry->ifname[0] && !entry->gateway[0]) || set_hop(route, entry, err);
    }
    nl_addr_put(source);
    nl_addr_put(dst);
    return ok;
}

bool mgc_route_nl_put(
    const char *address, const struct mgc_route_entry *entry, struct mgc_error *err)
{
    struct link link;
    if (!link_open(&link, err))
        return false;
    struct rtnl_route *route = rtnl_route_alloc();
    struct mgc_error why = {0};
    bool ok = route ? fill(route, address, entry, &why)
                    : mgc_error_set(&why, MGC_E_NO_MEMORY, "out of memory");
    if (!ok)
        mgc_error_set(err, why.code, "set route %s/32: %s", address, why.text);
    else {
        int result = rtnl_route_add(link.sock, route, NLM_F_REPLACE);
        ok = result >= 0 || link_error(&link, result, "set route", address, err);
    }
    if (route)
        rtnl_route_put(route);
    nl_socket_free(link.sock);
    return ok;
}

/* The object of the dump is complete, so that the kernel removes this one and no other: with a
 * metric of 0 alone it would take any metric. */
static bool delete_made_by(
    struct link *link, struct rtnl_route *route, void *arg, struct mgc_error *err)
{
    if (rtnl_route_get_protocol(route) != *(const int *)arg)
        return true;
    link->errnum = 0;
    int result = rtnl_route_delete(link->sock, route, 0);
    if (result >= 0 || link->errnum == ESRCH) /* somebody was quicker */
        return true;
    char address[MGC_ROUTE_ADDRESS_SIZE];
    from_nl(rtnl_route_get_dst(route), address);
    return link_error(link, result, "remove route", address, err);
}

bool mgc_route_nl_delete(const char *address, int protocol, struct mgc_error *err)
{
    struct link link;
    if (!link_open(&link, err))
        return false;
    bool ok = for_each_exact(&link, address, delete_made_by, &protocol, err);
    nl_socket_free(link.sock);
    return ok;
}
