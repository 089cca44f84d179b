/* Host names to addresses, with a deadline: getaddrinfo(3) has none and can block for minutes. */
#ifndef MGC_PLAT_RESOLVE_H
#define MGC_PLAT_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>
#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <netdb.h>
#endif

#include "common/base/error.h"

/* *ret_list belongs to the caller (freeaddrinfo) and is never empty. Numeric addresses are answered
 * at once; a name is looked up by a thread of its own, which is left behind when the deadline or
 * the stop signal comes first and cleans up after itself. MGC_E_NOT_FOUND: no such name. */
bool mgc_plat_resolve(const char *host, unsigned port, bool passive, int64_t deadline_ns,
    int stop_fd, struct addrinfo **ret_list, struct mgc_error *err);

#endif
