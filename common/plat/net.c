#include "common/plat/net.h"

#include "common/plat/internal.h"

bool mgc_net_send_all(mgc_socket socket, const void *data, size_t len, int64_t deadline_ns,
    int stop_fd, struct mgc_error *err)
{
    const char *next = data;
    while (len) {
        size_t sent;
        if (!mgc_plat_send_some(socket, next, len, &sent, deadline_ns, stop_fd, err))
            return false;
        next += sent;
        len -= sent;
    }
    return true;
}

bool mgc_net_recv_all(mgc_socket socket, void *data, size_t len, int64_t deadline_ns, int stop_fd,
    struct mgc_error *err)
{
    char *next = data;
    size_t left = len;
    while (left) {
        size_t got;
        if (!mgc_net_recv_some(socket, next, left, &got, deadline_ns, stop_fd, err))
            return false;
        if (got == 0)
            return mgc_error_set(err, MGC_E_LOST,
                "receive: the peer closed the connection after %zu of %zu bytes", len - left, len);
        next += got;
        left -= got;
    }
    return true;
}
