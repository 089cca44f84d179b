#include "common/bus/address.h"

#include <string.h>

#include "common/base/parse.h"

static const char scheme[] = "tcp://";

static bool unexpected(const char *text, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_CONFIG, "expected tcp://HOST:PORT, found '%s'", text);
}

static bool is_host(const char *host, size_t len)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  ".-_:%";
    return len > 0 && strspn(host, allowed) >= len;
}

/* The host part, and where it ends; brackets are required around an IPv6 address. */
static bool find_host(
    const char *text, const char **ret_host, size_t *ret_len, const char **ret_end)
{
    const char *host = text + sizeof(scheme) - 1;
    const char *end;
    if (*host == '[') {
        host++;
        end = strchr(host, ']');
        if (!end || end[1] != ':' || !memchr(host, ':', (size_t)(end - host)))
            return false;
        *ret_end = end + 1;
    } else {
        end = strchr(host, ':');
        if (!end)
            return false;
        *ret_end = end;
    }
    *ret_host = host;
    *ret_len = (size_t)(end - host);
    return is_host(host, *ret_len);
}

bool mgc_address_parse(const char *text, struct mgc_address *ret_address, struct mgc_error *err)
{
    const char *host, *end;
    size_t len;
    int64_t port;
    if (strlen(text) >= MGC_ADDRESS_SIZE)
        return mgc_error_set(err, MGC_E_CONFIG, "expected an address of at most %d characters",
            MGC_ADDRESS_SIZE - 1);
    if (strncmp(text, scheme, sizeof(scheme) - 1) != 0 || !find_host(text, &host, &len, &end) ||
        !mgc_parse_int(end + 1, 1, 65535, &port))
        return unexpected(text, err);
    if (ret_address) {
        memcpy(ret_address->host, host, len);
        ret_address->host[len] = '\0';
        ret_address->port = (unsigned)port;
    }
    return true;
}

bool mgc_address_is_ipv6(const char *text)
{
    return strncmp(text, "tcp://[", 7) == 0;
}
