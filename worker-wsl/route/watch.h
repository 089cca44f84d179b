/* Notice that the kernel's routing changes, to look again whether a route still holds. */
#ifndef WORKER_WSL_ROUTE_WATCH_H
#define WORKER_WSL_ROUTE_WATCH_H

#include <stdbool.h>

#include "common/base/error.h"
#include "worker-wsl/route/route.h"

/* A netlink socket that becomes readable when a link, an IPv4 address, route or rule changes in
 * this network namespace (rtnetlink(7), multicast groups); -1 on failure. Close with close(). */
int mgc_route_watch_open(struct mgc_error *err);

/* Take what has arrived, so that the socket can be waited on again. Never blocks. */
void mgc_route_watch_drain(int fd);

/* True when the route and the way that the kernel takes are what they were in `set`; otherwise
 * MGC_E_LOST, or why it could not be found out. */
bool mgc_route_still(const struct mgc_route_state *set, struct mgc_error *err);

#endif
