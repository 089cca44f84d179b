/* TCP over IPv4 and IPv6 with deadlines. A socket is an mgc_socket: an int here, a SOCKET there.
 *
 * Sockets are non-blocking and close-on-exec. Every wait can also be broken off by `stop_fd`
 * (readable = stop; -1: none), which gives MGC_E_CANCELLED. One thread per socket.
 */
#ifndef MGC_PLAT_NET_H
#define MGC_PLAT_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

typedef intptr_t mgc_socket;
#define MGC_SOCKET_NONE ((mgc_socket)-1)

/* Once per process (Windows needs it). */
bool mgc_net_init(struct mgc_error *err);

/* Connect to a numeric address or a name. Errors keep the cases apart: MGC_E_REFUSED,
 * MGC_E_UNREACHABLE, MGC_E_TIMEOUT (silence until the deadline), MGC_E_NOT_FOUND (no such name). */
mgc_socket mgc_net_connect(
    const char *host, unsigned port, int64_t deadline_ns, int stop_fd, struct mgc_error *err);

/* Listen on host:port; port 0 picks one. */
mgc_socket mgc_net_listen(const char *host, unsigned port, struct mgc_error *err);
bool mgc_net_local_port(mgc_socket socket, unsigned *ret_port, struct mgc_error *err);
mgc_socket mgc_net_accept(
    mgc_socket listener, int64_t deadline_ns, int stop_fd, struct mgc_error *err);

/* All of it, or an error. End of stream inside a recv_all is MGC_E_LOST. */
bool mgc_net_send_all(mgc_socket socket, const void *data, size_t len, int64_t deadline_ns,
    int stop_fd, struct mgc_error *err);
bool mgc_net_recv_all(mgc_socket socket, void *data, size_t len, int64_t deadline_ns, int stop_fd,
    struct mgc_error *err);
/* What is there, at least one byte; *ret_len 0 means end of stream. */
bool mgc_net_recv_some(mgc_socket socket, void *data, size_t size, size_t *ret_len,
    int64_t deadline_ns, int stop_fd, struct mgc_error *err);

/* Wait until at least one of up to MGC_NET_WAIT_MAX sockets has something to read (bytes, end of
 * stream or an error, which the next receive reports). Stop, finish and other descriptors that can
 * be polled may be in the list; MGC_SOCKET_NONE is skipped. ret_ready[i] says which. False:
 * MGC_E_TIMEOUT at the deadline. */
enum { MGC_NET_WAIT_MAX = 16 };
bool mgc_net_wait_readable(const mgc_socket *sockets, bool *ret_ready, size_t count,
    int64_t deadline_ns, struct mgc_error *err);

bool mgc_net_nodelay(mgc_socket socket, struct mgc_error *err);
void mgc_net_shutdown_send(mgc_socket socket);
void mgc_net_close(mgc_socket socket); /* takes MGC_SOCKET_NONE */

#endif
