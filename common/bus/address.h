/* "tcp://HOST:PORT" as text: checked and taken apart. Pure. Internal to bus/. */
#ifndef MGC_BUS_ADDRESS_H
#define MGC_BUS_ADDRESS_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/bus/keys.h"

struct mgc_address {
    char host[MGC_ADDRESS_SIZE]; /* without the brackets of an IPv6 address */
    unsigned port;               /* 1..65535 */
};

/* MGC_E_CONFIG says what was expected. ret_address may be NULL. */
bool mgc_address_parse(const char *text, struct mgc_address *ret_address, struct mgc_error *err);

/* True for an address of IPv6 digits, which libzmq wants to be told about. */
bool mgc_address_is_ipv6(const char *text);

#endif
