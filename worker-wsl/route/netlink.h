/* The four things that route.c asks the kernel. netlink.c is the only place that includes libnl. */
#ifndef WORKER_WSL_ROUTE_NETLINK_H
#define WORKER_WSL_ROUTE_NETLINK_H

#include <stdbool.h>

#include "worker-wsl/route/route.h"

/* Addresses are checked by the caller. Errors name the address; the caller adds the rest. */
bool mgc_route_nl_find(
    const char *address, struct mgc_route_entry *ret_entry, struct mgc_error *err);
bool mgc_route_nl_lookup(
    const char *address, struct mgc_route_path *ret_path, struct mgc_error *err);
/* Create, or replace the one of the same metric. */
bool mgc_route_nl_put(
    const char *address, const struct mgc_route_entry *entry, struct mgc_error *err);
/* Remove every address/32 of the main table that was made by `protocol`. */
bool mgc_route_nl_delete(const char *address, int protocol, struct mgc_error *err);

#endif
