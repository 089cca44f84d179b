/* The loop's part for bus sockets. Internal to bus/. */
#ifndef MGC_BUS_LOOP_INTERNAL_H
#define MGC_BUS_LOOP_INTERNAL_H

#include "common/bus/loop.h"

/* Call fn whenever the ZeroMQ socket has something to receive. In one round all descriptors and
 * sockets are served before timers, so that what already arrived counts before a silence does. */
bool mgc_loop_add_socket(
    struct mgc_loop *loop, void *socket, void (*fn)(void *user), void *user, struct mgc_error *err);
void mgc_loop_remove_socket(struct mgc_loop *loop, void *socket); /* before it is closed */

#endif
