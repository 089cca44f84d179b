#include "lab/phone/listen.h"

#include <string.h>

#include "common/base/parse.h"
#include "common/plat/net.h"

int mgl_listen(const char *where, struct mgc_error *err)
{
    char host[128];
    const char *colon = strrchr(where, ':');
    int64_t port;
    if (!colon || (size_t)(colon - where) >= sizeof(host) ||
        !mgc_parse_int(colon + 1, 1, 65535, &port)) {
        mgc_error_set(err, MGC_E_USAGE, "--listen '%s': ADDR:PORT expected", where);
        return -1;
    }
    memcpy(host, where, (size_t)(colon - where));
    host[colon - where] = 0;
    return (int)mgc_net_listen(host, (unsigned)port, err);
}
