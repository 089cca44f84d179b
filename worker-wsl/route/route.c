#include "worker-wsl/route/route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "worker-wsl/route/netlink.h"

bool mgc_route_is_address(const char *text)
{
    struct in_addr addr;
    return inet_pton(AF_INET, text, &addr) == 1;
}

static bool check_address(const char *what, const char *text, struct mgc_error *err)
{
    if (mgc_route_is_address(text))
        return true;
    return mgc_error_set(err, MGC_E_USAGE,
        "route: %s '%.64s': expected an IPv4 address such as 192.168.1.5 (IPv6 is not supported)",
        what, text);
}

/* The source address that a socket gets: connect on UDP sends nothing, but takes the route. */
static bool read_source(
    const char *address, char source[MGC_ROUTE_ADDRESS_SIZE], struct mgc_error *err)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(9)}, own = {0};
    socklen_t len = sizeof(own);
    inet_pton(AF_INET, address, &peer.sin_addr);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&peer, sizeof(peer)) == 0 &&
              getsockname(fd, (struct sockaddr *)&own, &len) == 0;
    int errnum = errno;
    if (fd >= 0)
        close(fd);
    if (!ok)
        return mgc_error_errno(err, errnum, "source address towards %s", address);
    inet_ntop(AF_INET, &own.sin_addr, source, MGC_ROUTE_ADDRESS_SIZE);
    return true;
}

bool mgc_route_get(const char *address, struct mgc_route_state *ret_state, struct mgc_error *err)
{
    struct mgc_route_state state = {0};
    if (!check_address("phone", address, err))
        return false;
    snprintf(state.address, sizeof(state.address), "%s", address);
    if (!mgc_route_nl_find(address, &state.exact, err) ||
        !mgc_route_nl_lookup(address, &state.effective, err))
        return false;
    if (state.effective.present && !read_source(address, state.effective.source, err))
        return false;
    *ret_state = state;
    return true;
}

/* What a person can do about a refusal by the kernel. */
static bool put_error(const char *address, const char *gateway, const char *ifname,
    const struct mgc_error *why, struct mgc_error *err)
{
    const char *advice = "";
    if (why->code == MGC_E_DENIED)
        advice = "; it needs CAP_NET_ADMIN: run the worker as root";
    else if (why->code == MGC_E_UNREACHABLE)
        advice = "; the gateway is on none of this host's networks: check the site's gateway and "
                 "`ip addr`";
    else if (why->code == MGC_E_NOT_FOUND)
        advice = "; see `ip link`";
    return mgc_error_set(err, why->code, "route %s/32 via %s dev %s: %s%s", address, gateway,
        ifname && *ifname ? ifname : "(any)", why->text, advice);
}

static bool verify(
    const struct mgc_route_state *state, const struct mgc_route_entry *want, struct mgc_error *err)
{
    const struct mgc_route_entry *got = &state->exact;
    const struct mgc_route_path *path = &state->effective;
    if (!got->present || strcmp(got->gateway, want->gateway) != 0 ||
        got->protocol != want->protocol ||
        (want->ifname[0] && strcmp(got->ifname, want->ifname) != 0))
        return mgc_error_set(err, MGC_E_FAILED,
            "route %s/32 via %s: the table holds another route after it was set; another program "
            "changes routes too",
            state->address, want->gateway);
    if (!path->present || strcmp(path->gateway, want->gateway) != 0 ||
        strcmp(path->ifname, got->ifname) != 0)
        return mgc_error_set(err, MGC_E_FAILED,
            "route %s/32 via %s dev %s is set, but the kernel sends via %s dev %s; a rule or "
            "another table comes first: see `ip rule` and `ip route get %s`",
            state->address, want->gateway, got->ifname, path->gateway[0] ? path->gateway : "(link)",
            path->ifname[0] ? path->ifname : "(none)", state->address);
    return true;
}

bool mgc_route_replace(const char *address, const char *gateway, const char *ifname,
    struct mgc_route_state *ret_state, struct mgc_error *err)
{
    struct mgc_route_entry want = {
        .present = true,
        .protocol = MGC_ROUTE_PROTOCOL,
        .type = RTN_UNICAST,
        .scope = RT_SCOPE_UNIVERSE,
    };
    if (!check_address("phone", address, err) || !check_address("gateway", gateway, err))
        return false;
    if (ifname && strlen(ifname) >= sizeof(want.ifname))
        return mgc_error_set(
            err, MGC_E_USAGE, "route: interface '%.40s': name is too long", ifname);
    snprintf(want.gateway, sizeof(want.gateway), "%s", gateway);
    snprintf(want.ifname, sizeof(want.ifname), "%s", ifname ? ifname : "");
    struct mgc_error why = {0};
    if (!mgc_route_nl_put(address, &want, &why))
        return put_error(address, gateway, ifname, &why, err);
    struct mgc_route_state state;
    if (!mgc_route_get(address, &state, err) || !verify(&state, &want, err))
        return false;
    if (ret_state)
        *ret_state = state;
    return true;
}

bool mgc_route_delete(const char *address, struct mgc_error *err)
{
    if (!check_address("phone", address, err))
        return false;
    struct mgc_error why = {0};
    if (mgc_route_nl_delete(address, MGC_ROUTE_PROTOCOL, &why))
        return true;
    return mgc_error_set(err, why.code, "%s%s", why.text,
        why.code == MGC_E_DENIED ? "; it needs CAP_NET_ADMIN: run the worker as root" : "");
}

bool mgc_route_same_entry(const struct mgc_route_entry *a, const struct mgc_route_entry *b)
{
    if (!a->present || !b->present)
        return a->present == b->present;
    return strcmp(a->gateway, b->gateway) == 0 && strcmp(a->ifname, b->ifname) == 0 &&
           strcmp(a->source, b->source) == 0 && a->metric == b->metric &&
           a->protocol == b->protocol && a->type == b->type && a->scope == b->scope &&
           a->onlink == b->onlink && memcmp(a->attrs, b->attrs, sizeof(a->attrs)) == 0;
}

bool mgc_route_restore(const struct mgc_route_state *before, struct mgc_error *err)
{
    const char *address = before->address;
    const struct mgc_route_entry *was = &before->exact;
    struct mgc_error why = {0};
    /* Ours has metric 0. One that had 0 too was replaced and is put over ours; one with a higher
     * metric was only hidden, and shows again once ours is gone. */
    bool replaced = was->present && was->metric == 0;
    if (!replaced && !mgc_route_delete(address, err))
        return false;
    struct mgc_route_entry now;
    if (!mgc_route_nl_find(address, &now, err))
        return false;
    /* One that was made meanwhile by somebody else is theirs. */
    if (!was->present && (!now.present || now.protocol != MGC_ROUTE_PROTOCOL))
        return true;
    if (was->present && !mgc_route_same_entry(&now, was) && !mgc_route_nl_put(address, was, &why))
        return put_error(
            address, was->gateway[0] ? was->gateway : "(none)", was->ifname, &why, err);
    if (!mgc_route_nl_find(address, &now, err))
        return false;
    if (mgc_route_same_entry(&now, was))
        return true;
    struct mgc_route_state state = {.exact = now};
    char got[160], want[160];
    snprintf(state.address, sizeof(state.address), "%s", address);
    return mgc_error_set(err, MGC_E_FAILED,
        "restore route: found %s instead of %s; another program changes routes too",
        mgc_route_text(&state, got, sizeof(got)), mgc_route_text(before, want, sizeof(want)));
}
