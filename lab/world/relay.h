/* A TCP relay: every accepted connection is joined to where its client wanted to go.
 *
 * Accepting comes first, as a TCP-terminating middlebox does: the client learns that nobody
 * listens only by a reset of a connection that it believes in, once it uses it. One thread, one
 * epoll loop, bounded memory per connection; a half-closed side stays open the other way.
 */
#ifndef MGC_LAB_RELAY_H
#define MGC_LAB_RELAY_H

#include <stdbool.h>

#include "common/base/error.h"

/* Serve until the process is ended; false when it cannot go on. listen_fd is borrowed, must be
 * non-blocking, and gets connections that netfilter redirected to it. */
bool mgc_lab_relay_serve(int listen_fd, struct mgc_error *err);

#endif
