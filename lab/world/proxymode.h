/* What the router that is wsl's default route does with traffic that it forwards: the text of its
 * nft rules per mode. Pure.
 */
#ifndef MGC_LAB_PROXYMODE_H
#define MGC_LAB_PROXYMODE_H

#include <stdbool.h>

#include "common/base/error.h"

enum mgc_lab_proxy_mode {
    MGC_LAB_PROXY_ACCEPT_ALL,   /* every TCP connection ends at the relay, whatever its port */
    MGC_LAB_PROXY_SERVICE_PORT, /* only those to the render server's port do */
    MGC_LAB_PROXY_FORGE,        /* these do, and all others are refused in the phone's name */
    MGC_LAB_PROXY_FORWARD,      /* an honest router */
    MGC_LAB_PROXY_DROP,         /* nothing passes, nothing is told */
    MGC_LAB_PROXY_UNREACHABLE,  /* nothing passes: "host unreachable" */
    /* An honest router, but wsl never hears a refusal, as WSL's mirrored mode can be. */
    MGC_LAB_PROXY_SILENCE,
    MGC_LAB_PROXY_MODE_COUNT
};

/* Port of the relay in the proxy's namespace. */
enum { MGC_LAB_RELAY_PORT = 40099 };

const char *mgc_lab_proxy_mode_name(enum mgc_lab_proxy_mode mode);
bool mgc_lab_proxy_mode_parse(
    const char *text, enum mgc_lab_proxy_mode *ret_mode, struct mgc_error *err);

/* Input of `nft -f -` in the proxy and in wsl; replaces the rules of any other mode in one
 * transaction. */
const char *mgc_lab_proxy_rules(enum mgc_lab_proxy_mode mode);
const char *mgc_lab_proxy_wsl_rules(enum mgc_lab_proxy_mode mode);

#endif
