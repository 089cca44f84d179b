#include "worker-wsl/route/watch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int mgc_route_watch_open(struct mgc_error *err)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    /* Links, too: the routes of a link that goes down vanish without a message of their own. */
    struct sockaddr_nl own = {.nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV4_RULE};
    if (fd >= 0 && bind(fd, (struct sockaddr *)&own, sizeof(own)) == 0)
        return fd;
    mgc_error_errno(err, errno, "watch the routes");
    if (fd >= 0)
        close(fd);
    return -1;
}

void mgc_route_watch_drain(int fd)
{
    char buf[8192];
    /* ENOBUFS says that messages were lost: the next look is as good as reading them. */
    while (recv(fd, buf, sizeof(buf), 0) >= 0 || errno == ENOBUFS || errno == EINTR)
        ;
}

static bool same_path(const struct mgc_route_path *a, const struct mgc_route_path *b)
{
    return a->present == b->present && strcmp(a->gateway, b->gateway) == 0 &&
           strcmp(a->ifname, b->ifname) == 0 && strcmp(a->source, b->source) == 0;
}

bool mgc_route_still(const struct mgc_route_state *set, struct mgc_error *err)
{
    struct mgc_route_state now;
    char text[256];
    if (!mgc_route_get(set->address, &now, err))
        return false;
    if (!mgc_route_same_entry(&set->exact, &now.exact))
        return mgc_error_set(err, MGC_E_LOST,
            "the route was changed while it had to hold, by another program or because its link "
            "went down; now: %s",
            mgc_route_text(&now, text, sizeof(text)));
    if (same_path(&set->effective, &now.effective))
        return true;
    return mgc_error_set(err, MGC_E_LOST,
        "the route to %s is in place, but the kernel now sends via %s dev %s from %s; see `ip "
        "rule`",
        set->address, now.effective.gateway[0] ? now.effective.gateway : "(link)",
        now.effective.ifname[0] ? now.effective.ifname : "(none)",
        now.effective.source[0] ? now.effective.source : "(none)");
}
