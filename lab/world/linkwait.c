#include "lab/world/linkwait.h"

#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/rtnetlink.h>

#include "common/base/clock.h"

enum { LINKS_MAX = 8 };

struct links {
    const char *const *names;
    unsigned index[LINKS_MAX];
    bool up[LINKS_MAX];
    size_t count;
};

/* Asking for one link also makes kernels from 6.8 on finish its pending change at once. */
static bool ask(int fd, unsigned index, struct mgc_error *err)
{
    struct {
        struct nlmsghdr head;
        struct ifinfomsg info;
    } request = {
        .head = {.nlmsg_len = sizeof request,
            .nlmsg_type = RTM_GETLINK,
            .nlmsg_flags = NLM_F_REQUEST},
        .info = {.ifi_index = (int)index},
    };
    if (send(fd, &request, sizeof request, 0) < 0)
        return mgc_error_errno(err, errno, "asking for a link");
    return true;
}

/* IFF_RUNNING is the operational state. */
static void note(struct links *links, const char *data, size_t len)
{
    const struct nlmsghdr *head = (const void *)data;
    for (; NLMSG_OK(head, len); head = NLMSG_NEXT(head, len)) {
        const struct ifinfomsg *info = NLMSG_DATA(head);
        if (head->nlmsg_type != RTM_NEWLINK || head->nlmsg_len < NLMSG_LENGTH(sizeof *info))
            continue;
        for (size_t i = 0; i < links->count; i++) {
            if (links->index[i] == (unsigned)info->ifi_index)
                links->up[i] = (info->ifi_flags & IFF_RUNNING) != 0;
        }
    }
}

static const char *first_down(const struct links *links)
{
    for (size_t i = 0; i < links->count; i++) {
        if (!links->up[i])
            return links->names[i];
    }
    return NULL;
}

static bool listen_and_wait(int fd, struct links *links, int64_t deadline_ns, struct mgc_error *err)
{
    _Alignas(struct nlmsghdr) char data[32768];
    const char *down;
    while ((down = first_down(links)) != NULL) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int rc = poll(&ready, 1, mgc_deadline_poll_ms(deadline_ns));
        if (rc == 0)
            return mgc_error_set(err, MGC_E_TIMEOUT, "link %s did not come up in time", down);
        ssize_t n = rc > 0 ? recv(fd, data, sizeof data, 0) : -1;
        if (n < 0 && errno != EINTR)
            return mgc_error_errno(err, errno, "listening for link changes");
        if (n > 0)
            note(links, data, (size_t)n);
    }
    return true;
}

bool mgc_lab_links_wait(const char *const *names, int64_t deadline_ns, struct mgc_error *err)
{
    struct links links = {.names = names};
    struct sockaddr_nl changes = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return mgc_error_errno(err, errno, "opening a netlink socket");
    /* Subscribed before asking, so that no change falls between. */
    bool ok = bind(fd, (struct sockaddr *)&changes, sizeof changes) == 0 ||
              mgc_error_errno(err, errno, "subscribing to link changes");
    for (size_t i = 0; ok && names[i] != NULL && i < LINKS_MAX; i++) {
        links.index[i] = if_nametoindex(names[i]);
        links.count++;
        ok = links.index[i] != 0 ? ask(fd, links.index[i], err)
                                 : mgc_error_errno(err, errno, "link %s", names[i]);
    }
    ok = ok && listen_and_wait(fd, &links, deadline_ns, err);
    close(fd);
    return ok;
}
